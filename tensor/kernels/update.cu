#include "tensor/kernels/update.h"

#include <cmath>

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

constexpr int64_t kPiece = 16384;  // elements that one block sums
constexpr int kThreads = 256;

template <class T> __global__ void sum_squares_kernel(double* of_piece, const T* x, int64_t n) {
  const int64_t begin = blockIdx.x * kPiece, end = begin + kPiece < n ? begin + kPiece : n;
  double sum = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    sum += static_cast<double>(x[i]) * x[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) of_piece[blockIdx.x] = sum;
}

__global__ void sum_pieces_kernel(double* result, const double* of_piece, int64_t pieces) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < pieces; i += kThreads) sum += of_piece[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

// The result is wanted on the host: this waits for the device.
template <class T> void sum_squares(double* result, const T* x, int64_t n) {
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  double* of_piece = cuda::scratch<double>(pieces + 1);
  double* total = of_piece + pieces;
  launch<sum_squares_kernel<T>>({pieces, kThreads}, of_piece, x, n);
  launch<sum_pieces_kernel>({1, kThreads}, total, of_piece, pieces);
  cuda::download(result, total, sizeof(double));
}

template <class T>
void sgd_update(T* p, T* v, const T* grad, T scale, T rate, T momentum, T decay, int64_t n) {
  for_each(n, [=] __device__(int64_t i) {
    T d = scale * grad[i] + decay * p[i];
    if (v) d = v[i] = momentum * v[i] + d;
    p[i] -= rate * d;
  });
}

template <class T>
void sgd_update_rows(T* p, const T* grad, const int32_t* ids, T rate, int64_t n, int64_t width) {
  for_each(n * width,
           [=] __device__(int64_t i) { p[ids[i / width] * width + i % width] -= rate * grad[i]; });
}

template <class T>
void adam_update(T* p, T* m, T* v, const T* grad, const AdamFactors& factors, int64_t n) {
  const T beta1 = T(factors.beta1), beta2 = T(factors.beta2), eps = T(factors.eps);
  const T rate = T(factors.rate / factors.c1), c2 = T(1 / factors.c2), scale = T(factors.scale);
  const T decay = T(factors.rate * factors.weight_decay);
  for_each(n, [=] __device__(int64_t i) {
    const T g = scale * grad[i];
    m[i] = beta1 * m[i] + (T(1) - beta1) * g;
    v[i] = beta2 * v[i] + (T(1) - beta2) * g * g;
    p[i] -= rate * m[i] / (std::sqrt(v[i] * c2) + eps) + decay * p[i];
  });
}

HEED_INSTANTIATE(sum_squares);
HEED_INSTANTIATE(sgd_update);
HEED_INSTANTIATE(sgd_update_rows);
HEED_INSTANTIATE(adam_update);

}  // namespace heed::gpu
