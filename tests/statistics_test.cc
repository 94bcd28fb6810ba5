// Confidence intervals, paired comparisons, corrections: against closed forms and known examples.
#include "experiment/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/figures.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed {
namespace {

// About normal: the sum of twelve uniform numbers.
Series normal_series(size_t n, double mean, double deviation, uint64_t seed) {
  Rng rng(seed);
  Series series;
  for (size_t i = 0; i < n; ++i) {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += rng.uniform();
    series.push_back(mean + deviation * sum);
  }
  return series;
}

Series with_gaps(Series series) {
  for (size_t i = 0; i < series.size(); i += 3) series[i] = std::nullopt;
  return series;
}

TEST(Bootstrap, IntervalIsThatOfTheCentralLimitTheorem) {
  const size_t n = 400;
  const auto estimates = bootstrap({normal_series(n, 0.8, 0.2, 1)});
  ASSERT_TRUE(estimates[0]);
  const Estimate& e = *estimates[0];
  EXPECT_EQ(e.dialogues, 400);
  EXPECT_NEAR(e.mean, 0.8, 0.03);
  const double half = 1.96 * 0.2 / std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(e.mean - e.interval.low, half, 0.15 * half);
  EXPECT_NEAR(e.interval.high - e.mean, half, 0.15 * half);
  EXPECT_LT(e.p_value, 0.001);
}

// Of 200 experiments in which the mean is known, the interval holds it in about 95 %.
TEST(Bootstrap, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::vector<Series> series;
  for (uint64_t k = 0; k < 200; ++k) series.push_back(with_gaps(normal_series(150, 1, 0.5, k)));
  int held = 0;
  for (const auto& e : bootstrap(series)) held += e->interval.low <= 1 && 1 <= e->interval.high;
  EXPECT_GE(held, 180);
  EXPECT_LE(held, 198);
}

TEST(Bootstrap, ComparesPairs) {
  // Dialogues differ much, the two models on the same dialogue little.
  const Series a = normal_series(200, 0.8, 0.5, 1), noise = normal_series(200, 0.02, 0.05, 2);
  Series b = a;
  for (size_t i = 0; i < b.size(); ++i) *b[i] += *noise[i];
  const auto estimates = bootstrap({a, b, difference(b, a), difference(a, a)});
  EXPECT_GT(estimates[0]->interval.high, estimates[1]->interval.low);  // alone: no difference
  EXPECT_GT(estimates[2]->interval.low, 0);                            // in pairs: one
  EXPECT_LT(estimates[2]->p_value, 0.01);
  EXPECT_NEAR(estimates[2]->mean, estimates[1]->mean - estimates[0]->mean, 1e-12);
  EXPECT_EQ(estimates[3]->mean, 0);
  EXPECT_EQ(estimates[3]->p_value, 1);
}

TEST(Bootstrap, LeavesOutWhatIsNotDefined) {
  Series few(5);
  few[2] = 0.5;
  const auto estimates = bootstrap({Series(5), few, difference(few, Series(5))});
  EXPECT_FALSE(estimates[0]);
  ASSERT_TRUE(estimates[1]);
  EXPECT_EQ(estimates[1]->dialogues, 1);
  EXPECT_EQ(estimates[1]->interval.low, 0.5);
  EXPECT_EQ(estimates[1]->interval.high, 0.5);
  EXPECT_FALSE(estimates[2]);
  EXPECT_TRUE(bootstrap({}).empty());
}

TEST(Bootstrap, IsTheSameForAnyNumberOfThreads) {
  const std::vector<Series> series = {normal_series(57, 1, 0.1, 3), normal_series(57, 2, 0.4, 4)};
  set_num_threads(1);
  const auto one = bootstrap(series);
  set_num_threads(3);
  const auto three = bootstrap(series);
  const auto other_seed = bootstrap(series, 2);
  set_num_threads(0);
  for (size_t s = 0; s < series.size(); ++s) {
    EXPECT_EQ(one[s]->interval.low, three[s]->interval.low);
    EXPECT_EQ(one[s]->interval.high, three[s]->interval.high);
    EXPECT_NE(one[s]->interval.high, other_seed[s]->interval.high);
  }
}

TEST(MeanSeries, OfSeeds) {
  const Series a = {1.0, 2.0, std::nullopt}, b = {3.0, std::nullopt, 1.0};
  const Series mean = mean_series({&a, &b});
  EXPECT_EQ(mean[0], 2.0);
  EXPECT_FALSE(mean[1]);
  EXPECT_FALSE(mean[2]);
}

// Worked by hand: sorted 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1, never decreasing.
TEST(Holm, CorrectsStepByStep) {
  const std::vector<double> corrected = holm({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(corrected[i], expected[i], 1e-12);
  EXPECT_EQ(holm({0.9, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(Spread, OfASample) {
  EXPECT_FALSE(spread({}));
  EXPECT_FALSE(spread({2})->deviation);
  EXPECT_DOUBLE_EQ(*spread({1, 2, 3, 4})->deviation, std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(spread({1, 2, 3, 4})->mean, 2.5);
}

TEST(RankCorrelation, OfSpearman) {
  EXPECT_DOUBLE_EQ(*rank_correlation({{1, 10}, {2, 100}, {3, 1000}}), 1);
  EXPECT_DOUBLE_EQ(*rank_correlation({{1, 3}, {2, 2}, {3, 1}}), -1);
  // ranks 1 2.5 2.5 4 and 1 2 3 4: cov 4.5 / sqrt(4.5 * 5)
  EXPECT_NEAR(*rank_correlation({{1, 1}, {2, 2}, {2, 3}, {3, 4}}), 4.5 / std::sqrt(22.5), 1e-12);
  EXPECT_FALSE(rank_correlation({{1, 1}, {2, 2}}));
  EXPECT_FALSE(rank_correlation({{1, 1}, {1, 2}, {1, 3}}));
}

}  // namespace
}  // namespace heed
