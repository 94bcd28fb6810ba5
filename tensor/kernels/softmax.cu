#include "tensor/kernels/softmax.h"

#include "tensor/cuda/launch.h"
#include "tensor/cuda/row_math.h"

namespace heed::gpu {
namespace {

// One block for each row, here and for segments.
template <class T> __device__ void softmax_row(T* y, const T* x, int64_t n) {
  const T max = row_max(x, n), scale = T(1) / row_exp_sum(x, max, n);
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) y[i] = math::exp(x[i] - max) * scale;
}

template <class T>
__device__ void softmax_row_backward(Out<T> dx, const T* y, const T* dy, int64_t n) {
  const T dot = row_dot(y, dy, n);
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) dx.put(i, y[i] * (dy[i] - dot));
}

template <class T> __global__ void softmax_kernel(T* y, const T* x, int64_t cols) {
  const int64_t at = blockIdx.x * cols;
  softmax_row(y + at, x + at, cols);
}

template <class T>
__global__ void softmax_backward_kernel(Out<T> dx, const T* y, const T* dy, int64_t cols) {
  const int64_t at = blockIdx.x * cols;
  softmax_row_backward(dx.from(at), y + at, dy + at, cols);
}

template <class T> __global__ void log_softmax_kernel(T* y, const T* x, int64_t cols) {
  const int64_t at = blockIdx.x * cols;
  const T max = row_max(x + at, cols);
  const T log_sum = std::log(row_exp_sum(x + at, max, cols));
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) y[at + i] = (x[at + i] - max) - log_sum;
}

template <class T>
__global__ void log_softmax_backward_kernel(Out<T> dx, const T* y, const T* dy, int64_t cols) {
  const int64_t at = blockIdx.x * cols;
  const T sum = row_sum(dy + at, cols);
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    dx.put(at + i, dy[at + i] - math::exp(y[at + i]) * sum);
  }
}

template <class T>
__global__ void segment_softmax_kernel(T* y, const T* x, const int32_t* offsets) {
  const int64_t at = offsets[blockIdx.x];
  softmax_row(y + at, x + at, offsets[blockIdx.x + 1] - at);
}

template <class T>
__global__ void segment_softmax_backward_kernel(Out<T> dx, const T* y, const T* dy,
                                                const int32_t* offsets) {
  const int64_t at = offsets[blockIdx.x];
  softmax_row_backward(dx.from(at), y + at, dy + at, offsets[blockIdx.x + 1] - at);
}

constexpr int kSegmentThreads = 128;  // only the device knows how long the segments are

}  // namespace

template <class T> void softmax_forward(T* y, const T* x, int64_t rows, int64_t cols) {
  launch<softmax_kernel<T>>({rows, row_threads(cols)}, y, x, cols);
}

template <class T>
void softmax_backward(Out<T> dx, const T* y, const T* dy, int64_t rows, int64_t cols) {
  launch<softmax_backward_kernel<T>>({rows, row_threads(cols)}, dx, y, dy, cols);
}

template <class T> void log_softmax_forward(T* y, const T* x, int64_t rows, int64_t cols) {
  launch<log_softmax_kernel<T>>({rows, row_threads(cols)}, y, x, cols);
}

template <class T>
void log_softmax_backward(Out<T> dx, const T* y, const T* dy, int64_t rows, int64_t cols) {
  launch<log_softmax_backward_kernel<T>>({rows, row_threads(cols)}, dx, y, dy, cols);
}

template <class T>
void segment_softmax_forward(T* y, const T* x, const int32_t* offsets, int64_t segments) {
  launch<segment_softmax_kernel<T>>({segments, kSegmentThreads}, y, x, offsets);
}

template <class T>
void segment_softmax_backward(Out<T> dx, const T* y, const T* dy, const int32_t* offsets,
                              int64_t segments) {
  launch<segment_softmax_backward_kernel<T>>({segments, kSegmentThreads}, dx, y, dy, offsets);
}

HEED_INSTANTIATE(softmax_forward, softmax_backward, log_softmax_forward, log_softmax_backward,
                 segment_softmax_forward, segment_softmax_backward);

}  // namespace heed::gpu
