#pragma once

#include "tensor/kernels/kernel.h"

// y (n, width): y_i = x[ids_i]      x (rows, width)
HEED_KERNEL(template <class T>
            void gather_rows(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width));
// y[ids_i] += x_i, in the order of i, so that the sum is the same in every run
HEED_KERNEL(template <class T>
            void scatter_add_rows(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width));
