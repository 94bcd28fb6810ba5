#include "tensor/kernels/scale_rows.h"

#include "tensor/kernels/each.h"

namespace heed::HEED_BACKEND {

template <class T> void scale_rows(T* y, const T* x, const T* s, int64_t rows, int64_t cols) {
  put_rows<T>(y, cols, rows, cols,
              [=] HEED_DEVICE(int64_t r, int64_t c) { return x[r * cols + c] * s[r]; });
}

HEED_INSTANTIATE(scale_rows);

}  // namespace heed::HEED_BACKEND
