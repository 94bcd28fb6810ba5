// A run does not go on with other labels than those that it began with, whatever the system.
#include "tests/heed/program_small_data.h"

namespace heed {
namespace {

class OtherLabels : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Systems, OtherLabels,
                         testing::Values("carryover", "gaps", "tracker", "retrieval", "comprehend"),
                         [](const auto& row) { return std::string(row.param); });

// One label of one dialogue, the first one; with the old one back the run goes on.
TEST_P(OtherLabels, EndARun) {
  const TempDir dir;
  const std::string system = GetParam(), run = dir.path("run"), data = labelled_data(dir, system);
  const Arguments command = {"train", system, "--data", data, "--out", run, "--threads", "1"};
  const Result begun = heed_program(command + Arguments{"--preset", "smoke", "--epochs", "1"} +
                                    small_options(system));
  ASSERT_EQ(begun.code, 0) << begun.err;
  const Arguments further = command + Arguments{"--resume", "--epochs", "2"};
  EXPECT_EQ(labelled_data(dir, system, /*other=*/true), data);
  expect_failure(heed_program(further), 1, "not the dialogues that the run", system);
  labelled_data(dir, system);
  const Result r = heed_program(further);
  EXPECT_EQ(r.code, 0) << r.err;
}

}  // namespace
}  // namespace heed
