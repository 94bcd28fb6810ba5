#include "train/run_log.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "tests/file_helpers.h"

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

// A number that a later version measures, too, and one that it does not any more.
TEST(RunLog, ColumnsThatALineHasNotAreEmptyThere) {
  const TempDir dir;
  const auto line = [](int epoch, const std::string& metric) {
    return R"({"epoch":)" + std::to_string(epoch) + R"(,"loss":1,")" + metric +
           R"(":0.5,"rate":1,"grad_norm":1,"steps":1,"tokens":1})" + "\n";
  };
  dir.write("run/log.jsonl", line(1, "old") + line(2, "new") + line(3, "old"));
  const RunLog log = epochs_of(dir.path("run"));
  const size_t old = log.column("old"), later = log.column("new");
  ASSERT_EQ(log.rows.size(), 3u);
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(std::isnan(log.rows[r].at(old)), r == 1) << r;
    EXPECT_EQ(std::isnan(log.rows[r].at(later)), r != 1) << r;
  }
}

TEST(RunLog, NamesOfRunsDiffer) {
  EXPECT_EQ(run_names({"runs/a", "runs/b"}), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(run_names({"x/a", "y/a"}), (std::vector<std::string>{"x/a", "y/a"}));
}

}  // namespace
}  // namespace heed
