#include "tensor/kernels/random.h"

#include <algorithm>
#include <cmath>

#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

constexpr int64_t kGrain = 8192;  // a multiple of 4: a Philox block belongs to one thread

// Fills u with the uniforms of the elements [begin, end), begin a multiple of 4.
void uniforms(float* u, RandomKey key, int64_t begin, int64_t end) {
#pragma omp simd
  for (int64_t b = begin / 4; b < (end + 3) / 4; ++b) {
    const Philox4 r = key.block(b);
    float* out = u + (4 * b - begin);
    out[0] = uniform01(r.x);
    out[1] = uniform01(r.y);
    out[2] = uniform01(r.z);
    out[3] = uniform01(r.w);
  }
}

}  // namespace

template <class T> void random_uniform(T* y, T low, T high, RandomKey key, int64_t n) {
  const T last = std::nextafter(high, low);
  parallel_ranges(n, kGrain, [=](int64_t begin, int64_t end) {
    float u[kGrain];
    uniforms(u, key, begin, end);
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) y[i] = uniform_of(u[i - begin], low, high, last);
  });
}

template <class T> void random_normal(T* y, T mean, T deviation, RandomKey key, int64_t n) {
  parallel_ranges(n, kGrain, [=](int64_t begin, int64_t end) {
    float u[kGrain];
    uniforms(u, key, begin, end);
    for (int64_t i = begin; i < end; i += 2) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - u[i - begin]));
      const double angle = 6.283185307179586 * u[i - begin + 1];
      y[i] = std::fma(deviation, T(radius * std::cos(angle)), mean);
      if (i + 1 < end) y[i + 1] = std::fma(deviation, T(radius * std::sin(angle)), mean);
    }
  });
}

template <class T> void random_gumbel(T* y, RandomKey key, int64_t n) {
  parallel_ranges(n, kGrain, [=](int64_t begin, int64_t end) {
    float u[kGrain];
    uniforms(u, key, begin, end);
    for (int64_t i = begin; i < end; ++i) y[i] = gumbel_of<T>(u[i - begin]);
  });
}

template <class T> void dropout(Out<T> y, const T* x, T p, RandomKey key, int64_t n) {
  const T scale = T(1) / (T(1) - p);
  parallel_ranges(n, kGrain, [=](int64_t begin, int64_t end) {
    float u[kGrain];
    uniforms(u, key, begin, end);
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) {
      const T scaled = x[i] * scale;
      y.put(i, T(u[i - begin]) >= p ? scaled : T(0));
    }
  });
}

HEED_INSTANTIATE(random_uniform, random_normal, random_gumbel, dropout);

}  // namespace heed::cpu
