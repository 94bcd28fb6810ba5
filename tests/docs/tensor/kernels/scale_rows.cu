#include "tensor/kernels/scale_rows.h"

#include "tensor/cuda/launch.h"

namespace heed::gpu {

template <class T> void scale_rows(T* y, const T* x, const T* s, int64_t rows, int64_t cols) {
  for_each(rows * cols, [=] __device__(int64_t i) { y[i] = x[i] * s[i / cols]; });
}

HEED_INSTANTIATE(scale_rows);

}  // namespace heed::gpu
