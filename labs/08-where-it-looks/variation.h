// The variations of lab 8 (README.md, section variation). You write yours in variation.cc.
#pragma once

#include <cstdint>

namespace heed::lab {

// Other ratios of what distractions get to what the history gets, from the scores of q utterances,
// the last of which is the query and counts for neither. False, and nothing written, where one side
// has no utterance. The numbers are your own, and so is which of the two is yours: labs/heed-lab id
// NAME.

// The quantile u of the scores of distractions over the quantile v of those of the history. Of
// sorted x_0 .. x_{n-1}: with t = u (n - 1), i = floor(t), it is x_i + (t - i) (x_{i+1} - x_i).
bool quantile_ratio(double* ratio, const double* scores, const bool* is_distraction, int64_t q);

// A mean of each side, in which utterance k weighs r^(q - 2 - k), s in place of r in the history:
// the newest one weighs 1.
bool weighted_ratio(double* ratio, const double* scores, const bool* is_distraction, int64_t q);

}  // namespace heed::lab
