// The main() of all tests: GoogleTest's, and an error where --gtest_filter leaves nothing to run.
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  const bool listed = GTEST_FLAG_GET(list_tests);
  if (listed || testing::UnitTest::GetInstance()->test_to_run_count() > 0) return result;
  std::fprintf(stderr, "no test matches --gtest_filter=%s; --gtest_list_tests shows all\n",
               GTEST_FLAG_GET(filter).c_str());
  return 1;
}
