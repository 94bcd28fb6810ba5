// The main() of all tests: GoogleTest's, and an error where --gtest_filter leaves nothing to run,
// or the kernels are not those that the test is for (tests/with_kernels.sh).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tensor/kernels/isa.h"
#include "tests/paths.h"

namespace heed {
const char* const kSourceDir = HEED_SOURCE_DIR;
const char* const kProgramPath = HEED_PROGRAM;
const char* const kExamplesPath = HEED_EXAMPLES_DIR;
}  // namespace heed

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* const expected = std::getenv("HEED_EXPECTED_KERNELS");
  if (expected && std::string_view(expected) != heed::cpu::isa()) {
    std::fprintf(stderr, "kernels for %s are in use, expected %s\n", heed::cpu::isa(), expected);
    return 1;
  }
  const int result = RUN_ALL_TESTS();
  const bool listed = GTEST_FLAG_GET(list_tests);
  if (listed || testing::UnitTest::GetInstance()->test_to_run_count() > 0) return result;
  std::fprintf(stderr, "no test matches --gtest_filter=%s; --gtest_list_tests shows all\n",
               GTEST_FLAG_GET(filter).c_str());
  return 1;
}
