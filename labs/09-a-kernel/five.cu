// Five short kernels, which the checks of lab 9 launch through the functions below them. What each
// of them is to compute stands above it.
#include "labs/09-a-kernel/kernels.h"
#include "tensor/cuda/launch.h"

namespace heed::lab {

using cuda::launch;

constexpr int kBlock = 64;  // threads, and elements, of a block
static int blocks_for(int n) {
  return (n + kBlock - 1) / kBlock;
}

// ---- y_i = factor x_i, n elements. A thread for each.

template <class T> __global__ void scale_kernel(T* y, const T* x, T factor, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = factor * x[i];
}

void scale(Float* y, const Float* x, float factor, int n) {
  launch<scale_kernel<Float>>({blocks_for(n), kBlock}, y, x, Float(factor), n);
}

// ---- Each block turns its kBlock elements round, through shared memory: the first comes last.

template <class T> __global__ void reverse_kernel(T* x) {
  HEED_SHARED(T, tile, kBlock);
  T* const mine = x + blockIdx.x * kBlock;
  tile[threadIdx.x] = mine[threadIdx.x];
  __syncthreads();
  mine[threadIdx.x] = tile[kBlock - 1 - static_cast<int>(threadIdx.x)];
}

void reverse(Float* x, int blocks) {
  launch<reverse_kernel<Float>>({blocks, kBlock}, x);
}

// ---- y_i = (x_{i-1} + x_i + x_{i+1}) / 3, with 0 for what is beyond the ends of the block's
// elements. Shared memory saves reading each x three times.

template <class T> __global__ void smooth_kernel(T* y, const T* x, int n) {
  HEED_SHARED(T, tile, kBlock + 2);
  const int t = static_cast<int>(threadIdx.x), i = static_cast<int>(blockIdx.x) * kBlock + t;
  if (t < 2) tile[t * (kBlock + 1)] = T(0);
  tile[t + 1] = i < n ? x[i] : T(0);
  __syncthreads();
  if (i < n) y[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / T(3);
}

void smooth(Float* y, const Float* x, int n) {
  launch<smooth_kernel<Float>>({blocks_for(n), kBlock}, y, x, n);
}

// ---- y_0 = x_0 and y_i = x_i - x_{i-1}.

template <class T> __global__ void difference_kernel(T* y, const T* x, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  y[i] = i > 0 ? x[i] - x[i - 1] : x[i];
}

void difference(Float* y, const Float* x, int n) {
  launch<difference_kernel<Float>>({blocks_for(n), kBlock}, y, x, n);
}

// ---- y (cols, rows) is x (rows, cols) transposed. A block has a tile of kTile x kTile elements.

constexpr int kTile = 32;

template <class T> __global__ void transpose_kernel(T* y, const T* x, int rows, int cols) {
  constexpr int kStride = kTile + 1;
  HEED_SHARED(T, tile, kTile * kStride);
  const int strips = (cols + kTile - 1) / kTile, block = static_cast<int>(blockIdx.x);
  const int first_row = block / strips * kTile, first_col = block % strips * kTile;
  const int across = static_cast<int>(threadIdx.x), down = static_cast<int>(threadIdx.y);
  if (first_row + down < rows && first_col + across < cols) {
    tile[down * kStride + across] = x[(first_row + down) * cols + first_col + across];
  }
  __syncthreads();
  if (first_col + down < cols && first_row + across < rows) {
    y[(first_col + down) * rows + first_row + across] = tile[across * kStride + down];
  }
}

void transpose(Float* y, const Float* x, int rows, int cols) {
  const int strips = (cols + kTile - 1) / kTile, bands = (rows + kTile - 1) / kTile;
  launch<transpose_kernel<Float>>({bands * strips, dim3(kTile, kTile)}, y, x, rows, cols);
}

}  // namespace heed::lab
