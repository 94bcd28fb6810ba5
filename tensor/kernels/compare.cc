#include "tensor/kernels/compare.h"

#include "tensor/parallel.h"

namespace heed::cpu {

template <class Op, class T> void compare(int32_t* y, const T* a, const T* b, int64_t n) {
  parallel_ranges(n, 16384, [=](int64_t begin, int64_t end) {
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) y[i] = Op::holds(a[i], b[i]);
  });
}

HEED_INSTANTIATE_COMPARISON(Equal)
HEED_INSTANTIATE_COMPARISON(NotEqual)
HEED_INSTANTIATE_COMPARISON(Less)
HEED_INSTANTIATE_COMPARISON(LessEqual)

}  // namespace heed::cpu
