// Elementary functions as short straight-line code that compilers vectorise, the same on CPU and
// CUDA. f64 uses the standard library: it is there to check gradients, not to be fast. The largest
// errors of the f32 versions, in units in the last place:
//   exp 1.5, sigmoid 3, tanh 2.5, softplus 4, erf 7   where argument and result are normal numbers
// Below the normal numbers exp is 0; above the largest float it is infinite. NaN gives NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/kernels/kernel.h"

namespace heed::math {

HEED_HD inline double exp(double x) {
  return std::exp(x);
}
HEED_HD inline double tanh(double x) {
  return std::tanh(x);
}
HEED_HD inline double erf(double x) {
  return std::erf(x);
}
HEED_HD inline double softplus(double x) {
  return (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x)));
}

// exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2, exp(r) by its Taylor polynomial to
// r^7.
HEED_HD inline float exp(float x) {
  constexpr float kLog2e = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kMin = -87.33654f, kMax = 88.72283f;  // ln of the smallest and largest normal
  const float clamped = x < kMin ? kMin : (x > kMax ? kMax : x);
  const float n = std::floor(clamped * kLog2e + 0.5f);
  const float r = (clamped - n * kLn2High) - n * kLn2Low;
  float p = 1.9841270e-4f;
  p = p * r + 1.3888889e-3f;
  p = p * r + 8.3333333e-3f;
  p = p * r + 4.1666667e-2f;
  p = p * r + 1.6666667e-1f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // 2^n in two factors, as 2^128 is not a float. A NaN is in p already, and is not an integer.
  const int32_t whole = static_cast<int32_t>(n >= -127.0f ? n : -127.0f), half = whole >> 1;
  const float scale_a = std::bit_cast<float>((half + 127) << 23);
  const float scale_b = std::bit_cast<float>((whole - half + 127) << 23);
  const float result = p * scale_a * scale_b;
  const float low = x < kMin ? 0.0f : result;
  return x > kMax ? std::numeric_limits<float>::infinity() : low;
}

// tanh(x) = 1 - 2 / (exp(2 |x|) + 1) with the sign of x; near 0, where that cancels, x + x^3 P(x^2)
// with the coefficients of Cephes' tanhf.
HEED_HD inline float tanh(float x) {
  const float size = x < 0.0f ? -x : x, z = x * x;
  const float large = 1.0f - 2.0f / (math::exp(2.0f * size) + 1.0f);
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float small = x * (1.0f + z * p);
  const float far = x < 0.0f ? -large : large;
  return size < 0.625f ? small : far;
}

// erf(x) = x P(x^2) / Q(x^2) up to 4, where it is 1; the coefficients are Eigen's.
HEED_HD inline float erf(float x) {
  const float clamped = x < -4.0f ? -4.0f : (x > 4.0f ? 4.0f : x), z = clamped * clamped;
  float p = -2.72614225801306e-10f;
  p = p * z + 2.77068142495902e-08f;
  p = p * z - 2.10102402082508e-06f;
  p = p * z - 5.69250639462346e-05f;
  p = p * z - 7.34990630326855e-04f;
  p = p * z - 2.95459980854025e-03f;
  p = p * z - 1.60960333262415e-02f;
  float q = -1.45660718464996e-05f;
  q = q * z - 2.13374055278905e-04f;
  q = q * z - 1.68282697438203e-03f;
  q = q * z - 7.37332916720468e-03f;
  q = q * z - 1.42647390514189e-02f;
  return clamped * p / q;
}

// softplus(x) = ln(1 + e^x) = max(x, 0) + ln(1 + u), u = e^-|x| in [0, 1]; ln(1 + u) = 2 artanh(s),
// s = u / (2 + u) <= 1/3, by its Taylor polynomial to s^13.
HEED_HD inline float softplus(float x) {
  const float u = math::exp(x < 0.0f ? x : -x), s = u / (2.0f + u), z = s * s;
  float p = 1.0f / 13;
  p = p * z + 1.0f / 11;
  p = p * z + 1.0f / 9;
  p = p * z + 1.0f / 7;
  p = p * z + 1.0f / 5;
  p = p * z + 1.0f / 3;
  p = p * z + 1.0f;
  return (x > 0.0f ? x : 0.0f) + 2.0f * s * p;
}

template <class T> HEED_HD inline T sigmoid(T x) {
  return T(1) / (T(1) + math::exp(-x));
}

}  // namespace heed::math
