#include "tensor/kernels/gather.h"

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

template <class T>
void gather_rows(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width) {
  for_each(n * width, [=] __device__(int64_t i) { y[i] = x[ids[i / width] * width + i % width]; });
}

// Atomic additions would come in another order every time. Here a block has 32 columns of a group,
// and its threads below each other share out the rows.
template <class T>
__global__ void add_groups_kernel(Out<T> y, const T* x, const int32_t* places,
                                  const int32_t* starts, const int32_t* order, int64_t width) {
  const int64_t strips = (width + kWarp - 1) / kWarp, g = blockIdx.x / strips;
  const int64_t col = blockIdx.x % strips * kWarp + threadIdx.x;
  T sum = 0;
  for (int64_t i = starts[g] + threadIdx.y; i < starts[g + 1] && col < width; i += kDown) {
    sum += x[int64_t{order[i]} * width + col];
  }
  sum = column_sum(sum);
  if (threadIdx.y == 0 && col < width) y.put((places ? places[g] : g) * width + col, sum);
}

template <class T>
void add_groups(Out<T> y, const T* x, const int32_t* places, const int32_t* starts,
                const int32_t* order, int64_t groups, int64_t width) {
  const int64_t strips = (width + kWarp - 1) / kWarp;
  launch<add_groups_kernel<T>>({groups * strips, dim3(kWarp, kDown)}, y, x, places, starts, order,
                               width);
}

HEED_INSTANTIATE(gather_rows);
HEED_INSTANTIATE(add_groups);

}  // namespace heed::gpu
