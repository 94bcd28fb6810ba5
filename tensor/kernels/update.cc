#include "tensor/kernels/update.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

constexpr int64_t kGrain = 16384;

namespace {

template <class T> double squares(const T* x, int64_t n) {
  std::vector<double> partial((n + kGrain - 1) / kGrain);
  parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
    constexpr int64_t kLanes = 32;  // sums that do not wait for each other: 36 GB/s, one alone 6
    double sums[kLanes] = {};
    for (int64_t at = begin; at < end; at += kLanes) {
      const int64_t n_here = std::min(kLanes, end - at);
#pragma omp simd
      for (int64_t i = 0; i < n_here; ++i) sums[i] += static_cast<double>(x[at + i]) * x[at + i];
    }
    partial[begin / kGrain] = std::accumulate(sums, sums + kLanes, 0.0);
  });
  double total = 0;
  for (double p : partial) total += p;
  return total;
}

}  // namespace

template <class T> void sum_squares(double* total, const Values<T>* arrays, int64_t count) {
  *total = 0;
  for (int64_t i = 0; i < count; ++i) *total += squares(arrays[i].at, arrays[i].n);
}

void clip(double* clipping, const double* squares, double scale, double max_norm) {
  clipping[0] = std::sqrt(*squares);
  clipping[1] = scale * clip_factor(std::abs(scale) * clipping[0], max_norm);
}

template <class T>
void sgd_update(T* p, T* v, const T* grad, const double* scale_at, T rate, T momentum, T decay,
                int64_t n) {
  const T scale = T(*scale_at);
  parallel_ranges(n, kGrain, [=](int64_t begin, int64_t end) {
    if (v) {
#pragma omp simd
      for (int64_t i = begin; i < end; ++i) {
        v[i] = momentum * v[i] + (scale * grad[i] + decay * p[i]);
        p[i] -= rate * v[i];
      }
    } else {
#pragma omp simd
      for (int64_t i = begin; i < end; ++i) p[i] -= rate * (scale * grad[i] + decay * p[i]);
    }
  });
}

template <class T>
void sgd_update_rows(T* p, const T* grad, const int32_t* ids, const double* scale, double rate,
                     int64_t n, int64_t width) {
  parallel_ranges(n, kGrain / (width + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      row_axpy(p + int64_t{ids[i]} * width, -T(rate * *scale), grad + i * width, width);
    }
  });
}

template <class T>
void adam_update(T* p, T* m, T* v, const T* grad, const double* scale_at,
                 const AdamFactors& factors, int64_t n) {
  const T beta1 = T(factors.beta1), beta2 = T(factors.beta2), eps = T(factors.eps);
  // T(1) - T(beta) would lose digits: beta is close to 1.
  const T one_minus_beta1 = T(1 - factors.beta1), one_minus_beta2 = T(1 - factors.beta2);
  const T rate = T(factors.rate / factors.c1), c2 = T(1 / factors.c2), scale = T(*scale_at);
  const T decay = T(factors.rate * factors.weight_decay);
  parallel_ranges(n, kGrain, [=](int64_t begin, int64_t end) {
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const T g = scale * grad[i];
      m[i] = beta1 * m[i] + one_minus_beta1 * g;
      v[i] = beta2 * v[i] + one_minus_beta2 * g * g;
      p[i] -= rate * m[i] / (std::sqrt(v[i] * c2) + eps) + decay * p[i];
    }
  });
}

HEED_INSTANTIATE(sum_squares, sgd_update, sgd_update_rows, adam_update);

}  // namespace heed::cpu
