#pragma once

#include "tensor/kernels/kernel.h"

// Over the rows of x (rows, cols), with m = max_j x_j:
//   softmax      y_i = exp(x_i - m) / sum_j exp(x_j - m)      dx_i = y_i (dy_i - sum_j y_j dy_j)
//   log_softmax  y_i = (x_i - m) - ln sum_j exp(x_j - m)      dx_i = dy_i - exp(y_i) sum_j dy_j
HEED_KERNEL(template <class T> void softmax_forward(T* y, const T* x, int64_t rows, int64_t cols));
HEED_KERNEL(template <class T>
            void softmax_backward(Out<T> dx, const T* y, const T* dy, int64_t rows, int64_t cols));
HEED_KERNEL(template <class T>
            void log_softmax_forward(T* y, const T* x, int64_t rows, int64_t cols));
HEED_KERNEL(template <class T> void log_softmax_backward(Out<T> dx, const T* y, const T* dy,
                                                         int64_t rows, int64_t cols));

// The same over ragged segments: segment s holds the elements [offsets[s], offsets[s + 1]).
HEED_KERNEL(template <class T> void segment_softmax_forward(T* y, const T* x,
                                                            const int32_t* offsets,
                                                            int64_t segments));
HEED_KERNEL(template <class T> void segment_softmax_backward(Out<T> dx, const T* y, const T* dy,
                                                             const int32_t* offsets,
                                                             int64_t segments));
