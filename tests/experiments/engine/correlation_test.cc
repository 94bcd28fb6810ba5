// Correlations of pairs in clusters: known answers.
#include "experiments/engine/stats/correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

TEST(RankCorrelation, OfSpearman) {
  EXPECT_DOUBLE_EQ(*rank_correlation({{1, 10}, {2, 100}, {3, 1000}}), 1);
  EXPECT_DOUBLE_EQ(*rank_correlation({{1, 3}, {2, 2}, {3, 1}}), -1);
  // ranks 1 2.5 2.5 4 and 1 2 3 4: cov 4.5 / sqrt(4.5 * 5)
  EXPECT_NEAR(*rank_correlation({{1, 1}, {2, 2}, {2, 3}, {3, 4}}), 4.5 / std::sqrt(22.5), 1e-12);
  EXPECT_FALSE(rank_correlation({{1, 1}, {2, 2}}));
  EXPECT_FALSE(rank_correlation({{1, 1}, {1, 2}, {1, 3}}));
}

// Deviations -2 -1 0 1 2 and -3 -2 -1 0 6: 2 * 3 + 1 * 2 + 2 * 6 = 20 over sqrt(10 * 50).
TEST(Correlation, OfValuesAndOfRanks) {
  const Correlation found = correlate({{1, 1, 0}, {2, 2, 1}, {3, 3, 2}, {4, 4, 3}, {5, 10, 4}});
  ASSERT_TRUE(found.pearson && found.spearman);
  EXPECT_NEAR(found.pearson->value, 20 / std::sqrt(500.0), 1e-12);
  EXPECT_DOUBLE_EQ(found.spearman->value, 1);
  EXPECT_EQ(found.spearman->interval.low, 1);
  EXPECT_EQ(found.spearman->interval.high, 1);
  EXPECT_EQ(found.pairs, 5);
  EXPECT_EQ(found.clusters, 5);
}

// Of four pairs, what draws of three different ones can be, one of them twice: each is 12 of 168,
// so that the ends of the interval are the lowest and the highest. All on the line: 1. The lowest
// of values are the second and the third once and the last twice: 2 3 4 4 and 2 3 0 0, deviations
// -1.25 -0.25 0.75 0.75 and 0.75 1.75 -1.25 -1.25, -3.25 / sqrt(2.75 * 6.75); of ranks, with those
// of the second and third or the first and third taken anew, -7 / 9.
TEST(Correlation, IntervalsAreThoseOfTheDraws) {
  const Correlation found = correlate({{1, 1, 0}, {2, 2, 1}, {3, 3, 2}, {4, 0, 3}});
  EXPECT_NEAR(found.pearson->interval.low, -3.25 / std::sqrt(2.75 * 6.75), 1e-12);
  EXPECT_NEAR(found.pearson->interval.high, 1, 1e-12);
  EXPECT_NEAR(found.spearman->interval.low, -7.0 / 9, 1e-12);
  EXPECT_NEAR(found.spearman->interval.high, 1, 1e-12);
}

// Seeds of a model are in or out together: of three models every draw that counts has each once.
TEST(Correlation, ClustersStayTogether) {
  const Correlation found =
      correlate({{1, 5, 0}, {2, 3, 0}, {3, 4, 1}, {4, 1, 1}, {5, 2, 2}, {6, 1.5, 2}});
  EXPECT_EQ(found.clusters, 3);
  EXPECT_EQ(found.pearson->interval.low, found.pearson->value);
  EXPECT_EQ(found.pearson->interval.high, found.pearson->value);
  EXPECT_EQ(found.spearman->interval.low, found.spearman->value);
}

// Deviations within groups -1 1 -1 1 and -.5 .5 -2 2: 5 / sqrt(4 * 8.5). A draw of three different
// pairs has both of one group only, so the means taken anew leave a line, 1; with the means of all
// pairs, as they are, the interval would begin at 3 / sqrt(3 * 4.5) or lower.
TEST(Correlation, MeansOfGroupsAreTakenAnewInEveryDraw) {
  const Correlation found = correlate({{1, 1, 0, 7}, {3, 2, 1, 7}, {10, 5, 2, 9}, {12, 9, 3, 9}});
  EXPECT_NEAR(found.pearson->value, 5 / std::sqrt(34.0), 1e-12);
  EXPECT_NEAR(found.pearson->interval.low, 5 / std::sqrt(34.0), 1e-12);
  EXPECT_NEAR(found.pearson->interval.high, 1, 1e-12);
  // ranks of deviations 1.5 3.5 1.5 3.5 and 2 3 1 4
  EXPECT_NEAR(found.spearman->value, 4 / std::sqrt(20.0), 1e-12);
  EXPECT_EQ(correlate({{1, 1, 0, 7}, {3, 2, 1, 7}, {10, 5, 2, 7}}).pearson->value,
            correlate({{1, 1, 0}, {3, 2, 1}, {10, 5, 2}}).pearson->value);
}

// Of 0.1 three times the mean is not 0.1, nor is 0.3 - 0.2 the same as 0.7 - 0.6.
TEST(Correlation, EqualDifferencesFromTheMeansOfGroupsAreEqual) {
  const Correlation none = correlate({{0.1, 1, 0, 0},
                                      {0.1, 2, 1, 0},
                                      {0.1, 4, 2, 0},
                                      {0.7, 3, 3, 1},
                                      {0.7, 8, 4, 1},
                                      {0.7, 9, 5, 1}});
  EXPECT_FALSE(none.pearson || none.spearman);
  const Correlation tenths =
                        correlate({{0.1, 1, 0, 7}, {0.3, 2, 1, 7}, {0.5, 5, 2, 9}, {0.7, 9, 3, 9}}),
                    whole = correlate({{1, 1, 0, 7}, {3, 2, 1, 7}, {5, 5, 2, 9}, {7, 9, 3, 9}});
  EXPECT_NEAR(tenths.spearman->value, whole.spearman->value, 1e-12);
  EXPECT_NEAR(tenths.spearman->interval.low, whole.spearman->interval.low, 1e-12);
}

// In whatever order the pairs stand; other seeds draw others.
TEST(Correlation, DrawsClustersByTheirNumbersAndTheSeed) {
  std::vector<ClusteredPair> pairs;
  for (int i = 0; i < 120; ++i) {
    pairs.push_back({i * 7 % 120 * 1.0, i * 7 % 120 + i * 53 % 120 * 0.5, i / 4});
  }
  const Correlation found = correlate(pairs, 3), other = correlate(pairs, 4);
  std::reverse(pairs.begin(), pairs.end());
  const Correlation reversed = correlate(pairs, 3);
  for (const auto of : {&Correlation::pearson, &Correlation::spearman}) {
    EXPECT_NEAR((reversed.*of)->interval.low, (found.*of)->interval.low, 1e-12);
    EXPECT_NEAR((reversed.*of)->interval.high, (found.*of)->interval.high, 1e-12);
    EXPECT_NE((other.*of)->interval.low, (found.*of)->interval.low);
  }
}

TEST(Correlation, OfTooFewOrEqualNumbers) {
  EXPECT_FALSE(correlate({}).pearson);
  const Correlation two = correlate({{1, 2, 0}, {2, 3, 0}, {3, 5, 1}});
  EXPECT_FALSE(two.pearson || two.spearman);
  EXPECT_EQ(two.pairs, 3);
  const Correlation equal = correlate({{0.1, 2, 0}, {0.1, 3, 1}, {0.1, 5, 2}});
  EXPECT_FALSE(equal.pearson || equal.spearman);
}

}  // namespace
}  // namespace heed
