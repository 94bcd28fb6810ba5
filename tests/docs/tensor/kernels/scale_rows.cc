#include "tensor/kernels/scale_rows.h"

#include "tensor/parallel.h"

namespace heed::cpu {

template <class T> void scale_rows(T* y, const T* x, const T* s, int64_t rows, int64_t cols) {
  parallel_ranges(rows * cols, /*grain=*/16384, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = x[i] * s[i / cols];
  });
}

HEED_INSTANTIATE(scale_rows);

}  // namespace heed::cpu
