// The elementwise ops: one struct each, compiled for both backends. To add one, write its struct,
// add it to the list below, declare the op in autograd/ops.h and give it a row in the op table
// test (docs/add-an-op.md).
#pragma once

#include <cmath>

#include "tensor/kernels/math.h"

namespace heed {

enum class Saves { kNothing, kInput, kOutput };  // what the derivative is a function of

struct Neg {  // y = -x
  static constexpr Saves kSaves = Saves::kNothing;
  template <class T> HEED_HD static T f(T x) { return -x; }
  template <class T> HEED_HD static T df(T) { return T(-1); }
};
struct Exp {  // y = e^x                dy/dx = y
  static constexpr Saves kSaves = Saves::kOutput;
  template <class T> HEED_HD static T f(T x) { return math::exp(x); }
  template <class T> HEED_HD static T df(T y) { return y; }
};
struct Log {  // y = ln x               dy/dx = 1 / x
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return std::log(x); }
  template <class T> HEED_HD static T df(T x) { return T(1) / x; }
};
struct Sqrt {  // y = x^(1/2)           dy/dx = 1 / (2 y)
  static constexpr Saves kSaves = Saves::kOutput;
  template <class T> HEED_HD static T f(T x) { return std::sqrt(x); }
  template <class T> HEED_HD static T df(T y) { return T(0.5) / y; }
};
struct Square {  // y = x^2             dy/dx = 2 x
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return x * x; }
  template <class T> HEED_HD static T df(T x) { return T(2) * x; }
};
struct Tanh {  // y = tanh(x)           dy/dx = 1 - y^2
  static constexpr Saves kSaves = Saves::kOutput;
  template <class T> HEED_HD static T f(T x) { return math::tanh(x); }
  template <class T> HEED_HD static T df(T y) { return T(1) - y * y; }
};
struct Sigmoid {  // y = 1 / (1 + e^-x) dy/dx = y (1 - y)
  static constexpr Saves kSaves = Saves::kOutput;
  template <class T> HEED_HD static T f(T x) { return math::sigmoid(x); }
  template <class T> HEED_HD static T df(T y) { return y * (T(1) - y); }
};
struct Relu {  // y = max(x, 0)         dy/dx = [y > 0]
  static constexpr Saves kSaves = Saves::kOutput;
  template <class T> HEED_HD static T f(T x) { return x < T(0) ? T(0) : x; }  // NaN stays
  template <class T> HEED_HD static T df(T y) { return y > T(0) ? T(1) : T(0); }
};
struct Gelu {  // y = x Phi(x)          dy/dx = Phi(x) + x phi(x)      (Hendrycks & Gimpel 2016)
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T cdf(T x) {
    return T(0.5) * (T(1) + math::erf(x * T(0.70710678118654752)));
  }
  template <class T> HEED_HD static T f(T x) { return x * cdf(x); }
  template <class T> HEED_HD static T df(T x) {
    return cdf(x) + x * T(0.39894228040143268) * math::exp(T(-0.5) * x * x);
  }
};

struct Abs {  // y = |x|                dy/dx = sign x, 0 at 0
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return std::fabs(x); }
  template <class T> HEED_HD static T df(T x) { return T((x > T(0)) - (x < T(0))); }
};
struct Sin {  // y = sin x              dy/dx = cos x
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return std::sin(x); }
  template <class T> HEED_HD static T df(T x) { return std::cos(x); }
};
struct Cos {  // y = cos x              dy/dx = -sin x
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return std::cos(x); }
  template <class T> HEED_HD static T df(T x) { return -std::sin(x); }
};
struct Log1p {  // y = ln(1 + x)        dy/dx = 1 / (1 + x)
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return std::log1p(x); }
  template <class T> HEED_HD static T df(T x) { return T(1) / (T(1) + x); }
};
struct Expm1 {  // y = e^x - 1          dy/dx = y + 1
  static constexpr Saves kSaves = Saves::kOutput;
  template <class T> HEED_HD static T f(T x) { return std::expm1(x); }
  template <class T> HEED_HD static T df(T y) { return y + T(1); }
};
struct Silu {  // y = x s, s = 1 / (1 + e^-x)   dy/dx = s (1 + x (1 - s))   (Elfwing et al. 2018)
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return x * math::sigmoid(x); }
  template <class T> HEED_HD static T df(T x) {
    const T s = math::sigmoid(x);
    return s * (T(1) + x * (T(1) - s));
  }
};
struct Softplus {  // y = ln(1 + e^x)   dy/dx = 1 / (1 + e^-x)
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) { return math::softplus(x); }
  template <class T> HEED_HD static T df(T x) { return math::sigmoid(x); }
};

