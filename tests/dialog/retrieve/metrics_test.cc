#include "dialog/retrieve/metrics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed::retrieve {
namespace {

Ranks ranks(const std::vector<double>& scores, const std::vector<size_t>& right) {
  return Ranks({.id = "", .conversation = 0, .scores = scores, .right = right});
}

TEST(Ranks, EqualScoresShareTheCredit) {
  const Ranks r = ranks({3, 1, 2, 2, 2}, {2});
  EXPECT_EQ(r.recall(1), 0);
  EXPECT_DOUBLE_EQ(r.recall(2), 1.0 / 3);
  EXPECT_DOUBLE_EQ(r.recall(3), 2.0 / 3);
  EXPECT_EQ(r.recall(4), 1);
  EXPECT_EQ(r.recall(5), 1);
  EXPECT_NEAR(r.reciprocal(), 0.361111, 1e-6);  // (1/2 + 1/3 + 1/4) / 3
  EXPECT_NEAR(r.average_precision(), 0.361111, 1e-6);
  EXPECT_EQ(r.first(), 2);
  EXPECT_EQ(r.ties(), 2);
}

TEST(Ranks, AConstantScorerHasItsChance) {
  const Ranks r = ranks(std::vector<double>(100, -0.5), {17});
  for (const int64_t k : {1, 10, 50}) EXPECT_DOUBLE_EQ(r.recall(k), static_cast<double>(k) / 100);
  EXPECT_NEAR(r.reciprocal(), 0.0518738, 1e-7);
  EXPECT_NEAR(r.average_precision(), 0.0518738, 1e-7);
}

TEST(Ranks, OfSeveralRightOnes) {
  const Ranks r = ranks({1, 5, 3, 2, 4}, {2, 4, 3});  // ranks 2, 3, 4
  EXPECT_NEAR(r.average_precision(), 0.638889, 1e-6);
  EXPECT_EQ(r.reciprocal(), 0.5);
  EXPECT_DOUBLE_EQ(r.recall(3), 2.0 / 3);
  EXPECT_EQ(r.first(), 2);
  // scikit-learn's average_precision_score
  EXPECT_DOUBLE_EQ(ranks({.1, .9, .5, .3, .7, .2}, {0, 2, 5}).average_precision(),
                   (1.0 / 3 + 2.0 / 5 + 3.0 / 6) / 3);
  EXPECT_EQ(ranks({1, 2}, {0, 1}).average_precision(), 1);
}

// The mean over all orders of equal candidates.
TEST(Ranks, AreMeansOverAllOrders) {
  const std::vector<double> scores = {2, 2, 2, 1, 1, 1, 3};
  const std::vector<size_t> right = {0, 2, 3};
  double recall = 0, reciprocal = 0, precision = 0, orders = 0;
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    const auto better = [&](size_t a, size_t b) { return scores[a] > scores[b]; };
    if (!std::is_sorted(order.begin(), order.end(), better)) continue;
    double found = 0, sum = 0;
    for (size_t rank = 1; rank <= order.size(); ++rank) {
      if (std::find(right.begin(), right.end(), order[rank - 1]) == right.end()) continue;
      const auto at = static_cast<double>(rank);
      if (++found == 1) reciprocal += 1 / at;
      sum += found / at;
      recall += rank <= 3 ? 1.0 / 3 : 0;
    }
    precision += sum / 3;
    ++orders;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(orders, 36);
  const Ranks r = ranks(scores, right);
  EXPECT_EQ(r.first(), 2);
  EXPECT_EQ(r.ties(), 2);  // of which one is right, too
  EXPECT_NEAR(r.recall(3), recall / orders, 1e-12);
  EXPECT_NEAR(r.reciprocal(), reciprocal / orders, 1e-12);
  EXPECT_NEAR(r.average_precision(), precision / orders, 1e-12);
}

TEST(Ranks, RefuseWhatCannotBeRanked) {
  const auto error = [](const std::vector<double>& scores, const std::vector<size_t>& right) {
    return error_of<DataError>([&] { ranks(scores, right); });
  };
  EXPECT_EQ(error({}, {}), "at least two candidates are needed to rank them");
  EXPECT_EQ(error({1}, {0}), "at least two candidates are needed to rank them");
  EXPECT_EQ(error({1, 2}, {}), "none of the candidates is right");
  const std::string places = "the right candidates must be different places from 0 to 1";
  EXPECT_EQ(error({1, 2}, {2}), places);
  EXPECT_EQ(error({1, 2}, {1, 1}), places);
  EXPECT_EQ(error({1, NAN}, {0}), "the scores must be finite numbers");
  EXPECT_EQ(error({1, INFINITY}, {0}), "the scores must be finite numbers");
}

}  // namespace
}  // namespace heed::retrieve
