#include "tensor/kernels/gather.h"

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

template <class T>
void gather_rows(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width) {
  for_each(n * width, [=] __device__(int64_t i) { y[i] = x[ids[i / width] * width + i % width]; });
}

constexpr int kThreads = 128;  // columns of a block

// Atomic additions would come in another order every time. Here the block of the first of several
// equal ids adds all their rows, in order, and the blocks of the others have nothing to do. That
// takes n^2 / 2 comparisons of ids, but those of a batch are few: for 10 000 of them far less than
// to read the rows.
template <class T>
__global__ void scatter_add_kernel(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width) {
  const int64_t strips = (width + kThreads - 1) / kThreads;
  const int64_t first = blockIdx.x / strips, id = ids[first];
  const int64_t col = blockIdx.x % strips * kThreads + threadIdx.x;
  int seen = 0;
  for (int64_t i = threadIdx.x; i < first; i += kThreads) seen |= ids[i] == id;
  if (block_max(seen)) return;
  T sum = col < width ? y[id * width + col] : T(0);
  for (int64_t group = first; group < n; group += kWarp) {  // every warp looks at 32 ids at once
    const int64_t mine = group + threadIdx.x % kWarp;
    unsigned same = __ballot_sync(kAllLanes, mine < n && ids[mine] == id);
    for (; same; same &= same - 1) {  // clears the lowest bit
      const int64_t i = group + __ffs(static_cast<int>(same)) - 1;
      if (col < width) sum += x[i * width + col];
    }
  }
  if (col < width) y[id * width + col] = sum;
}

template <class T>
void scatter_add_rows(T* y, const T* x, const int32_t* ids, int64_t n, int64_t width) {
  const int64_t strips = (width + kThreads - 1) / kThreads;
  launch<scatter_add_kernel<T>>({n * strips, kThreads}, y, x, ids, n, width);
}

HEED_INSTANTIATE(gather_rows);
HEED_INSTANTIATE(scatter_add_rows);

}  // namespace heed::gpu
