// The f32 functions of tensor/kernels/math.h against the standard library's f64 ones.
#include "tensor/kernels/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/reduce.h"

namespace heed {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kSmallest = std::numeric_limits<float>::min();

using Kernel = void (*)(float*, const float*, int64_t);
using Exact = double (*)(double);

template <class Op> void forward(float* y, const float* x, int64_t n) {
  cpu::unary_forward(y, x, Op{}, n);
}

// Every `step`-th float between two of the same sign, the first and the last included.
std::vector<float> floats_between(float from, float to, uint32_t step) {
  uint32_t a = std::bit_cast<uint32_t>(from), b = std::bit_cast<uint32_t>(to);
  if (a > b) std::swap(a, b);
  std::vector<float> x;
  for (uint64_t bits = a; bits <= b; bits += step) {
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  x.push_back(std::bit_cast<float>(b));
  return x;
}

// |got - exact| in units in the last place of the float next to exact.
double ulps(float got, double exact) {
  int exponent;
  std::frexp(std::max<double>(std::abs(exact), kSmallest), &exponent);
  return std::abs(got - exact) / std::ldexp(1.0, exponent - 24);
}

// The largest error of both forms of a function: as the kernels are compiled, and as this file is.
double largest_error(Kernel kernel, float (*inlined)(float), Exact exact, float from, float to) {
  const std::vector<float> x = floats_between(from, to, 991);
  std::vector<float> y(x.size());
  kernel(y.data(), x.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = exact(x[i]);
    for (float got : {y[i], inlined(x[i])}) {
      const double error = ulps(got, want);
      if (!(error <= worst)) worst = error;  // NaN too
    }
  }
  return worst;
}

float exp32(float x) {
  return math::exp(x);
}
float tanh32(float x) {
  return math::tanh(x);
}
float sigmoid32(float x) {
  return math::sigmoid(x);
}
float softplus32(float x) {
  return math::softplus(x);
}
double exact_softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}
double exact_sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

TEST(Math, ExpIsWithinItsErrorBound) {
  const Kernel kernel = forward<Exp>;
  EXPECT_LT(largest_error(kernel, exp32, std::exp, kSmallest, 88.72283f), 1.5);
  EXPECT_LT(largest_error(kernel, exp32, std::exp, -kSmallest, -87.33654f), 1.5);
}

TEST(Math, TanhIsWithinItsErrorBound) {
  const Kernel kernel = forward<Tanh>;
  const float small = 1e-30f;  // products with smaller ones are not normal numbers
  EXPECT_LT(largest_error(kernel, tanh32, std::tanh, small, 3e38f), 2.5);
  EXPECT_LT(largest_error(kernel, tanh32, std::tanh, -small, -3e38f), 2.5);
}

TEST(Math, SigmoidIsWithinItsErrorBound) {
  const Kernel kernel = forward<Sigmoid>;
  EXPECT_LT(largest_error(kernel, sigmoid32, exact_sigmoid, kSmallest, 3e38f), 3);
  EXPECT_LT(largest_error(kernel, sigmoid32, exact_sigmoid, -kSmallest, -87.3f), 3);
}

TEST(Math, SoftplusIsWithinItsErrorBound) {
  const Kernel kernel = forward<Softplus>;
  EXPECT_LT(largest_error(kernel, softplus32, exact_softplus, kSmallest, 3e38f), 4);
  EXPECT_LT(largest_error(kernel, softplus32, exact_softplus, -kSmallest, -87.3f), 4);
}

// gelu() has no kernel for erf alone: only as this file is compiled.
TEST(Math, ErfIsWithinItsErrorBound) {
  for (const float sign : {1.0f, -1.0f}) {
    for (const float x : floats_between(1e-30f, 3e38f, 991)) {
      ASSERT_LT(ulps(math::erf(sign * x), std::erf(double{sign * x})), 7) << sign * x;
    }
  }
  EXPECT_EQ(math::erf(kInf), 1);
  EXPECT_EQ(math::erf(-kInf), -1);
  EXPECT_EQ(math::erf(0.0f), 0);
  EXPECT_TRUE(std::isnan(math::erf(kNan)));
}

TEST(Math, Extremes) {
  for (float (*f)(float) : {exp32, tanh32, sigmoid32, softplus32}) EXPECT_TRUE(std::isnan(f(kNan)));
  EXPECT_EQ(exp32(0), 1);
  EXPECT_EQ(exp32(kInf), kInf);
  EXPECT_EQ(exp32(-kInf), 0);
  EXPECT_EQ(exp32(89), kInf);
  EXPECT_EQ(exp32(-88), 0);
  EXPECT_LT(exp32(88.72283f), kInf);  // the largest argument whose result is a float
  EXPECT_EQ(exp32(std::nextafter(88.72283f, kInf)), kInf);
  EXPECT_GE(exp32(-87.33654f), kSmallest);
  EXPECT_EQ(tanh32(0), 0);
  EXPECT_TRUE(std::signbit(tanh32(-0.0f)));
  EXPECT_NEAR(tanh32(kInf), 1, 5e-7);
  EXPECT_LE(tanh32(kInf), 1);
  EXPECT_EQ(tanh32(-kInf), -tanh32(kInf));
  EXPECT_EQ(sigmoid32(0), 0.5f);
  EXPECT_EQ(sigmoid32(kInf), 1);
  EXPECT_EQ(sigmoid32(-kInf), 0);
  EXPECT_EQ(softplus32(kInf), kInf);
  EXPECT_EQ(softplus32(-kInf), 0);
}

// Neither leaves its range, for any argument: gates stay gates, and 1 - y^2 is never negative.
TEST(Math, StayInTheirRanges) {
  for (float x : floats_between(1e-30f, kInf, 4999)) {
    for (float v : {x, -x}) {
      ASSERT_LE(std::abs(tanh32(v)), 1) << v;
      ASSERT_TRUE(0 <= sigmoid32(v) && sigmoid32(v) <= 1) << v;
      ASSERT_GE(exp32(v), 0) << v;
    }
    ASSERT_EQ(tanh32(-x), -tanh32(x)) << x;
  }
}

// In a vector lane and in the remainder.
template <class Op> void check_nan(const char* name, Op op = {}) {
  std::vector<float> x(67, 0.5f), y(67);
  x[66] = x[3] = kNan;
  cpu::unary_forward(y.data(), x.data(), op, 67);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i == 3 || i == 66) << name;
}

