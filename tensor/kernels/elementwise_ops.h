// The elementwise ops: one struct each, compiled for both backends. To add one, write its struct,
// add it to the list below, declare the op in autograd/ops.h and give it a row in the op table
// test.
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

// Binary ops: y = f(a, b) with the partial derivatives da and db, and what these are functions of:
// some of the inputs, or nothing; kOne says that it is 1, so that dy itself is the gradient.
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
  template <class T> HEED_HD static T db(T a, T b) { return -a / (b * b); }
};

// Element i of an input, or 0 where a derivative does not read it and the pointer may be null.
template <Reads kReads, class T> HEED_HD T input_a(const T* a, int64_t i) {
  return kReads == Reads::kA || kReads == Reads::kBoth ? a[i] : T(0);
}
template <Reads kReads, class T> HEED_HD T input_b(const T* b, int64_t i) {
  return kReads == Reads::kB || kReads == Reads::kBoth ? b[i] : T(0);
}

#define HEED_UNARY_OPS(X) X(Neg) X(Exp) X(Log) X(Sqrt) X(Square) X(Tanh) X(Sigmoid) X(Relu) X(Gelu)
#define HEED_BINARY_OPS(X) X(Add) X(Sub) X(Mul) X(Div)

// The kernels of an op, in f32 and f64; for the end of elementwise.cc and elementwise.cu.
#define HEED_INSTANTIATE_UNARY_OF(Op, T)                  \
  template void unary_forward<Op>(T*, const T*, int64_t); \
  template void unary_backward<Op>(Out<T>, const T*, const T*, int64_t);
#define HEED_INSTANTIATE_UNARY(Op) \
  HEED_INSTANTIATE_UNARY_OF(Op, float) HEED_INSTANTIATE_UNARY_OF(Op, double)

#define HEED_INSTANTIATE_BINARY_OF(Op, T)                                             \
  template void binary_forward<Op>(T*, const T*, const T*, int64_t);                  \
  template void binary_backward_a<Op>(Out<T>, const T*, const T*, const T*, int64_t); \
  template void binary_backward_b<Op>(Out<T>, const T*, const T*, const T*, int64_t);
#define HEED_INSTANTIATE_BINARY(Op) \
  HEED_INSTANTIATE_BINARY_OF(Op, float) HEED_INSTANTIATE_BINARY_OF(Op, double)

}  // namespace heed
