// Persistent kernels: one launch for many steps, with a barrier of all blocks between steps. Such a
// kernel takes its steps, [begin, end), before its other arguments:
//
//   __global__ void kernel(int64_t begin, int64_t end, float* x) {
//     for (int64_t t = begin; t < end; ++t) {
//       if (t > begin) wait_for_blocks(...);
//       step(x, t);
//     }
//   }
//   launch_steps<kernel>({blocks, threads, shared_bytes}, steps, x);
//
// A GPU runs it by one cooperative launch, which keeps all blocks resident. The emulation, whose
// blocks run one after the other, calls it once for each step.
#pragma once

#include "tensor/cuda/launch.h"

namespace heed::cuda {

// Waits until it has been called `target` times in total, by whatever blocks. All threads of a
// block call it. Writes to global memory before it are visible to the other blocks after it; memory
// that they may have read before has to be read with __ldcg(). *arrived is zero at the launch.
__device__ inline void wait_for_blocks([[maybe_unused]] unsigned* arrived,
                                       [[maybe_unused]] unsigned target) {
#ifdef __CUDACC__
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*static_cast<volatile unsigned*>(arrived) < target) {
    }
    __threadfence();
  }
  __syncthreads();
#else
  emulator::fail("waits for other blocks, but is to do one step");
#endif
}

// Queues it as launch() does, and counts as one launch. Throws DeviceError if the device cannot
// hold all blocks at the same time; see limits() in tensor/cuda/runtime.h.
template <auto kernel, class... Args>
void launch_steps(const Grid& grid, int64_t steps, Args... args) {
  check_grid(grid.blocks, __PRETTY_FUNCTION__);
  count_launch();
#ifdef __CUDACC__
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(grid.blocks));
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = static_cast<size_t>(grid.shared_bytes);
  config.stream = stream();
  config.attrs = &cooperative;
  config.numAttrs = 1;
  // both leave their errors to check_launch()
  static_cast<void>(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(grid.shared_bytes)));
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, int64_t{0}, steps, args...));
  check_launch(__PRETTY_FUNCTION__);
#else
  for (int64_t t = 0; t < steps; ++t) {
    emulator::launch<kernel>({static_cast<unsigned>(grid.blocks), grid.threads, grid.shared_bytes,
                              limits().shared_bytes},
                             t, t + 1, args...);
  }
#endif
}

}  // namespace heed::cuda

namespace heed::gpu {
using cuda::launch_steps;
using cuda::wait_for_blocks;
}  // namespace heed::gpu
