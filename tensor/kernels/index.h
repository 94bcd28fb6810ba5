#pragma once

#include "tensor/kernels/kernel.h"

// Along the middle axis, with ids (outer, m, inner):
// - gather_along: y[o, j, i] = x[o, ids[o, j, i], i], x (outer, n, inner), y (outer, m, inner);
// - scatter_along: y[o, ids[o, j, i], i] += x[o, j, i], x (outer, m, inner), y (outer, n, inner).
// scatter_along adds in the order of j.
HEED_KERNEL(template <class T> void gather_along(Out<T> y, const T* x, const int32_t* ids,
                                                 int64_t outer, int64_t n, int64_t m,
                                                 int64_t inner));
HEED_KERNEL(template <class T> void scatter_along(T* y, const T* x, const int32_t* ids,
                                                  int64_t outer, int64_t n, int64_t m,
                                                  int64_t inner));
// y (n, width): y_i = x[ids_i]      x (rows, width); of i32 too, as gather_along is
HEED_KERNEL(template <class T>
            void gather_rows(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width));
