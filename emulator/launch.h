// The header for .cu files: CUDA's vocabulary, and the two constructs that differ from plain CUDA
// because a C++ compiler must understand them: launches, and arrays in shared memory.
//
//   emulator::launch<kernel<T>>({blocks, threads, shared_bytes}, arguments...);
//   EMULATOR_SHARED(float, tile, 256);       __shared__ float tile[256];
//   EMULATOR_SHARED_DYNAMIC(float, tile);    extern __shared__; the launch says how many bytes
//
// nvcc makes plain CUDA of them. Any other compiler runs the kernel on the CPU.
#pragma once

#ifdef __CUDACC__

#include <cuda_runtime.h>

#include <cstdint>

#define EMULATOR_SHARED(T, name, n) __shared__ T name[n]
#define EMULATOR_SHARED_DYNAMIC(T, name)                                   \
  extern __shared__ __align__(16) unsigned char emulator_dynamic_shared[]; \
  T* name = reinterpret_cast<T*>(emulator_dynamic_shared)

namespace emulator {

struct Grid {
  dim3 blocks, threads;
  int64_t shared_bytes = 0;
};

// Errors are left to cudaGetLastError(), as by kernel<<<...>>>(...).
template <auto kernel, class... Args> void launch(const Grid& grid, Args... args) {
  kernel<<<grid.blocks, grid.threads, static_cast<size_t>(grid.shared_bytes)>>>(args...);
}

}  // namespace emulator

#else
#include "emulator/cuda.h"
#include "emulator/runtime.h"
#endif
