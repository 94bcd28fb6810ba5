// Confidence intervals, paired comparisons, corrections: against closed forms and known examples.
#include "experiments/engine/stats/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

// Every dialogue a cluster of its own.
std::vector<int> alone(size_t n) {
  std::vector<int> cluster(n);
  std::iota(cluster.begin(), cluster.end(), 0);
  return cluster;
}

Quotient mean_of(const Series& series) {
  return mean_quotient(series, alone(series.size()));
}

std::optional<Estimate> estimate_of(const Quotient& q) {
  return estimate(bootstrap({q})[0]);
}

// ---- quotients

TEST(QuotientOf, SumsWithinClustersWhereBothAreDefined) {
  const Series top = {1.0, 2.0, std::nullopt, 4.0, 5.0},
               bottom = {1.0, 1.0, 1.0, std::nullopt, 3.0};
  const Quotient q = quotient(top, bottom, {0, 1, 1, 0, 0});
  EXPECT_EQ(q.top, (std::vector<double>{6, 2}));
  EXPECT_EQ(q.bottom, (std::vector<double>{4, 1}));
  EXPECT_EQ(bootstrap({q})[0].value, 8.0 / 5);
  const Quotient mean = mean_quotient(top, bottom, {0, 1, 1, 0, 0});  // of 1, 2 and 5
  EXPECT_EQ(mean.top, (std::vector<double>{6, 2}));
  EXPECT_EQ(mean.bottom, (std::vector<double>{2, 1}));
  EXPECT_EQ(bootstrap({mean_quotient(top, {0, 1, 2, 3, 4})})[0].value, 3);
}

// ---- the bootstrap

TEST(Bootstrap, IntervalIsThatOfTheCentralLimitTheorem) {
  const size_t n = 400;
  const auto e = estimate_of(mean_of(normal_series(n, 0.8, 0.2, 1)));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->clusters, 400);
  EXPECT_NEAR(e->value, 0.8, 0.03);
  const double half = 1.96 * 0.2 / std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(e->value - e->interval.low, half, 0.15 * half);
  EXPECT_NEAR(e->interval.high - e->value, half, 0.15 * half);
  EXPECT_LT(e->p_value, 0.001);
}

// Of 200 experiments in which the mean is known, the interval holds it in about 95 %.
TEST(Bootstrap, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::vector<Quotient> quotients;
  for (uint64_t k = 0; k < 200; ++k) {
    quotients.push_back(mean_of(with_gaps(normal_series(150, 1, 0.5, k))));
  }
  int held = 0;
  for (const Resampled& x : bootstrap(quotients)) {
    const Estimate e = *estimate(x);
    held += e.interval.low <= 1 && 1 <= e.interval.high;
  }
  EXPECT_GE(held, 180);
  EXPECT_LE(held, 198);
}

// All draws again, one by one: which clusters they hold, and both sums over their dialogues.
TEST(Bootstrap, DrawsWholeClustersAndTakesBothSumsAnew) {
  const std::vector<int> cluster = {0, 1, 0, 2, 3, 3, 3, 4, 1};
  Series d = normal_series(9, 0.5, 0.2, 5), h = normal_series(9, 0.9, 0.1, 6);
  d[7] = h[7] = std::nullopt;  // all of cluster 4
  const Resampled got = bootstrap({quotient(d, h, cluster)}, /*seed=*/3)[0];
  EXPECT_EQ(got.clusters, 4);
  std::vector<double> draws;
  for (int64_t b = 0; b < kResamples; ++b) {
    const RandomKey key{3, purpose_id("bootstrap"), static_cast<uint64_t>(b)};
    double top = 0, bottom = 0;
    for (uint64_t place = 0; place < 5; ++place) {
      const uint64_t word = key.word(place);
      const auto drawn = static_cast<int>(5 * word >> 32);
      for (size_t i = 0; i < cluster.size(); ++i) {
        if (cluster[i] != drawn || !d[i]) continue;
        top += *d[i];
        bottom += *h[i];
      }
    }
    if (bottom == 0) {  // cluster 4 five times
      EXPECT_TRUE(std::isnan(got.draws[b])) << b;
      continue;
    }
    draws.push_back(top / bottom);
    ASSERT_NEAR(got.draws[b], draws.back(), 1e-12) << b;
  }
  std::sort(draws.begin(), draws.end());
  const size_t outside = draws.size() / 40;
  const Estimate e = *estimate(got);
  EXPECT_NEAR(e.interval.low, draws[outside], 1e-12);
  EXPECT_NEAR(e.interval.high, draws[draws.size() - 1 - outside], 1e-12);
}

