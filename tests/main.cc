// The main() of all tests: GoogleTest's, and an error where --gtest_filter leaves nothing to run,
// or the kernels are not those that the test is for (tests/with_kernels.sh). A program that has the
// tests of several files runs those of the file whose name it is called by.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "tensor/kernels/matmul.h"
#include "tests/paths.h"

namespace heed {
const char* const kSourceDir = HEED_SOURCE_DIR;
const char* const kProgramPath = HEED_PROGRAM;
const char* const kExamplesPath = HEED_EXAMPLES_DIR;
}  // namespace heed

// --gtest_filter without the tests of other NAME_test.cc, if one is called as this program is.
static std::string filter_of(const std::string& program, const std::string& filter) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string others;
  bool any = false;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    std::string left_out;
    bool some = false;  // tests of this suite are kept
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string file = std::filesystem::path(test.file()).stem();
      any |= file == program;
      if (file == program || !file.ends_with("_test")) {
        some = true;
      } else {
        left_out += std::string(":") + suite.name() + "." + test.name();
      }
    }
    others += some ? left_out : std::string(":") + suite.name() + ".*";
  }
  if (!any || others.empty()) return filter;
  const bool excludes = filter.find('-') != std::string::npos;
  return filter + (excludes ? others : "-" + others.substr(1));
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string asked = GTEST_FLAG_GET(filter);
  GTEST_FLAG_SET(filter, filter_of(std::filesystem::path(argv[0]).filename(), asked));
  const char* const expected = std::getenv("HEED_EXPECTED_KERNELS");
  if (expected && std::string_view(expected) != heed::cpu::isa()) {
    std::fprintf(stderr, "kernels for %s are in use, expected %s\n", heed::cpu::isa(), expected);
    return 1;
  }
  const int result = RUN_ALL_TESTS();
  const bool listed = GTEST_FLAG_GET(list_tests);
  if (listed || testing::UnitTest::GetInstance()->test_to_run_count() > 0) return result;
  std::fprintf(stderr, "no test matches --gtest_filter=%s; --gtest_list_tests shows all\n",
               asked.c_str());
  return 1;
}
