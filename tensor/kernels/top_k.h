#pragma once

#include "tensor/kernels/kernel.h"

// The k largest logits of each row of x (rows, cols), 1 <= k <= cols: the largest first, equal ones
// by column, NaN counts as -infinity. Writes their columns to ids (rows, k), and to log_probs the
// values of log_softmax() there, without writing a row as long as a vocabulary:
//   log p_i = x_i - ln sum_j exp(x_j)
// In f64, for sums over many steps. One NaN makes all log p of its row NaN. The GPU reads a row
// 2 k times, so k should be small.
HEED_KERNEL(template <class T> void top_k_log_softmax(double* log_probs, int32_t* ids, const T* x,
                                                      int64_t rows, int64_t cols, int64_t k));
