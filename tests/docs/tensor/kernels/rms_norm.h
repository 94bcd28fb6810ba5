#pragma once

#include "tensor/kernels/kernel.h"

// Over the rows of x (rows, cols), with r = 1 / sqrt(mean_j x_j^2 + eps):
//   y_i = x_i r                              forward saves r, (rows)
//   dx_i = r (dy_i - y_i mean_j(dy_j y_j))
HEED_KERNEL(template <class T>
            void rms_norm_forward(T* y, T* r, const T* x, T eps, int64_t rows, int64_t cols));
HEED_KERNEL(template <class T> void rms_norm_backward(Out<T> dx, const T* y, const T* r,
                                                      const T* dy, int64_t rows, int64_t cols));
