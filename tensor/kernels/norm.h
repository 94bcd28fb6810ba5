#pragma once

#include "tensor/kernels/kernel.h"

// Layer normalisation of the rows of x (rows, cols):
//   z = (x - mean) r,  r = 1 / sqrt(var + eps),  y = z gain + bias
//   dx = r (d - mean(d) - z mean(d z)),  d = dy gain
//   dgain += sum_rows dy z,  dbias += sum_rows dy
// forward saves mean and r, (rows, 2).
HEED_KERNEL(template <class T> void layer_norm_forward(T* y, T* saved, const T* x, const T* gain,
                                                       const T* bias, T eps, int64_t rows,
                                                       int64_t cols));
HEED_KERNEL(template <class T> void layer_norm_backward(Out<T> dx, const T* x, const T* gain,
                                                        const T* saved, const T* dy, int64_t rows,
                                                        int64_t cols));
// dgain or dbias may be null; where dgain is, x may be.
HEED_KERNEL(template <class T> void layer_norm_parameters(T* dgain, T* dbias, const T* x,
                                                          const T* saved, const T* dy, int64_t rows,
                                                          int64_t cols));
