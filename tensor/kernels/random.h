#pragma once

#include <cmath>

#include "tensor/kernels/kernel.h"
#include "tensor/random.h"

// y_i = low + (high - low) u_i,  u uniform in [0, 1); below high, also where that rounds up to it
HEED_KERNEL(template <class T> void random_uniform(T* y, T low, T high, RandomKey key, int64_t n));
// y_i = mean + deviation z_i,  z standard normal (Box-Muller on pairs of elements)
HEED_KERNEL(template <class T>
            void random_normal(T* y, T mean, T deviation, RandomKey key, int64_t n));
// y_i = -ln(-ln v_i),  v_i = u_i + 2^-25, in (0, 1)
HEED_KERNEL(template <class T> void random_gumbel(T* y, RandomKey key, int64_t n));
// y_i = keep_i x_i / (1 - p), keep_i = [u_i >= p]; the gradient is the same function of dy
HEED_KERNEL(template <class T> void dropout(Out<T> y, const T* x, T p, RandomKey key, int64_t n));

namespace heed {
// std::fma rounds once on every CPU and GPU; a * b + c would round once or twice, as the compiler
// chooses. `last`: the number next to high, on the side of low.
template <class T> HEED_HD T uniform_of(float u, T low, T high, T last) {
  const T y = std::fma(high - low, T(u), low);
  return y == high ? last : y;
}
template <class T> HEED_HD T gumbel_of(float u) {
  return T(-std::log(-std::log(u + 1.0 / 33554432)));
}
}  // namespace heed
