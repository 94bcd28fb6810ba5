// The sum of an array, by a tree in shared memory. nvcc compiles it for a GPU:
//   nvcc -std=c++20 -I. emulator/example/sum.cu
// and CMakeLists.txt compiles it for the CPU. Move __syncthreads() before the loop, and the
// emulation names the two threads that race.
#include <cstdio>
#include <numeric>
#include <vector>

#include "emulator/launch.h"

constexpr int kThreads = 128;

__global__ void sum_kernel(float* sums, const float* x, int n) {
  EMULATOR_SHARED(float, tile, kThreads);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = i < n ? x[i] : 0.0f;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) tile[t] += tile[t + half];
  }
  if (t == 0) sums[blockIdx.x] = tile[0];
}

int main() {
  constexpr int kCount = 1000, kBlocks = (kCount + kThreads - 1) / kThreads;
  std::vector<float> host(kCount), sums(kBlocks);
  std::iota(host.begin(), host.end(), 1.0f);
  float *x = nullptr, *of_blocks = nullptr;
  cudaMalloc(&x, kCount * sizeof(float));
  cudaMalloc(&of_blocks, kBlocks * sizeof(float));
  cudaMemcpy(x, host.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  emulator::launch<sum_kernel>({kBlocks, kThreads}, of_blocks, static_cast<const float*>(x),
                               kCount);
  cudaMemcpy(sums.data(), of_blocks, kBlocks * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(of_blocks);
  const float sum = std::accumulate(sums.begin(), sums.end(), 0.0f);
  std::printf("the sum of 1 to %d is %.0f\n", kCount, sum);
  return sum == kCount * (kCount + 1) / 2 ? 0 : 1;
}
