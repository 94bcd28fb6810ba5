// Rows of judges: intervals over clusters of items.
#include "experiments/measure/judged_rows.h"

#include <gtest/gtest.h>

#include "dialog/text/format.h"
#include "experiments/measure/measure_json.h"

namespace heed {
namespace {

// Three clusters of four items, in no order; all of a cluster are judged alike, and one cluster
// wrongly. Of 27 draws of three clusters 8 hold right ones only and 1 none: more than 2.5 %.
TEST(JudgedRows, ItemsOfAClusterAreDrawnTogether) {
  JudgedRow of_items{.name = "a"};
  std::vector<int> cluster;
  for (int i = 0; i < 12; ++i) {
    cluster.push_back(2 - i % 3);
    of_items.items.emplace_back().add(/*real=*/true, /*judged_real=*/cluster.back() != 1);
  }
  JudgedRow of_clusters = of_items;
  measure(of_items, 1);
  measure(of_clusters, 1, cluster);
  const auto accuracy = [](const JudgedRow& row) { return row.metrics.at(0).value(); };
  EXPECT_DOUBLE_EQ(accuracy(of_items).value, 8.0 / 12);
  EXPECT_DOUBLE_EQ(accuracy(of_clusters).value, 8.0 / 12);
  EXPECT_GT(accuracy(of_items).interval.low, 0.3);
  EXPECT_LT(accuracy(of_items).interval.high, 0.95);
  EXPECT_EQ(accuracy(of_clusters).interval.low, 0);
  EXPECT_EQ(accuracy(of_clusters).interval.high, 1);
}

// Of real ones 4 as real, 1 as fake; of fake ones 2 as real, 3 as fake.
TEST(JudgedRows, EachNumberIsItsOwn) {
  JudgedRow row{.name = "judge"};
  row.items = {{.real_as_real = 3, .real_as_fake = 1, .fake_as_real = 2, .fake_as_fake = 1},
               {.real_as_real = 1, .real_as_fake = 0, .fake_as_real = 0, .fake_as_fake = 2}};
  measure(row, 1);
  const nlohmann::ordered_json json = to_json(row);
  EXPECT_EQ(json["counts"].dump(),
            R"({"real_as_real":4,"real_as_fake":1,"fake_as_real":2,"fake_as_fake":3})");
  EXPECT_DOUBLE_EQ(json["accuracy"]["value"], 7.0 / 10);
  const double expected[2][3] = {{4.0 / 6, 4.0 / 5, 8.0 / 11}, {3.0 / 4, 3.0 / 5, 6.0 / 9}};
  const char *const groups[] = {"real", "fake"}, *const names[] = {"precision", "recall", "f1"};
  const auto columns = columns_of({row, row});
  ASSERT_EQ(columns.size(), 1u + 7);
  EXPECT_EQ(columns[0], (std::vector<std::string>{"", "judge", "judge"}));
  EXPECT_EQ(columns[1][0], "accuracy");
  EXPECT_TRUE(columns[1][2].starts_with("0.700 [")) << columns[1][2];
  for (size_t g = 0; g < 2; ++g) {
    for (size_t n = 0; n < 3; ++n) {
      const std::vector<std::string>& column = columns[2 + 3 * g + n];
      EXPECT_DOUBLE_EQ(json[groups[g]][names[n]]["value"], expected[g][n]) << groups[g] << names[n];
      EXPECT_EQ(column[0], std::string(groups[g]) + " " + names[n]);
      EXPECT_EQ(column[1].substr(0, 5), decimal(expected[g][n], 3)) << column[0];
    }
  }
}

// With an interval where it is known.
TEST(JudgedRows, AnAreaHasItsIntervalOrNone) {
  const Estimate auc{.value = 0.75, .clusters = 9, .interval = {0.5, 0.875}};
  EXPECT_EQ(auc_text(RankSum{.auc = 0.75}, std::nullopt), "0.750");
  EXPECT_EQ(auc_text(RankSum{.auc = 0.75}, auc), "0.750 [0.500, 0.875]");
  EXPECT_EQ(auc_text(std::nullopt, std::nullopt), "-");
}

// Changes have signs.
TEST(Estimates, AreWrittenWithTheirIntervals) {
  const Estimate e{.value = 0.25, .clusters = 9, .interval = {-0.125, 0.5}};
  EXPECT_EQ(interval_text(e, 2, /*change=*/true), "+0.25 [-0.12, +0.50]");
  EXPECT_EQ(interval_text(e, 2), "0.25 [-0.12, 0.50]");
  EXPECT_EQ(interval_text(std::nullopt, 2), "-");
}

}  // namespace
}  // namespace heed
