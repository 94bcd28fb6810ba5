// The variations of lab 9 (README.md, section variation). You write yours in variation.cc.
#pragma once

#include "labs/09-a-kernel/kernels.h"

namespace heed::lab {

// The logarithm of a masked sum of exponentials. x (rows, cols) has a row of scores for each
// utterance of a dialogue and a column for each word; words s r to s (r + 1) - 1 are those of
// utterance r.
//   y_r = p ln sum_c e^(x_rc / p), over the columns c that row r sees; -infinity if it sees none
// Scores may be in the thousands. Those that a row does not see have no value, and are not read.
// p and s are your own, and so is which of the two masks is yours: labs/heed-lab id NAME. Each of
// the functions launches kernels, with a block for each row.

// Row r sees the words of earlier utterances, c < s r.
void log_sum_exp_of_earlier(Float* y, const Float* x, int64_t rows, int64_t cols);
// Row r sees the words of its own utterance, s r <= c < s (r + 1).
void log_sum_exp_of_own(Float* y, const Float* x, int64_t rows, int64_t cols);

}  // namespace heed::lab