// Ops with numbers of their own: the struct holds them.
struct LeakyRelu {  // y = x where x > 0, else slope x   dy/dx = 1 or slope  (Maas et al. 2013)
  static constexpr Saves kSaves = Saves::kInput;
  double slope;
  template <class T> HEED_HD T f(T x) const { return x > T(0) ? x : T(slope) * x; }
  template <class T> HEED_HD T df(T x) const { return x > T(0) ? T(1) : T(slope); }
};
struct Clamp {  // y = min(max(x, low), high)   dy/dx = [low <= x <= high]
  static constexpr Saves kSaves = Saves::kInput;
  double low, high;
  template <class T> HEED_HD T f(T x) const {  // NaN stays
    return x < T(low) ? T(low) : (x > T(high) ? T(high) : x);
  }
  template <class T> HEED_HD T df(T x) const { return T(low) <= x && x <= T(high) ? T(1) : T(0); }
};
struct Power {  // y = x^c                dy/dx = c x^(c - 1), 0 for c = 0
  static constexpr Saves kSaves = Saves::kInput;
  double c;
  template <class T> HEED_HD T f(T x) const { return std::pow(x, T(c)); }
  template <class T> HEED_HD T df(T x) const {
    return c == 0 ? T(0) : T(c) * std::pow(x, T(c - 1));
  }
};
struct DividedBy {  // y = x / c        dy/dx = 1 / c
  static constexpr Saves kSaves = Saves::kNothing;
  double c;
  template <class T> HEED_HD T f(T x) const { return x / T(c); }
  template <class T> HEED_HD T df(T) const { return T(1) / T(c); }
};
struct Over {  // y = c / x             dy/dx = -c / x^2
  static constexpr Saves kSaves = Saves::kInput;
  double c;
  template <class T> HEED_HD T f(T x) const { return T(c) / x; }
  template <class T> HEED_HD T df(T x) const { return -(T(c) / x) / x; }  // x * x may overflow
};

// Binary ops: y = f(a, b) with the partial derivatives da and db. kDa and kDb say which inputs
// these read: one of them, both or, where the derivative is a constant, none. If the constant is 1,
// kOne says so: the gradient is dy itself.
enum class Reads { kOne, kNothing, kA, kB, kBoth };

struct Add {
  static constexpr Reads kDa = Reads::kOne, kDb = Reads::kOne;
  template <class T> HEED_HD static T f(T a, T b) { return a + b; }
  template <class T> HEED_HD static T da(T, T) { return T(1); }
  template <class T> HEED_HD static T db(T, T) { return T(1); }
};
struct Sub {
  static constexpr Reads kDa = Reads::kOne, kDb = Reads::kNothing;
  template <class T> HEED_HD static T f(T a, T b) { return a - b; }
  template <class T> HEED_HD static T da(T, T) { return T(1); }
  template <class T> HEED_HD static T db(T, T) { return T(-1); }
};
struct Mul {
  static constexpr Reads kDa = Reads::kB, kDb = Reads::kA;
  template <class T> HEED_HD static T f(T a, T b) { return a * b; }
  template <class T> HEED_HD static T da(T, T b) { return b; }
  template <class T> HEED_HD static T db(T a, T) { return a; }
};
struct Div {
  static constexpr Reads kDa = Reads::kB, kDb = Reads::kBoth;
  template <class T> HEED_HD static T f(T a, T b) { return a / b; }
  template <class T> HEED_HD static T da(T, T b) { return T(1) / b; }
  template <class T> HEED_HD static T db(T a, T b) { return -(a / b) / b; }  // b * b may overflow
};
struct Minimum {  // NaN if one is; at ties each has half of the gradient
  static constexpr Reads kDa = Reads::kBoth, kDb = Reads::kBoth;
  template <class T> HEED_HD static T f(T a, T b) { return a < b || std::isnan(a) ? a : b; }
  template <class T> HEED_HD static T da(T a, T b) { return a < b ? T(1) : T(0.5) * T(a == b); }
  template <class T> HEED_HD static T db(T a, T b) { return da(b, a); }
};
struct Maximum {  // the same
  static constexpr Reads kDa = Reads::kBoth, kDb = Reads::kBoth;
  template <class T> HEED_HD static T f(T a, T b) { return a > b || std::isnan(a) ? a : b; }
  template <class T> HEED_HD static T da(T a, T b) { return a > b ? T(1) : T(0.5) * T(a == b); }
  template <class T> HEED_HD static T db(T a, T b) { return da(b, a); }
};
struct Pow {  // y = a^b   dy/da = b a^(b - 1), 0 for b = 0;   dy/db = y ln a, 0 for a = 0 <= b
  static constexpr Reads kDa = Reads::kBoth, kDb = Reads::kBoth;
  template <class T> HEED_HD static T f(T a, T b) { return std::pow(a, b); }
  template <class T> HEED_HD static T da(T a, T b) {
    return b == T(0) ? T(0) : b * std::pow(a, b - T(1));
  }
  template <class T> HEED_HD static T db(T a, T b) {
    return a == T(0) && b >= T(0) ? T(0) : T(std::pow(a, b) * std::log(a));
  }
};

