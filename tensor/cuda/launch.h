// What a .cu file includes: CUDA's vocabulary, and launch(), the one way to start a kernel.
//
//   template <class T> __global__ void scale_kernel(T* x, T factor, int64_t n) { ... }
//   launch<scale_kernel<T>>({blocks, threads}, x, factor, n);
//
// nvcc makes of it a launch on the device. Any other compiler takes the vocabulary from emulator/
// and runs the same kernel on the CPU. Two things are spelled differently from plain CUDA, so that
// the emulation can watch them: the launch, and arrays in shared memory:
//   HEED_SHARED(float, tile, 256);      __shared__ float tile[256];
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/launch.h"
#include "tensor/cuda/runtime.h"

#define HEED_SHARED EMULATOR_SHARED

namespace heed::cuda {

struct Grid {
  int64_t blocks;
  dim3 threads;  // of one block: an int, or dim3(x, y)
};

// Queues the kernel in the stream of the current device and does not wait for it. Does nothing for
// 0 blocks. Throws DeviceError if the launch itself fails; errors of the running kernel are thrown
// by a later call. The emulation runs the kernel now and throws emulator::Fault for its bugs.
template <auto kernel, class... Args> void launch(const Grid& grid, Args... args) {
  if (grid.blocks == 0) return;
  check_grid(grid.blocks, __PRETTY_FUNCTION__);
  count_launch();
#ifdef __CUDACC__
  kernel<<<static_cast<unsigned>(grid.blocks), grid.threads, 0, stream()>>>(args...);
  check_launch(__PRETTY_FUNCTION__);
#else
  emulator::launch<kernel>({static_cast<unsigned>(grid.blocks), grid.threads}, args...);
#endif
}

template <class F> __global__ void elements_kernel(int64_t n, F f) {
  const int64_t first = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = first; i < n; i += step) f(i);
}

// f(i) for every i in [0, n), each by one thread:
//   for_each(n, [=] __device__(int64_t i) { y[i] = alpha * x[i]; });
template <class F> void for_each(int64_t n, F f) {
  constexpr int64_t kThreads = 256, kMostBlocks = 4096;  // some waves on the largest GPU
  launch<elements_kernel<F>>({std::min((n + kThreads - 1) / kThreads, kMostBlocks), kThreads}, n,
                             f);
}

template <class F> __global__ void blocks_kernel(F f) {
  f(int64_t{blockIdx.x});
}

// f(block) for every block of the grid, by all of the block's threads:
//   for_each_block({rows, row_threads(cols)}, [=] __device__(int64_t row) { ... block_sum(x); });
template <class F> void for_each_block(const Grid& grid, F f) {
  launch<blocks_kernel<F>>(grid, f);
}

}  // namespace heed::cuda

namespace heed::gpu {
using cuda::for_each;
using cuda::for_each_block;
using cuda::Grid;
using cuda::launch;
}  // namespace heed::gpu
