#pragma once

#include "tensor/kernels/kernel.h"

// For logits x (rows, cols) and targets (rows), with m = max_j x_rj, p_r = softmax(x_r) and label
// smoothing e:
//   nll_r  = ln sum_j exp(x_rj - m) - (x_r,target - m)
//   loss_r = (1 - e) nll_r + e mean_j(-ln p_rj) = nll_r + e (x_r,target - mean_j x_rj)
HEED_KERNEL(template <class T> void cross_entropy_forward(T* loss, const T* x,
                                                          const int32_t* targets, T smoothing,
                                                          int64_t rows, int64_t cols));
// dx_rj = dloss_r (p_rj - (1 - e) [j = target] - e / cols)
HEED_KERNEL(template <class T>
            void cross_entropy_backward(Out<T> dx, const T* x, const int32_t* targets, T smoothing,
                                        const T* dloss, int64_t rows, int64_t cols));
// All at once: nll, the loss of a row times its weight w_r (1 where `weights` is null; where e is
// 0, too, nll and loss may be the same memory), and the logits become their own gradient
//   x_rj <- w_r (p_rj - (1 - e) [j = target] - e / cols)
HEED_KERNEL(template <class T>
            void cross_entropy_in_place(T* nll, T* loss, T* x, const int32_t* targets,
                                        const T* weights, T smoothing, int64_t rows, int64_t cols));
