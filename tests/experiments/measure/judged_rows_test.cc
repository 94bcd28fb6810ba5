// Rows of judges: intervals over clusters of items.
#include "experiments/measure/judged_rows.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heed
