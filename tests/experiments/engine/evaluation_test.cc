// What evaluation.json says of a training, and means of items some of which are missing.
#include <gtest/gtest.h>

#include "experiments/engine/runs/evaluation_json.h"
#include "tests/file_helpers.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using OrderedJson = nlohmann::ordered_json;

// The head of a run with these values of a metric, epoch by epoch.
OrderedJson trained(const std::vector<double>& values, bool higher_is_better,
                    const std::string& asked = "quality") {
  const TempDir dir;
  std::vector<EpochLog> log;
  for (const double value : values) {
    EpochLog& e = log.emplace_back();
    e.epoch = static_cast<int>(log.size());
    e.metrics = {{"quality", value, higher_is_better}, {"other", -value}};
  }
  save_log(dir.path(""), log);
  OrderedJson json;
  add_training(json, dir.path(""), asked);
  return json;
}

TEST(AddTraining, TheBestEpochIsTheFirstOfTheBest) {
  EXPECT_EQ(trained({3, 1, 2, 1, 4}, false).dump(), R"({"best_epoch":2,"epochs":5,"quality":1.0})");
  EXPECT_EQ(trained({3, 1, 4, 2, 4}, true).dump(), R"({"best_epoch":3,"epochs":5,"quality":4.0})");
}

TEST(AddTraining, WithoutTheMetricTheLastEpochCounts) {
  EXPECT_EQ(trained({3, 1, 2}, false, "another").dump(), R"({"best_epoch":3,"epochs":3})");
  const TempDir dir;
  dir.write("log.jsonl", "");
  OrderedJson json;
  EXPECT_EQ(error_of<DataError>([&] { add_training(json, dir.path(""), "quality"); }),
            dir.path("") + "/log.jsonl: no epoch");
}

TEST(PutMean, LeavesOutWhatIsMissing) {
  OrderedJson json;
  put_mean(json, "own.f1", {1, nullptr, 0, 0.5});
  put_mean(json, "none", {nullptr});
  EXPECT_EQ(json.dump(),
            R"({"own":{"f1":0.5,"f1_items":[1,null,0,0.5]},"none":null,"none_items":[null]})");
}

TEST(Rounded, KeepsSixDigits) {
  EXPECT_EQ(rounded(1234567.25).dump(), "1234570.0");
  EXPECT_EQ(rounded(0.12345678).dump(), "0.123457");
  EXPECT_TRUE(rounded(INFINITY).is_null());
  EXPECT_TRUE(rounded(std::nullopt).is_null());
}

}  // namespace
}  // namespace heed