struct Equal {
  template <class T> HEED_HD static bool holds(T a, T b) { return a == b; }
};
struct NotEqual {
  template <class T> HEED_HD static bool holds(T a, T b) { return a != b; }
};
struct Less {
  template <class T> HEED_HD static bool holds(T a, T b) { return a < b; }
};
struct LessEqual {
  template <class T> HEED_HD static bool holds(T a, T b) { return a <= b; }
};

// Element i of an input, or 0 where a derivative does not read it and the pointer may be null.
template <Reads kReads, class T> HEED_HD T input_a(const T* a, int64_t i) {
  return kReads == Reads::kA || kReads == Reads::kBoth ? a[i] : T(0);
}
template <Reads kReads, class T> HEED_HD T input_b(const T* b, int64_t i) {
  return kReads == Reads::kB || kReads == Reads::kBoth ? b[i] : T(0);
}

// clang-format off
// X(struct, function), from which autograd/ops/elementwise.cc defines Var function(const Var& x)
#define HEED_UNARY_OPS(X)                                                            \
  X(Neg, neg) X(Exp, exp) X(Log, log) X(Sqrt, sqrt) X(Square, square) X(Tanh, tanh)  \
  X(Sigmoid, sigmoid) X(Relu, relu) X(Gelu, gelu) X(Abs, abs) X(Sin, sin) X(Cos, cos)\
  X(Log1p, log1p) X(Expm1, expm1) X(Silu, silu) X(Softplus, softplus)
// X(struct, function, its parameters, the numbers of the struct)
#define HEED_UNARY_OPS_WITH_NUMBERS(X)                                \
  X(LeakyRelu, leaky_relu, (const Var& x, double slope), slope)       \
  X(Clamp, clamp, (const Var& x, double low, double high), low, high) \
  X(Power, pow, (const Var& x, double c), c)                          \
  X(DividedBy, div, (const Var& x, double c), c)                      \
  X(Over, div, (double c, const Var& x), c)
// X(struct, function), from which Var function(const Var& a, const Var& b)
#define HEED_BINARY_OPS(X)                        \
  X(Add, add) X(Sub, sub) X(Mul, mul) X(Div, div) \
  X(Minimum, minimum) X(Maximum, maximum) X(Pow, pow)
#define HEED_COMPARISONS(X) X(Equal) X(NotEqual) X(Less) X(LessEqual)
// clang-format on

// NOLINTBEGIN(bugprone-macro-parentheses): types take none

// The kernels of an op in f32 and f64, and of a comparison in i32, too. For the end of
// elementwise.cc.
#define HEED_INSTANTIATE_UNARY_OF(Op, T)                      \
  template void unary_forward<Op>(T*, const T*, Op, int64_t); \
  template void unary_backward<Op>(Out<T>, const T*, const T*, Op, int64_t);
#define HEED_INSTANTIATE_UNARY(Op, ...) \
  HEED_INSTANTIATE_UNARY_OF(Op, float) HEED_INSTANTIATE_UNARY_OF(Op, double)

#define HEED_INSTANTIATE_BINARY_OF(Op, T)                                             \
  template void binary_forward<Op>(T*, const T*, const T*, int64_t);                  \
  template void binary_backward_a<Op>(Out<T>, const T*, const T*, const T*, int64_t); \
  template void binary_backward_b<Op>(Out<T>, const T*, const T*, const T*, int64_t);
#define HEED_INSTANTIATE_BINARY(Op, ...) \
  HEED_INSTANTIATE_BINARY_OF(Op, float) HEED_INSTANTIATE_BINARY_OF(Op, double)

#define HEED_INSTANTIATE_COMPARISON_OF(Op, T) \
  template void compare<Op>(int32_t*, const T*, const T*, int64_t);
#define HEED_INSTANTIATE_COMPARISON(Op)      \
  HEED_INSTANTIATE_COMPARISON_OF(Op, float)  \
  HEED_INSTANTIATE_COMPARISON_OF(Op, double) \
  HEED_INSTANTIATE_COMPARISON_OF(Op, int32_t)
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace heed
