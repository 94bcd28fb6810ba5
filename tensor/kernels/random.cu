#include "tensor/kernels/random.h"

#include <cmath>

#include "tensor/cuda/launch.h"

namespace heed::gpu {

// f(i, u) for each pair of elements i and i + 1 with their uniforms u[0] and u[1]. A thread has the
// four elements of a Philox block.
template <class F> void for_each_pair(RandomKey key, int64_t n, F f) {
  for_each((n + 3) / 4, [=] __device__(int64_t b) {
    const Philox4 r = key.block(b);
    const float u[4] = {uniform01(r.x), uniform01(r.y), uniform01(r.z), uniform01(r.w)};
    f(4 * b, u);
    if (4 * b + 2 < n) f(4 * b + 2, u + 2);
  });
}

template <class T> void random_uniform(T* y, T low, T high, RandomKey key, int64_t n) {
  const T last = std::nextafter(high, low);
  for_each_pair(key, n, [=] __device__(int64_t i, const float* u) {
    y[i] = uniform_of(u[0], low, high, last);
    if (i + 1 < n) y[i + 1] = uniform_of(u[1], low, high, last);
  });
}

template <class T> void random_normal(T* y, T mean, T deviation, RandomKey key, int64_t n) {
  for_each_pair(key, n, [=] __device__(int64_t i, const float* u) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - u[0]));
    const double angle = 6.283185307179586 * u[1];
    y[i] = std::fma(deviation, T(radius * std::cos(angle)), mean);
    if (i + 1 < n) y[i + 1] = std::fma(deviation, T(radius * std::sin(angle)), mean);
  });
}

template <class T> void random_gumbel(T* y, RandomKey key, int64_t n) {
  for_each_pair(key, n, [=] __device__(int64_t i, const float* u) {
    y[i] = gumbel_of<T>(u[0]);
    if (i + 1 < n) y[i + 1] = gumbel_of<T>(u[1]);
  });
}

template <class T> void dropout(Out<T> y, const T* x, T p, RandomKey key, int64_t n) {
  const T scale = T(1) / (T(1) - p);
  for_each_pair(key, n, [=] __device__(int64_t first, const float* u) {
    for (int64_t i = first; i < first + 2 && i < n; ++i) {
      y.put(i, T(u[i - first]) >= p ? x[i] * scale : T(0));
    }
  });
}

HEED_INSTANTIATE(random_uniform, random_normal, random_gumbel, dropout);

}  // namespace heed::gpu