TEST(Math, EveryElementwiseOpPassesNanOn) {
#define CHECK_OP(Op, name) check_nan<Op>(#name);
  HEED_UNARY_OPS(CHECK_OP)
#undef CHECK_OP
  check_nan("leaky_relu", LeakyRelu{0.1});
  check_nan("clamp", Clamp{-1, 1});
  check_nan("pow", Power{1.5});
  check_nan("div", Over{2});
}

TEST(Math, EveryBinaryOpPassesNanOn) {
  const float a[3] = {kNan, 0.5f, 0.5f}, b[3] = {0.5f, kNan, 0.5f};
  float y[3];
  const auto check = [&](const char* name) {
    for (int i : {0, 1, 2}) EXPECT_EQ(std::isnan(y[i]), i < 2) << name << " " << i;
  };
#define CHECK_OP(Op, name)             \
  cpu::binary_forward<Op>(y, a, b, 3); \
  check(#name);
  HEED_BINARY_OPS(CHECK_OP)
#undef CHECK_OP
}

// Wherever it stands, and the first of several.
TEST(Math, MaxPassesNanOn) {
  for (int first : {0, 1, 2, 3}) {
    std::vector<float> x{3, 1, 5, 2};
    for (int i = first; i < 4; i += 2) x[i] = kNan;
    float y = 0;
    int32_t where = -1;
    cpu::max_forward(&y, &where, x.data(), 1, 4, 1);
    EXPECT_TRUE(std::isnan(y)) << first;
    EXPECT_EQ(where, first);
  }
}

}  // namespace
}  // namespace heed
