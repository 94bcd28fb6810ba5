// The kernels of lab 9, compiled for the emulation and of floats that report every access.
#include "labs/09-a-kernel/kernels.h"

#include "labs/09-a-kernel/five.cu"
#include "tensor/cuda/watched_kernels.h"
#include "tensor/kernels/softmax.cu"

namespace heed::lab {

using gpu::kDown;
using gpu::kWarp;

static __device__ unsigned this_thread() {
  return (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

template <class Op> __global__ void fold_warps_kernel(Float* y, const Float* x) {
  y[this_thread()] = gpu::warp_reduce<Op>(Float(x[this_thread()]));
}

template <class Op> __global__ void fold_blocks_kernel(Float* y, const Float* x) {
  y[this_thread()] = gpu::block_reduce<Op>(Float(x[this_thread()]));
}

__global__ void two_sums_kernel(Float* sums, Float* squares, const Float* x) {
  const Float mine = x[this_thread()];
  sums[this_thread()] = gpu::block_sum(mine);
  squares[this_thread()] = gpu::block_sum(mine * mine);
}

__global__ void column_sums_kernel(Float* sums, Float* squares, const Float* x) {
  const Float mine = x[this_thread()];
  sums[this_thread()] = gpu::column_sum(mine);
  squares[this_thread()] = gpu::column_sum(mine * mine);
}

__global__ void transpose_directly_kernel(Float* y, const Float* x, int cols) {
  const unsigned row = blockIdx.x, col = threadIdx.x;
  y[col * gridDim.x + row] = x[row * static_cast<unsigned>(cols) + col];
}

__global__ void through_a_column_kernel(Float* y, const Float* x) {
  HEED_SHARED(Float, tile, kWarp * kWarp);
  const int t = static_cast<int>(threadIdx.x);
  tile[t * kWarp] = x[t];
  __syncthreads();
  y[t] = tile[t * kWarp];
}

void fold_warps(Float* y, const Float* x, Fold fold, int warps) {
  if (fold == Fold::sum) launch<fold_warps_kernel<gpu::Sum>>({warps, kWarp}, y, x);
  if (fold == Fold::max) launch<fold_warps_kernel<gpu::Max>>({warps, kWarp}, y, x);
}

void fold_blocks(Float* y, const Float* x, Fold fold, int blocks, int threads) {
  if (fold == Fold::sum) launch<fold_blocks_kernel<gpu::Sum>>({blocks, threads}, y, x);
  if (fold == Fold::max) launch<fold_blocks_kernel<gpu::Max>>({blocks, threads}, y, x);
}

void two_sums(Float* sums, Float* squares, const Float* x, int blocks, int threads) {
  launch<two_sums_kernel>({blocks, threads}, sums, squares, x);
}

void column_sums(Float* sums, Float* squares, const Float* x, int blocks) {
  launch<column_sums_kernel>({blocks, dim3(kWarp, kDown)}, sums, squares, x);
}

void transpose_directly(Float* y, const Float* x, int rows, int cols) {
  launch<transpose_directly_kernel>({rows, cols}, y, x, cols);
}

void through_a_column(Float* y, const Float* x) {
  launch<through_a_column_kernel>({1, kWarp}, y, x);
}

void softmax(Float* y, const Float* x, int64_t rows, int64_t cols) {
  gpu::softmax_forward(y, x, rows, cols);
}

void softmax_gradient(Float* dx, bool adds, const Float* y, const Float* dy, int64_t rows,
                      int64_t cols) {
  gpu::softmax_backward(Out<Float>(dx, adds ? Write::add : Write::assign), y, dy, rows, cols);
}

void log_softmax(Float* y, const Float* x, int64_t rows, int64_t cols) {
  gpu::log_softmax_forward(y, x, rows, cols);
}

void log_softmax_gradient(Float* dx, bool adds, const Float* y, const Float* dy, int64_t rows,
                          int64_t cols) {
  gpu::log_softmax_backward(Out<Float>(dx, adds ? Write::add : Write::assign), y, dy, rows, cols);
}

}  // namespace heed::lab
