// A reviewer's questions: how certain are the numbers, and is the difference of two more than
// chance? All numbers here are quotients of two sums over dialogues: a mean, a ratio of means.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

// A number for each test dialogue; nothing if it is not defined. All series of an experiment have
// the same dialogues in the same order.
using Series = std::vector<std::optional<double>>;

struct Interval {
  double low = 0, high = 0;
};

// The number of dialogues in the largest cluster; cluster[d] is that of dialogue d, from 0.
size_t largest_cluster(const std::vector<int>& cluster);

// sum over dialogues of `top` / sum of `bottom`, each already summed within each cluster.
struct Quotient {
  std::vector<double> top, bottom;  // one for each cluster
};
// Over the dialogues for which both are defined; cluster[d] is that of dialogue d, from 0.
Quotient quotient(const Series& top, const Series& bottom, const std::vector<int>& cluster);
// Mean of the values that are defined; or of those for which `only` is defined, too.
Quotient mean_quotient(const Series& values, const std::vector<int>& cluster);
Quotient mean_quotient(const Series& values, const Series& only, const std::vector<int>& cluster);

// A number of the test set, and the same of kResamples resampled test sets. NaN if the bottom of a
// quotient is 0.
struct Resampled {
  double value = 0;
  std::vector<double> draws;
  int64_t clusters = 0;  // that contribute to it
};

// The cluster bootstrap (Davison & Hinkley 1997, 3.8): clusters are drawn with replacement, as many
// as there are, and both sums are recomputed; kResamples times. Dialogues of a cluster, which are
// not independent, are in or out together. All quotients are resampled by the same draws, so that
// differences are paired. The draws are a function of (seed, number of the resample, position), so
// the result is the same everywhere and for any number of threads.
constexpr int64_t kResamples = 10000;
// How many quotients one call should have: their draws, 80 kB each, are in memory together.
constexpr size_t kQuotientsAtOnce = 300;
// `first`: kResamples more, starting with that one.
std::vector<Resampled> bootstrap(const std::vector<Quotient>& quotients, uint64_t seed = 1,
                                 int64_t first = 0);
// How often each of n clusters is drawn in its resamples first, first + 1, ...: f64 (count, n).
Tensor draw_counts(int64_t n, int64_t first, int64_t count, uint64_t seed);

// The mean over n seeds, of which each draw takes n with replacement: with the clusters, a
// two-level bootstrap (Davison & Hinkley 1997, 3.8). The variance of resamples of so few seeds is
// too small, by the factor (n - 1) / n, so the deviation of a draw from the mean of all is
// multiplied by sqrt(n / (n - 1)). Two models of n seeds each are drawn alike: their difference is
// paired. `first`: that of the bootstrap.
Resampled over_seeds(const std::vector<const Resampled*>& of_seeds, int64_t first = 0);
// The same for each draw: difference of two models, exp.
Resampled difference(const Resampled& a, const Resampled& b);
Resampled exponential(Resampled x);

// Draws of a difference, by the side of 0 that they are on; a draw of 0 is on both.
struct Sides {
  int64_t below = 0, above = 0, draws = 0;

  void add(const Resampled& of);  // the draws that are not NaN
  int64_t fewer() const { return std::min(below, above); }
  // Two-sided p-value of "it is 0": 2 (1 + fewer()) / (1 + draws), at most 1.
  double p_value() const;
};

struct Estimate {
  double value = 0;
  int64_t clusters = 0;
  Interval interval;  // 95 %, percentiles of the draws: 2.5 % of them are below it, 2.5 % above
  // For "it is 0" (differences), see Sides.
  double p_value = 1;
};
// Nothing if the value is not finite. `tried`: it is one of so many estimates, all of whose
// intervals contain their values with 95 % together (Bonferroni).
std::optional<Estimate> estimate(const Resampled& x, size_t tried = 1);
// For the mean of a few independent numbers: mean -+ t s / sqrt(n), t the quantile of Student's
// distribution with n - 1 degrees of freedom. Nothing for fewer than two.
std::optional<Estimate> students_interval(const std::vector<double>& values, size_t tried = 1);

// Holm's step-down correction of a family of p-values: the smallest times their number, the next
// one times one less, ..., never decreasing, at most 1.
std::vector<double> holm(const std::vector<double>& p_values);

// Mean and standard deviation (of a sample; nothing for fewer than two).
struct Spread {
  double mean = 0;
  std::optional<double> deviation;
};
std::optional<Spread> spread(const std::vector<double>& values);

}  // namespace heed