// Four copies of each dialogue tell nothing new: as clusters they leave the interval as it is, as
// dialogues of their own they would halve it.
TEST(Bootstrap, CopiesInAClusterAreNotNewDialogues) {
  const Series once = normal_series(200, 1, 0.3, 7);
  Series copied;
  std::vector<int> cluster;
  for (int i = 0; i < 200; ++i) {
    copied.insert(copied.end(), 4, once[i]);
    cluster.insert(cluster.end(), 4, i);
  }
  const auto width = [](const Quotient& q) {
    const Estimate e = *estimate_of(q);
    return e.interval.high - e.interval.low;
  };
  const double one = width(mean_of(once));
  EXPECT_NEAR(width(mean_quotient(copied, cluster)), one, 1e-12);
  EXPECT_NEAR(width(mean_of(copied)), one / 2, 0.05 * one);
}

TEST(Bootstrap, ComparesPairs) {
  // Dialogues differ much, the two models on the same dialogue little.
  const Series a = normal_series(200, 0.8, 0.5, 1), noise = normal_series(200, 0.02, 0.05, 2);
  Series b = a;
  for (size_t i = 0; i < b.size(); ++i) *b[i] += *noise[i];
  const auto resampled = bootstrap({mean_of(a), mean_of(b)});
  const Estimate of_a = *estimate(resampled[0]), of_b = *estimate(resampled[1]),
                 change = *estimate(difference(resampled[1], resampled[0])),
                 none = *estimate(difference(resampled[0], resampled[0]));
  EXPECT_GT(of_a.interval.high, of_b.interval.low);  // alone: no difference
  EXPECT_GT(change.interval.low, 0);                 // in pairs: one
  EXPECT_LT(change.p_value, 0.01);
  EXPECT_NEAR(change.value, of_b.value - of_a.value, 1e-12);
  EXPECT_EQ(none.value, 0);
  EXPECT_EQ(none.p_value, 1);
}

TEST(Bootstrap, IsTheSameForAnyNumberOfThreads) {
  const std::vector<Quotient> quotients = {mean_of(normal_series(57, 1, 0.1, 3)),
                                           mean_of(normal_series(57, 2, 0.4, 4))};
  set_num_threads(1);
  const auto one = bootstrap(quotients);
  set_num_threads(3);
  const auto three = bootstrap(quotients);
  const auto other_seed = bootstrap(quotients, 2);
  set_num_threads(0);
  for (size_t q = 0; q < quotients.size(); ++q) {
    EXPECT_EQ(one[q].draws, three[q].draws);
    EXPECT_NE(one[q].draws, other_seed[q].draws);
  }
  EXPECT_TRUE(bootstrap({}).empty());
}

// ---- estimates

TEST(EstimateOf, LeavesOutWhatIsNotDefined) {
  Series few(5);
  few[2] = 0.5;
  const auto e = estimate_of(mean_of(few));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->clusters, 1);
  EXPECT_EQ(e->interval.low, 0.5);
  EXPECT_EQ(e->interval.high, 0.5);
  EXPECT_FALSE(estimate_of(mean_of(Series(5))));
  EXPECT_FALSE(estimate_of(mean_of({})));
  EXPECT_FALSE(estimate({INFINITY, {1, 2}}));
}

// Exactly: of 99 draws 2 are below the interval and 2 above it; the p-value counts both sides.
// Draws of it are all the same, and none is beyond 0.
TEST(EstimateOf, OneClusterSaysNothingOfOthers) {
  const auto p_of = [](const std::vector<int>& clusters) {
    return estimate(bootstrap({mean_quotient({1.0, 2.0, 3.0}, clusters)})[0])->p_value;
  };
  EXPECT_EQ(p_of({0, 0, 0}), 1);
  EXPECT_LT(p_of({0, 1, 2}), 0.1);
}

TEST(EstimateOf, ByHand) {
  Resampled x{50, {}, 7};
  for (int i = 99; i >= 1; --i) x.draws.push_back(i);
  const Estimate e = *estimate(x);
  EXPECT_EQ(e.value, 50);
  EXPECT_EQ(e.clusters, 7);
  EXPECT_EQ(e.interval.low, 3);
  EXPECT_EQ(e.interval.high, 97);
  EXPECT_DOUBLE_EQ(e.p_value, 2.0 / 100);  // no draw at or below 0
  for (double& draw : x.draws) draw -= 95;
  EXPECT_DOUBLE_EQ(estimate(x)->p_value, 2.0 * (1 + 5) / 100);  // 0 to 4 are not below it
  for (double& draw : x.draws) draw = -draw;
  EXPECT_DOUBLE_EQ(estimate(x)->p_value, 2.0 * (1 + 5) / 100);  // the same from the other side
}

TEST(EstimateOf, SeedsAndFunctions) {
  const Resampled a{1, {1, 2, 3}, 4}, b{3, {5, 6, 10}, 4};
  EXPECT_EQ(over_seeds({&a, &b}).value, 2);
  EXPECT_EQ(over_seeds({&a}).draws, a.draws);  // of one seed nothing is known of others
  EXPECT_EQ(difference(b, a).draws, (std::vector<double>{4, 4, 7}));
  EXPECT_EQ(difference(b, a).value, 2);
  EXPECT_EQ(exponential({0, {0, 1}}).draws, (std::vector<double>{1, std::exp(1.0)}));
  EXPECT_EQ(exponential({0, {0, 1}}).value, 1);
}

