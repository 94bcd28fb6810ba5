// What a reviewer asks for: how sure are the means, and is the difference of two more than chance?
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

// A number for each test dialogue; nothing where it is not defined. All series of an experiment
// have the same dialogues in the same order.
using Series = std::vector<std::optional<double>>;

struct Interval {
  double low = 0, high = 0;
};

struct Estimate {
  double mean = 0;
  int64_t dialogues = 0;  // that have a value
  Interval interval;      // 95 %, percentile bootstrap over dialogues
  // Two-sided p-value of "the mean is 0" (for differences of pairs):
  //   p = 2 (1 + min(#resamples with mean <= 0, # with mean >= 0)) / (1 + resamples), at most 1
  double p_value = 1;
};

// Mean over the seeds of a dialogue's values; nothing if one of them is missing.
Series mean_series(const std::vector<const Series*>& of_seeds);
// a - b where both are defined.
Series difference(const Series& a, const Series& b);

// The bootstrap (Efron & Tibshirani 1993, chapter 13): dialogues are drawn with replacement, as
// many as there are, and the mean is taken anew; kResamples times. All series are resampled by the
// same draws, so that differences are paired. The draws are a function of (seed, number of the
// resample, place), so the result is the same everywhere and for any number of threads.
// No estimate for a series without a value.
constexpr int64_t kResamples = 10000;
std::vector<std::optional<Estimate>> bootstrap(const std::vector<Series>& series,
                                               uint64_t seed = 1);

// Holm's step-down correction of a family of p-values: the smallest times their number, the next
// one times one less, ..., never decreasing, at most 1.
std::vector<double> holm(const std::vector<double>& p_values);

// Mean and standard deviation (of a sample; nothing for less than two).
struct Spread {
  double mean = 0;
  std::optional<double> deviation;
};
std::optional<Spread> spread(const std::vector<double>& values);

}  // namespace heed
