#pragma once

#include "tensor/kernels/kernel.h"

// Reductions of x (outer, n, inner) over the middle axis to y (outer, inner).
//   sum:  y = scale * sum_j x_j         its gradient is spread() of elementwise.h
HEED_KERNEL(template <class T> void sum_forward(T* y, const T* x, double scale, int64_t outer,
                                                int64_t n, int64_t inner));
//   max:  y = max_j x_j, where = the first j of the maximum, or of a NaN (of i32 too);
//         its gradient is scatter_along() of index.h
HEED_KERNEL(template <class T> void max_forward(T* y, int32_t* where, const T* x, int64_t outer,
                                                int64_t n, int64_t inner));
//   prod: y = prod_j x_j, before_j = prod_{k<j} x_k;   dx_j = dy before_j prod_{k>j} x_k, which is
//         right where elements are zero, as it divides by none
HEED_KERNEL(template <class T> void prod_forward(T* y, T* before, const T* x, int64_t outer,
                                                 int64_t n, int64_t inner));
HEED_KERNEL(template <class T> void prod_backward(Out<T> dx, const T* x, const T* before,
                                                  const T* dy, int64_t outer, int64_t n,
                                                  int64_t inner));
// Over the middle axis, y of the shape of x:   y_j = sum_{k <= j} x_k, or over k >= j if `reverse`
HEED_KERNEL(template <class T> void cumsum(Out<T> y, const T* x, int reverse, int64_t outer,
                                           int64_t n, int64_t inner));
// db (cols) += the sum over the rows of dy (rows, cols)
HEED_KERNEL(template <class T> void sum_rows(T* db, const T* dy, int64_t rows, int64_t cols));

namespace heed {
// Whether the maximum moves on to x: if x is larger, or the first NaN.
template <class T> HEED_HD bool beats(T x, T best) {
  return !(x <= best) && best == best;  // NOLINT(misc-redundant-expression): a NaN is not itself
}
}  // namespace heed
