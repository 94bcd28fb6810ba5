#include "tensor/kernels/update.h"

#include <cmath>

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

constexpr int64_t kPiece = 16384;  // elements that one block sums
constexpr int kThreads = 256;

constexpr int kTogether = 64;  // arrays that one launch reads, as many as its arguments hold

// Some arrays, and which piece is the first of each.
template <class T> struct Arrays {
  Values<T> array[kTogether];
  int64_t first[kTogether + 1] = {};
  int count = 0;
};

template <class T> __global__ void sum_squares_kernel(double* of_piece, Arrays<T> arrays) {
  const int64_t piece = blockIdx.x;
  int a = 0;
  while (arrays.first[a + 1] <= piece) ++a;
  const auto [x, n] = arrays.array[a];
  const int64_t begin = (piece - arrays.first[a]) * kPiece;
  const int64_t end = begin + kPiece < n ? begin + kPiece : n;
  double sum = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += kThreads) {
    sum += static_cast<double>(x[i]) * x[i];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) of_piece[piece] = sum;
}

__global__ void sum_pieces_kernel(double* total, const double* of_piece, int64_t pieces) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < pieces; i += kThreads) sum += of_piece[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *total = sum;
}

template <class T> void sum_squares(double* total, const Values<T>* arrays, int64_t count) {
  const auto pieces_of = [](const Values<T>& x) { return (x.n + kPiece - 1) / kPiece; };
  int64_t pieces = 0;
  for (int64_t i = 0; i < count; ++i) pieces += pieces_of(arrays[i]);
  double* const of_piece = cuda::scratch<double>(pieces);
  for (int64_t i = 0, done = 0; i < count;) {
    Arrays<T> some;
    for (; i < count && some.count < kTogether; ++i) {
      const int k = some.count++;
      some.array[k] = arrays[i];
      some.first[k + 1] = some.first[k] + pieces_of(arrays[i]);
    }
    launch<sum_squares_kernel<T>>({some.first[some.count], kThreads}, of_piece + done, some);
    done += some.first[some.count];
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
  const T rate = T(factors.rate / factors.c1), c2 = T(1 / factors.c2);
  const T decay = T(factors.rate * factors.weight_decay);
  for_each(n, [=] __device__(int64_t i) {
    const T g = T(*scale_at) * grad[i];
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
