#include "tensor/kernels/index.h"

#include "tensor/cuda/launch.h"

namespace heed::gpu {

template <class T>
void gather_along(Out<T> y, const T* x, const int32_t* ids, int64_t outer, int64_t n, int64_t m,
                  int64_t inner) {
  for_each(outer * m * inner, [=] __device__(int64_t at) {
    const int64_t o = at / (m * inner), i = at % inner;
    y.put(at, x[(o * n + ids[at]) * inner + i]);
  });
}

// A thread for each column, so that equal indices are added in order.
template <class T>
void scatter_along(T* y, const T* x, const int32_t* ids, int64_t outer, int64_t n, int64_t m,
                   int64_t inner) {
  for_each(outer * inner, [=] __device__(int64_t column) {
    const int64_t o = column / inner, i = column % inner;
    for (int64_t j = 0; j < m; ++j) {
      const int64_t at = (o * m + j) * inner + i;
      y[(o * n + ids[at]) * inner + i] += x[at];
    }
  });
}

template <class T> void one_hot(T* y, const int32_t* ids, int64_t n, int64_t classes) {
  for_each(n * classes,
           [=] __device__(int64_t i) { y[i] = ids[i / classes] == i % classes ? T(1) : T(0); });
}

HEED_INSTANTIATE(gather_along);
HEED_INSTANTIATE(scatter_along);
HEED_INSTANTIATE(one_hot);

}  // namespace heed::gpu
