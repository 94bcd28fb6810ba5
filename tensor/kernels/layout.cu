#include "tensor/kernels/layout.h"

#include "tensor/cuda/arrays.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

// By the elements of y, so that writes are to neighbours; reads are in runs of `inner`.
template <class T>
void swap_axes(Out<T> y, const T* x, int64_t outer, int64_t a, int64_t mid, int64_t b,
               int64_t inner) {
  for_each(outer * b * mid * a * inner, [=] __device__(int64_t to) {
    const int64_t k = to % inner, row = to / inner;  // row: of (outer, b, mid, a)
    const int64_t i = row % a, m = row / a % mid;
    const int64_t j = row / (a * mid) % b, o = row / (a * mid * b);
    y.put(to, x[(((o * a + i) * mid + m) * b + j) * inner + k]);
  });
}

constexpr int64_t kPiece = 2048;  // elements that one block copies
constexpr int kThreads = 256;

template <class T> __global__ void join_kernel(T* y, Arrays<T, kPiece> arrays) {
  const auto [x, begin, end, before] = arrays.piece(blockIdx.x);
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) y[before + i] = x[i];
}

template <class T> void join(T* y, const Values<T>* arrays, int64_t count) {
  Arrays<T, kPiece> some;
  for (int64_t i = 0; i < count; y += some.elements()) {
    i = some.take(arrays, i, count);
    launch<join_kernel<T>>({some.pieces(), kThreads}, y, some);
  }
}

template <class T> void expand_forward(T* y, const T* x, const Broadcast& map) {
  int64_t n = 1;
  for (int64_t size : map.size) n *= size;
  for_each(n, [=] __device__(int64_t to) {
    int64_t from = 0, rest = to;
    for (int axis = 5; axis >= 0; --axis) {
      from += rest % map.size[axis] * map.stride[axis];
      rest /= map.size[axis];
    }
    y[to] = x[from];
  });
}

template <class T> void one_hot(T* y, const int32_t* ids, int64_t n, int64_t classes) {
  for_each(n * classes,
           [=] __device__(int64_t i) { y[i] = ids[i / classes] == i % classes ? T(1) : T(0); });
}

HEED_INSTANTIATE(swap_axes, join, expand_forward, one_hot);
HEED_INSTANTIATE_I32(swap_axes, join, expand_forward);

}  // namespace heed::gpu
