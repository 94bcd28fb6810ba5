#include "tensor/kernels/random.h"

#include "tensor/kernels/each.h"

namespace heed::HEED_BACKEND {

template <class T> void random_uniform(T* y, T low, T high, RandomKey key, int64_t n) {
  const T last = std::nextafter(high, low);
  put_random<T>(y, key, n,
                [=] HEED_DEVICE(int64_t, float u) { return uniform_of(u, low, high, last); });
}

template <class T> void random_normal(T* y, T mean, T deviation, RandomKey key, int64_t n) {
  for_each_pair(key, n, [=] HEED_DEVICE(int64_t i, const float* u) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - u[0]));
    const double angle = 6.283185307179586 * u[1];
    y[i] = std::fma(deviation, T(radius * std::cos(angle)), mean);
    if (i + 1 < n) y[i + 1] = std::fma(deviation, T(radius * std::sin(angle)), mean);
  });
}

template <class T> void random_gumbel(T* y, RandomKey key, int64_t n) {
  put_random<T>(y, key, n, [=] HEED_DEVICE(int64_t, float u) { return gumbel_of<T>(u); });
}

template <class T> void dropout(Out<T> y, const T* x, T p, RandomKey key, int64_t n) {
  const T scale = T(1) / (T(1) - p);
  put_random(y, key, n, [=] HEED_DEVICE(int64_t i, float u) {
    const T scaled = x[i] * scale;
    return T(u) >= p ? scaled : T(0);
  });
}

HEED_INSTANTIATE(random_uniform, random_normal, random_gumbel, dropout);

}  // namespace heed::HEED_BACKEND
