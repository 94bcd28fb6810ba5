#pragma once

#include "tensor/kernels/kernel.h"

// Ragged rows to one row per segment: y (segments, width) of x (rows, width). Segment b has
// offsets[b + 1] - offsets[b] rows, from starts[b] on.
//   mean:  y_b = sum_j x_j / length      dx_j += dy_b / length
HEED_KERNEL(template <class T> void segment_mean_forward(T* y, const T* x, const int32_t* offsets,
                                                         const int32_t* starts, int64_t segments,
                                                         int64_t width));
HEED_KERNEL(template <class T>
            void segment_mean_backward(T* dx, const T* dy, const int32_t* offsets,
                                       const int32_t* starts, int64_t segments, int64_t width));
//   max:   y_b = max_j x_j, element by element, where = the row of x of the first maximum, or of a
//          NaN;   its gradient is scatter_along() of index.h
HEED_KERNEL(template <class T>
            void segment_max_forward(T* y, int32_t* where, const T* x, const int32_t* offsets,
                                     const int32_t* starts, int64_t segments, int64_t width));
