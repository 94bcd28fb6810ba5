#include "tensor/kernels/index.h"

#include "tensor/kernels/columns.h"

namespace heed::cpu {

template <class T>
void gather_along(Out<T> y, const T* x, const int32_t* ids, int64_t outer, int64_t n, int64_t m,
                  int64_t inner) {
  for_each_strip(outer, m, inner, [=](int64_t o, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < m; ++j) {
      const int64_t row = (o * m + j) * inner;
      for (int64_t i = begin; i < end; ++i) {
        y.put(row + i, x[(o * n + ids[row + i]) * inner + i]);
      }
    }
  });
}

template <class T>
void scatter_along(T* y, const T* x, const int32_t* ids, int64_t outer, int64_t n, int64_t m,
                   int64_t inner) {
  for_each_strip(outer, m, inner, [=](int64_t o, int64_t begin, int64_t end) {
    for (int64_t j = 0; j < m; ++j) {
      const int64_t row = (o * m + j) * inner;
      for (int64_t i = begin; i < end; ++i) y[(o * n + ids[row + i]) * inner + i] += x[row + i];
    }
  });
}

template <class T> void one_hot(T* y, const int32_t* ids, int64_t n, int64_t classes) {
  for_each_strip(n, classes, 1, [=](int64_t i, int64_t, int64_t) {
    std::fill_n(y + i * classes, classes, T(0));
    y[i * classes + ids[i]] = T(1);
  });
}

HEED_INSTANTIATE(gather_along);
HEED_INSTANTIATE(scatter_along);
HEED_INSTANTIATE(one_hot);

}  // namespace heed::cpu
