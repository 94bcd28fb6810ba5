#pragma once

#include "tensor/kernels/kernel.h"

// nll_r = ln sum_j exp(x_rj) - x_r,target     for logits x (rows, cols) and targets (rows)
// Where with_grad, the logits become their own gradient: x_rj <- softmax(x_r)_j - [j = target].
HEED_KERNEL(template <class T> void cross_entropy_rows(T* nll, T* x, const int32_t* targets,
                                                       int64_t rows, int64_t cols, bool with_grad));
// dx_rj += dnll_r (softmax(x_r)_j - [j = target])
HEED_KERNEL(template <class T> void cross_entropy_backward(T* dx, const T* x,
                                                           const int32_t* targets, const T* dnll,
                                                           int64_t rows, int64_t cols));
