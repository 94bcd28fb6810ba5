#pragma once

#include "tensor/kernels/kernel.h"

// For logits x (rows, cols) and targets (rows), with m = max_j x_rj:
//   nll_r = ln sum_j exp(x_rj - m) - (x_r,target - m)
HEED_KERNEL(template <class T> void cross_entropy_forward(T* nll, const T* x,
                                                          const int32_t* targets, int64_t rows,
                                                          int64_t cols));
// dx_rj = dnll_r (softmax(x_r)_j - [j = target])
HEED_KERNEL(template <class T> void cross_entropy_backward(Out<T> dx, const T* x,
                                                           const int32_t* targets, const T* dnll,
                                                           int64_t rows, int64_t cols));
// Both at once: nll, and the logits become their own gradient x_rj <- softmax(x_r)_j - [j = target]
HEED_KERNEL(template <class T> void cross_entropy_in_place(T* nll, T* x, const int32_t* targets,
                                                           int64_t rows, int64_t cols));
