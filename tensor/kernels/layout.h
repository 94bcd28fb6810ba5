#pragma once

#include "tensor/kernels/kernel.h"

// Swaps axes 1 and 3: x (outer, a, mid, b, inner) -> y (outer, b, mid, a, inner). Its gradient is
// the reverse swap. Of i32 too.
HEED_KERNEL(template <class T> void swap_axes(Out<T> y, const T* x, int64_t outer, int64_t a,
                                              int64_t mid, int64_t b, int64_t inner));

// y = `count` arrays, concatenated; of i32 too. The list of arrays is on the host.
HEED_KERNEL(template <class T> void join(T* y, const Values<T>* arrays, int64_t count));

// Broadcasting: y[i0, .., i5] = x[i0 * s0 + .. + i5 * s5] over the six sizes of y; a stride of 0
// repeats x along that axis, and the last stride is 0 or 1. Of i32 too.
namespace heed {
struct Broadcast {
  int64_t size[6], stride[6];
};
}  // namespace heed
HEED_KERNEL(template <class T> void expand_forward(T* y, const T* x, const Broadcast& map));
// y (n, classes): y_ic = [c = ids_i]
HEED_KERNEL(template <class T> void one_hot(T* y, const int32_t* ids, int64_t n, int64_t classes));
