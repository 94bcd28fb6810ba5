#include "tensor/kernels/update.h"

#include <cmath>

#include "tensor/cuda/arrays.h"
#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

constexpr int64_t kPiece = 16384;  // elements that one block sums
constexpr int kThreads = 256;

template <class T> __global__ void sum_squares_kernel(double* of_piece, Arrays<T, kPiece> arrays) {
  const auto [x, begin, end, before] = arrays.piece(blockIdx.x);
  double sum = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    sum += static_cast<double>(x[i]) * x[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) of_piece[blockIdx.x] = sum;
}

__global__ void sum_pieces_kernel(double* total, const double* of_piece, int64_t pieces) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < pieces; i += kThreads) sum += of_piece[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *total = sum;
}

template <class T> void sum_squares(double* total, const Values<T>* arrays, int64_t count) {
  int64_t pieces = 0;
  for (int64_t i = 0; i < count; ++i) pieces += (arrays[i].n + kPiece - 1) / kPiece;
  double* const of_piece = cuda::scratch<double>(pieces);
  Arrays<T, kPiece> some;
  for (int64_t i = 0, done = 0; i < count; done += some.pieces()) {
    i = some.take(arrays, i, count);
    launch<sum_squares_kernel<T>>({some.pieces(), kThreads}, of_piece + done, some);
  }
  launch<sum_pieces_kernel>({1, kThreads}, total, of_piece, pieces);
}

void clip(double* clipping, const double* squares, double scale, double max_norm) {
  for_each(1, [=] __device__(int64_t) {
    const double norm = std::sqrt(*squares);
    clipping[0] = norm;
    clipping[1] = scale * clip_factor(std::abs(scale) * norm, max_norm);
  });
}

template <class T>
void sgd_update(T* p, T* v, const T* grad, const double* scale_at, T rate, T momentum, T decay,
                int64_t n) {
  for_each(n, [=] __device__(int64_t i) {
    T d = T(*scale_at) * grad[i] + decay * p[i];
    if (v) d = v[i] = momentum * v[i] + d;
    p[i] -= rate * d;
  });
}

template <class T>
void sgd_update_rows(T* p, const T* grad, const int32_t* ids, const double* scale, double rate,
                     int64_t n, int64_t width) {
  for_each(n * width, [=] __device__(int64_t i) {
    p[ids[i / width] * width + i % width] -= T(rate * *scale) * grad[i];
  });
}

template <class T>
void adam_update(T* p, T* m, T* v, const T* grad, const double* scale_at,
                 const AdamFactors& factors, int64_t n) {
  const T beta1 = T(factors.beta1), beta2 = T(factors.beta2), eps = T(factors.eps);
  // T(1) - T(beta) would lose digits: beta is close to 1.
  const T one_minus_beta1 = T(1 - factors.beta1), one_minus_beta2 = T(1 - factors.beta2);
  const T rate = T(factors.rate / factors.c1), c2 = T(1 / factors.c2);
  const T decay = T(factors.rate * factors.weight_decay);
  for_each(n, [=] __device__(int64_t i) {
    const T g = T(*scale_at) * grad[i];
    m[i] = beta1 * m[i] + one_minus_beta1 * g;
    v[i] = beta2 * v[i] + one_minus_beta2 * g * g;
    p[i] -= rate * m[i] / (std::sqrt(v[i] * c2) + eps) + decay * p[i];
  });
}

HEED_INSTANTIATE(sum_squares, sgd_update, sgd_update_rows, adam_update);

}  // namespace heed::gpu
