#include "tensor/kernels/index.h"

#include "tensor/kernels/each.h"

namespace heed::HEED_BACKEND {

template <class T>
void gather_along(Out<T> y, const T* x, const int32_t* ids, int64_t outer, int64_t n, int64_t m,
                  int64_t inner) {
  put_rows(y, inner, outer * m, inner, [=] HEED_DEVICE(int64_t row, int64_t i) {
    return x[(row / m * n + ids[row * inner + i]) * inner + i];
  });
}

// A column belongs to one thread, so that equal indices are added in order.
template <class T>
void scatter_along(T* y, const T* x, const int32_t* ids, int64_t outer, int64_t n, int64_t m,
                   int64_t inner) {
  for_each_strip(outer, m, inner, [=] HEED_DEVICE(int64_t o, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < m; ++j) {
      const int64_t row = (o * m + j) * inner;
      for (int64_t i = begin; i < end; ++i) y[(o * n + ids[row + i]) * inner + i] += x[row + i];
    }
  });
}

template <class T>
void gather_rows(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width) {
  put_rows<T>(y, width, n, width,
              [=] HEED_DEVICE(int64_t i, int64_t c) { return x[ids[i] * width + c]; });
}

HEED_INSTANTIATE(gather_along, scatter_along, gather_rows);
HEED_INSTANTIATE_I32(gather_along, gather_rows);

}  // namespace heed::HEED_BACKEND
