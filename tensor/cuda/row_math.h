// What one block does with one row of memory: the twin of tensor/kernels/row_math.h. All threads of
// the block call them with the same arguments, and all get the result. Thread t has the elements t,
// t + blockDim.x, ...
#pragma once

#include <cstdint>
#include <limits>

#include "tensor/cuda/block.h"
#include "tensor/kernels/math.h"

namespace heed::gpu {

template <class T> __device__ T row_sum(const T* x, int64_t n) {
  T sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  return block_sum(sum);
}

template <class T> __device__ T row_max(const T* x, int64_t n) {
  T max = -std::numeric_limits<T>::infinity();
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) max = x[i] > max ? x[i] : max;
  return block_max(max);
}

// sum_i exp(x_i - max). Recompute the terms where they are needed: that is faster than storing
// them.
template <class T> __device__ T row_exp_sum(const T* x, T max, int64_t n) {
  T sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += math::exp(x[i] - max);
  return block_sum(sum);
}

template <class T> __device__ T row_dot(const T* a, const T* b, int64_t n) {
  T sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += a[i] * b[i];
  return block_sum(sum);
}

}  // namespace heed::gpu
