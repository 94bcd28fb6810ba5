#pragma once

#include "tensor/kernels/kernel.h"

// y_ri = x_ri s_r.   x, y (rows, cols), s (rows)
HEED_KERNEL(template <class T>
            void scale_rows(T* y, const T* x, const T* s, int64_t rows, int64_t cols));
