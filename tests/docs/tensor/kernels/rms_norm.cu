#include "tensor/kernels/rms_norm.h"

#include "tensor/cuda/launch.h"
#include "tensor/cuda/row_math.h"

namespace heed::gpu {

template <class T> __global__ void rms_norm_kernel(T* y, T* r, const T* x, T eps, int64_t cols) {
  const int64_t begin = blockIdx.x * cols;
  const T scale = T(1) / std::sqrt(row_dot(x + begin, x + begin, cols) / T(cols) + eps);
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) y[begin + i] = x[begin + i] * scale;
  if (threadIdx.x == 0) r[blockIdx.x] = scale;
}

template <class T>
__global__ void rms_norm_backward_kernel(Out<T> dx, const T* y, const T* r, const T* dy,
                                         int64_t cols) {
  const int64_t begin = blockIdx.x * cols;
  const T mean = row_dot(dy + begin, y + begin, cols) / T(cols);
  for (int64_t i = begin + threadIdx.x; i < begin + cols; i += blockDim.x) {
    dx.put(i, r[blockIdx.x] * (dy[i] - y[i] * mean));
  }
}

template <class T>
void rms_norm_forward(T* y, T* r, const T* x, T eps, int64_t rows, int64_t cols) {
  launch<rms_norm_kernel<T>>({rows, row_threads(cols)}, y, r, x, eps, cols);
}

template <class T>
void rms_norm_backward(Out<T> dx, const T* y, const T* r, const T* dy, int64_t rows, int64_t cols) {
  launch<rms_norm_backward_kernel<T>>({rows, row_threads(cols)}, dx, y, r, dy, cols);
}

HEED_INSTANTIATE(rms_norm_forward, rms_norm_backward);

}  // namespace heed::gpu
