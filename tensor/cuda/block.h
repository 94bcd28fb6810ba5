// Sums and maxima over the threads of a warp or of a block. The order of the additions is fixed, so
// that every run gives the same bits. All threads must call them; the number of threads of a block
// is a multiple of 32. All threads get the result.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tensor/cuda/launch.h"

namespace heed::gpu {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// Of two numbers, which may be elements of shared memory.
struct Sum {
  template <class A, class B, class T = std::common_type_t<A, B>>
  static __device__ T apply(A a, B b) {
    return T(a) + T(b);
  }
};
struct Max {
  template <class A, class B, class T = std::common_type_t<A, B>>
  static __device__ T apply(A a, B b) {
    const T x = a, y = b;
    return x > y ? x : y;
  }
};

// Pairs of lanes 16, 8, 4, 2 and 1 apart.
template <class Op, class T> __device__ T warp_reduce(T x) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    x = Op::apply(x, __shfl_xor_sync(kAllLanes, x, distance));
  }
  return x;
}

// First within each warp, then over the results of the warps, in order. For one-dimensional blocks.
template <class Op, class T> __device__ T block_reduce(T x) {
  HEED_SHARED(T, of_warp, 32);
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
  x = warp_reduce<Op>(x);
  if (warps == 1) return x;
  if (lane == 0) of_warp[warp] = x;
  __syncthreads();
  T result = of_warp[0];
  for (int i = 1; i < warps; ++i) result = Op::apply(result, of_warp[i]);
  __syncthreads();  // before the next call writes to of_warp
  return result;
}

template <class T> __device__ T block_sum(T x) {
  return block_reduce<Sum>(x);
}
template <class T> __device__ T block_max(T x) {
  return block_reduce<Max>(x);
}

// For sums down the columns of a matrix, with blocks of dim3(kWarp, kDown) threads: threadIdx.x is
// the column, so that a warp reads neighbouring elements, and x is a thread's sum of every kDown-th
// row.
constexpr int kDown = 8;
template <class T> __device__ T column_sum(T x) {
  HEED_SHARED(T, of_thread, kDown * kWarp);
  of_thread[threadIdx.y * kWarp + threadIdx.x] = x;
  __syncthreads();
  T sum = of_thread[threadIdx.x];
  for (int i = 1; i < kDown; ++i) sum += of_thread[i * kWarp + threadIdx.x];
  __syncthreads();  // before the next call writes to of_thread
  return sum;
}

// Threads for a block that works on one row: 32 to 256, about one for each four elements.
inline int row_threads(int64_t cols) {
  int threads = kWarp;
  while (threads < 256 && threads * 4 < cols) threads *= 2;
  return threads;
}

}  // namespace heed::gpu