// Seeds that differ and clusters that do not: what is left is the spread of seeds, and the standard
// error of a mean of n is deviation / sqrt(n), with few seeds too.
TEST(OverSeeds, HasTheStandardErrorOfAMeanOverSeeds) {
  for (const size_t n : {2, 3, 5}) {
    std::vector<Resampled> seeds(n);
    std::vector<double> values;
    for (size_t s = 0; s < n; ++s) {
      const double value = static_cast<double>((s * s) % 7) + 1;
      seeds[s] = {value, std::vector<double>(20000, value), 4};
      values.push_back(value);
    }
    std::vector<const Resampled*> pointers;
    for (const Resampled& seed : seeds) pointers.push_back(&seed);
    const Resampled mean = over_seeds(pointers);
    const Spread drawn = *spread(mean.draws), of_seeds = *spread(values);
    EXPECT_NEAR(mean.value, of_seeds.mean, 1e-12);
    EXPECT_NEAR(drawn.mean, of_seeds.mean, 0.03);
    EXPECT_NEAR(*drawn.deviation, *of_seeds.deviation / std::sqrt(n), 0.03 * *of_seeds.deviation)
        << n;
  }
}

// Resamples that are drawn later, to sharpen a p-value, draw seeds of their own.
TEST(OverSeeds, LaterResamplesAreNotTheFirstOnesAgain) {
  const Resampled a{1, std::vector<double>(100, 1), 4}, b{3, std::vector<double>(100, 3), 4};
  const std::vector<double> first = over_seeds({&a, &b}, 0).draws,
                            later = over_seeds({&a, &b}, 40).draws,
                            others = over_seeds({&a, &b}, 1000).draws;
  EXPECT_EQ(std::vector<double>(later.begin(), later.begin() + 60),
            std::vector<double>(first.begin() + 40, first.end()));
  EXPECT_NE(others, first);
}

// Two models that differ by the same in each seed: their difference is sure, however seeds vary.
TEST(OverSeeds, DifferencesArePaired) {
  const Resampled a{1, {1, 2}, 4}, b{9, {7, 6}, 4}, a1{2, {2, 3}, 4}, b1{10, {8, 7}, 4};
  const Resampled change = difference(over_seeds({&a1, &b1}), over_seeds({&a, &b}));
  for (const double draw : change.draws) EXPECT_NEAR(draw, 1, 1e-12);
}

// ---- corrections and spreads

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

// ---- few numbers

// Quantiles of Student's distribution as printed in tables, of 1, 2, 3, 4 and 9 degrees of freedom.
TEST(StudentsInterval, HasTheQuantilesOfTables) {
  for (const auto& [n, quantile] :
       {std::pair(2, 12.706205), {3, 4.302653}, {4, 3.182446}, {5, 2.776445}, {10, 2.262157}}) {
    std::vector<double> values(static_cast<size_t>(n), 5.0);
    values[0] = 7;
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    const double error = *spread(values)->deviation / std::sqrt(n);
    const auto e = students_interval(values);
    ASSERT_TRUE(e);
    EXPECT_DOUBLE_EQ(e->value, mean);
    EXPECT_NEAR((e->interval.high - mean) / error, quantile, 1e-6) << n;
    EXPECT_NEAR((mean - e->interval.low) / error, quantile, 1e-6) << n;
  }
  // Of five such intervals: the quantile of 0.995, of 2 degrees.
  const auto five = students_interval({1, 2, 3}, 5);
  EXPECT_NEAR((five->interval.high - 2) * std::sqrt(3.0), 9.924843, 1e-6);
  EXPECT_EQ(students_interval({1.0}), std::nullopt);
}

TEST(EstimateOf, OneOfSeveralHasAWiderInterval) {
  Resampled x{.value = 0, .draws = {}, .clusters = 5};
  for (int i = 0; i < 1000; ++i) x.draws.push_back(i);
  EXPECT_EQ(estimate(x)->interval.low, 25);
  EXPECT_EQ(estimate(x)->interval.high, 974);
  EXPECT_EQ(estimate(x, 5)->interval.low, 5);
  EXPECT_EQ(estimate(x, 5)->interval.high, 994);
}

// 2 (1 + 0) / (1 + 3): of nine draws six are no numbers.
TEST(Sides, CountNumbersOnly) {
  Resampled x{1, std::vector<double>(6, NAN), 9};
  x.draws.insert(x.draws.end(), {1, 2, 3});
  Sides sides;
  sides.add(x);
  EXPECT_EQ(sides.draws, 3);
  EXPECT_EQ(sides.above, 3);
  EXPECT_DOUBLE_EQ(sides.p_value(), 0.5);
}

}  // namespace
}  // namespace heed
