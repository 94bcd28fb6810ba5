// Four functions, of three things that can be done with the memory rows j of a segment b:
//   dots_kernel            y_j = memory_j . query_b      a warp for each row
//   weighted_sum_kernel    y_b = sum_j w_j memory_j      a thread for some rows of one column
//   outer_product_kernel   y_j += w_j query_b            a thread for each element
#include "tensor/kernels/attention.h"

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

// The first two indices are known to the device only, so a fixed number of blocks shares the rows
// of a segment.
constexpr int kShares = 4, kThreads = 256;

template <class T>
__global__ void dots_kernel(T* y, const T* query, const T* memory, const int32_t* offsets,
                            const int32_t* starts, int64_t width, Write write) {
  const int64_t b = blockIdx.x / kShares, share = blockIdx.x % kShares;
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  constexpr int kWarps = kThreads / kWarp;
  const int64_t row = starts[b] - offsets[b];  // from a score to its memory row
  for (int64_t j = offsets[b] + share * kWarps + warp; j < offsets[b + 1]; j += kShares * kWarps) {
    T sum = 0;
    for (int64_t i = lane; i < width; i += kWarp)
      sum += memory[(row + j) * width + i] * query[b * width + i];
    sum = warp_reduce<Sum>(sum);
    if (lane == 0) Out<T>(y, write).put(j, sum);
  }
}

template <class T>
__global__ void weighted_sum_kernel(T* y, const T* weights, const T* memory, const int32_t* offsets,
                                    const int32_t* starts, int64_t width, Write write) {
  const int64_t strips = (width + kWarp - 1) / kWarp;
  const int64_t b = blockIdx.x / strips, col = blockIdx.x % strips * kWarp + threadIdx.x;
  const int64_t row = starts[b] - offsets[b];
  T sum = 0;
  for (int64_t j = offsets[b] + threadIdx.y; j < offsets[b + 1] && col < width; j += kDown) {
    sum += weights[j] * memory[(row + j) * width + col];
  }
  sum = column_sum(sum);
  if (threadIdx.y > 0 || col >= width) return;
  Out<T>(y, write).put(b * width + col, sum);
}

template <class T>
__global__ void outer_product_kernel(T* y, const T* weights, const T* query, const int32_t* offsets,
                                     const int32_t* starts, int64_t width) {
  const int64_t b = blockIdx.x / kShares, share = blockIdx.x % kShares;
  const int64_t row = starts[b] - offsets[b], end = offsets[b + 1] * width;
  for (int64_t i = offsets[b] * width + share * kThreads + threadIdx.x; i < end;
       i += kShares * kThreads) {
    y[row * width + i] += weights[i / width] * query[b * width + i % width];
  }
}

template <class T>
void dots(T* y, const T* query, const T* memory, const int32_t* offsets, const int32_t* starts,
          int64_t segments, int64_t width, Write write) {
  launch<dots_kernel<T>>({segments * kShares, kThreads}, y, query, memory, offsets, starts, width,
                         write);
}

template <class T>
void weighted_sum(T* y, const T* weights, const T* memory, const int32_t* offsets,
                  const int32_t* starts, int64_t segments, int64_t width, Write write) {
  const int64_t strips = (width + kWarp - 1) / kWarp;
  launch<weighted_sum_kernel<T>>({segments * strips, dim3(kWarp, kDown)}, y, weights, memory,
                                 offsets, starts, width, write);
}

template <class T>
void outer_product(T* y, const T* weights, const T* query, const int32_t* offsets,
                   const int32_t* starts, int64_t segments, int64_t width) {
  launch<outer_product_kernel<T>>({segments * kShares, kThreads}, y, weights, query, offsets,
                                  starts, width);
}

template <class T>
void segment_scores_forward(T* scores, const T* query, const T* memory, const int32_t* offsets,
                            const int32_t* starts, int64_t segments, int64_t width) {
  dots(scores, query, memory, offsets, starts, segments, width, Write::assign);
}

template <class T>
void segment_scores_backward(T* dquery, T* dmemory, const T* query, const T* memory,
                             const T* dscores, const int32_t* offsets, const int32_t* starts,
                             int64_t segments, int64_t width) {
  if (dquery) weighted_sum(dquery, dscores, memory, offsets, starts, segments, width, Write::add);
  if (dmemory) outer_product(dmemory, dscores, query, offsets, starts, segments, width);
}

template <class T>
void segment_context_forward(T* context, const T* weights, const T* memory, const int32_t* offsets,
                             const int32_t* starts, int64_t segments, int64_t width) {
  weighted_sum(context, weights, memory, offsets, starts, segments, width, Write::assign);
}

template <class T>
void segment_context_backward(T* dweights, T* dmemory, const T* weights, const T* memory,
                              const T* dcontext, const int32_t* offsets, const int32_t* starts,
                              int64_t segments, int64_t width) {
  if (dweights) dots(dweights, dcontext, memory, offsets, starts, segments, width, Write::add);
  if (dmemory) outer_product(dmemory, weights, dcontext, offsets, starts, segments, width);
}

HEED_INSTANTIATE(segment_scores_forward);
HEED_INSTANTIATE(segment_scores_backward);
HEED_INSTANTIATE(segment_context_forward);
HEED_INSTANTIATE(segment_context_backward);

}  // namespace heed::gpu
