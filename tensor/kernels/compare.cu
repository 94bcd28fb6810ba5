#include "tensor/kernels/compare.h"

#include "tensor/cuda/launch.h"

namespace heed::gpu {

template <class Op, class T> void compare(int32_t* y, const T* a, const T* b, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = Op::holds(a[i], b[i]); });
}

HEED_INSTANTIATE_COMPARISON(Equal)
HEED_INSTANTIATE_COMPARISON(NotEqual)
HEED_INSTANTIATE_COMPARISON(Less)
HEED_INSTANTIATE_COMPARISON(LessEqual)

}  // namespace heed::gpu
