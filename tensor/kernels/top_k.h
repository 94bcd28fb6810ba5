#pragma once

#include "tensor/kernels/kernel.h"

// The k largest logits of each row of x (rows, cols), 1 <= k <= cols, largest first, equal ones by
// column, a NaN as -infinity. Their columns go to ids (rows, k), their log p to log_probs (rows,
// k),
//   log p_i = x_i - ln sum_j exp(x_j)
// which is log_softmax() without the other cols - k values, and so without writing a row as long as
// a vocabulary. In f64, for sums over many steps. One NaN makes all log p of its row NaN. On a GPU
// a row is read 2 k times: for few k.
HEED_KERNEL(template <class T> void top_k_log_softmax(double* log_probs, int32_t* ids, const T* x,
                                                      int64_t rows, int64_t cols, int64_t k));
