#include "train/run_log.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace heed {
namespace {

RunLog small_log() {
  return {"log.jsonl", {"epoch", "a, \"b\""}, {{1, 0.5}, {2, NAN}, {3, 1e300}}};
}

TEST(RunLog, AsTableQuotesNamesAndLeavesOutWhatIsNoNumber) {
  EXPECT_EQ(to_csv(small_log()), "epoch,\"a, \"\"b\"\"\"\n1,0.5\n2,\n3,1e+300\n");
  EXPECT_EQ(
      to_json_lines(small_log()),
      "{\"epoch\":1,\"a, \\\"b\\\"\":0.5}\n{\"epoch\":2}\n{\"epoch\":3,\"a, \\\"b\\\"\":1e+300}\n");
}

TEST(RunLog, NamesTheColumnsThatThereAre) {
  EXPECT_EQ(small_log().column("epoch"), 0u);
  EXPECT_FALSE(small_log().has("loss"));
  try {
    small_log().column("loss");
    FAIL();
  } catch (const DataError& e) {
    EXPECT_STREQ(e.what(), "log.jsonl: has no column 'loss'; there are: epoch, a, \"b\"");
  }
}

TEST(RunLog, NamesOfRunsDiffer) {
  EXPECT_EQ(run_names({"runs/a", "runs/b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run_names({"x/a", "y/a"}), (std::vector<std::string>{"x/a", "y/a"}));
}

}  // namespace
}  // namespace heed
