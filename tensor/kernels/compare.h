#pragma once

#include "tensor/kernels/kernel.h"

// y = 1 where Op holds for a and b, else 0; of f32, f64 and i32. A NaN is not equal to anything.
HEED_KERNEL(template <class Op, class T>
            void compare(int32_t* y, const T* a, const T* b, int64_t n));

namespace heed {
struct Equal {
  template <class T> HEED_HD static bool holds(T a, T b) { return a == b; }
};
struct NotEqual {
  template <class T> HEED_HD static bool holds(T a, T b) { return a != b; }
};
struct Less {
  template <class T> HEED_HD static bool holds(T a, T b) { return a < b; }
};
struct LessEqual {
  template <class T> HEED_HD static bool holds(T a, T b) { return a <= b; }
};
}  // namespace heed

// For the end of compare.cc and compare.cu.
#define HEED_INSTANTIATE_COMPARISON_OF(Op, T) \
  template void compare<Op>(int32_t*, const T*, const T*, int64_t);
#define HEED_INSTANTIATE_COMPARISON(Op)      \
  HEED_INSTANTIATE_COMPARISON_OF(Op, float)  \
  HEED_INSTANTIATE_COMPARISON_OF(Op, double) \
  HEED_INSTANTIATE_COMPARISON_OF(Op, int32_t)
