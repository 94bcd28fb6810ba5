#include "tensor/kernels/elementwise.h"

#include <algorithm>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/random.h"

namespace heed {
namespace {

// y = Op(x),  dx += dy Op'(x or y)
template <class Op> Var unary(const char* name, const Var& x) {
  static_assert(Op::kSaves != Saves::kNothing, "df is a function of the input or the output");
  check_defined(name, x);
  Tensor y = empty_like(x.value());
  const int64_t n = y.numel();
  KERNEL(y, unary_forward<Op>(y.data<T>(), x.value().data<T>(), n));

  const Tensor saved = Op::kSaves == Saves::kInput ? x.value() : y;
  return record(name, y, {x}, [saved, n](const Tensor& dy, const Grads& dx) {
    KERNEL(dy, unary_backward<Op>(dx[0].data<T>(), saved.data<T>(), dy.data<T>(), n));
  });
}

// The shape that a and b broadcast to.
Shape broadcast(const char* name, const Shape& a, const Shape& b) {
  std::vector<int64_t> sizes(std::max(a.rank(), b.rank()));
  for (int i = 1; i <= static_cast<int>(sizes.size()); ++i) {
    const int64_t m = i <= a.rank() ? a[-i] : 1, n = i <= b.rank() ? b[-i] : 1;
    check_shape(m == n || m == 1 || n == 1,
                std::string(name) + ": shapes do not broadcast, " + a.str() + " and " + b.str());
    sizes[sizes.size() - i] = m == 1 ? n : m;
  }
  return Shape(sizes);
}

// y = Op(a, b),  da += dy dOp/da,  db += dy dOp/db,  of one shape after broadcasting
template <class Op> Var binary(const char* name, const Var& a_in, const Var& b_in) {
  static_assert(Op::kSaves != Saves::kOutput,
                "da and db are functions of the inputs, or of nothing");
  check_defined(name, a_in);
  check_defined(name, b_in);
  const Shape shape = broadcast(name, a_in.shape(), b_in.shape());
  check_types(name, a_in, b_in);
  const Var a = expand(a_in, shape), b = expand(b_in, shape);
  Tensor y = empty_like(a.value());
  const int64_t n = y.numel();
  KERNEL(y, binary_forward<Op>(y.data<T>(), a.value().data<T>(), b.value().data<T>(), n));

  if constexpr (Op::kSaves == Saves::kNothing) {  // dy stands for inputs that are not looked at
    return record(name, y, {a, b}, [n](const Tensor& dy, const Grads& dx) {
      KERNEL(dy, binary_backward<Op>(dx.data<T>(0), dx.data<T>(1), dy.data<T>(), dy.data<T>(),
                                     dy.data<T>(), n));
    });
  }
  return record(name, y, {a, b},
                [a = a.value(), b = b.value(), n](const Tensor& dy, const Grads& dx) {
                  KERNEL(dy, binary_backward<Op>(dx.data<T>(0), dx.data<T>(1), a.data<T>(),
                                                 b.data<T>(), dy.data<T>(), n));
                });
}

// y = alpha x + beta,  dx += alpha dy
Var linear_map(const char* name, const Var& x, double alpha, double beta) {
  check_defined(name, x);
  Tensor y = empty_like(x.value());
  const int64_t n = y.numel();
  KERNEL(y, scale_shift(y.data<T>(), x.value().data<T>(), T(alpha), T(beta), n));

  return record(name, y, {x}, [alpha, n](const Tensor& dy, const Grads& dx) {
    KERNEL(dy, accumulate(dx[0].data<T>(), dy.data<T>(), T(alpha), n));
  });
}

void check_mask(const char* op, const Tensor& mask, const Var& x) {
  check_shape(mask.dtype() == DType::i32,
              std::string(op) + ": mask must be i32, got " + name_of(mask.dtype()));
  check_devices(op, mask, x.value());
}

}  // namespace

Var add(const Var& a, const Var& b) {
  return binary<Add>("add", a, b);
}
Var sub(const Var& a, const Var& b) {
  return binary<Sub>("sub", a, b);
}
Var mul(const Var& a, const Var& b) {
  return binary<Mul>("mul", a, b);
}
Var div(const Var& a, const Var& b) {
  return binary<Div>("div", a, b);
}
Var add(const Var& a, double b) {
  return linear_map("add", a, 1, b);
}
Var mul(const Var& a, double b) {
  return linear_map("mul", a, b, 0);
}

Var neg(const Var& x) {
  return unary<Neg>("neg", x);
}
Var exp(const Var& x) {
  return unary<Exp>("exp", x);
}
Var log(const Var& x) {
  return unary<Log>("log", x);
}
Var sqrt(const Var& x) {
  return unary<Sqrt>("sqrt", x);
}
Var square(const Var& x) {
  return unary<Square>("square", x);
}
Var tanh(const Var& x) {
  return unary<Tanh>("tanh", x);
}
Var sigmoid(const Var& x) {
  return unary<Sigmoid>("sigmoid", x);
}
Var relu(const Var& x) {
  return unary<Relu>("relu", x);
}
Var gelu(const Var& x) {
  return unary<Gelu>("gelu", x);
}

// y = mask ? a : b,  da += mask ? dy : 0,  db += mask ? 0 : dy
Var where(const Tensor& mask, const Var& a, const Var& b) {
  check_shape(a.shape() == b.shape() && a.shape() == mask.shape(),
              "where: shapes differ, mask " + mask.shape().str() + ", a " + a.shape().str() +
                  ", b " + b.shape().str());
  check_mask("where", mask, a);
  check_types("where", a, b);
  Tensor y = empty_like(a.value());
  const int64_t n = y.numel();
  KERNEL(y, where_forward(y.data<T>(), mask.data<int32_t>(), a.value().data<T>(),
                          b.value().data<T>(), n));

  return record("where", y, {a, b}, [mask, n](const Tensor& dy, const Grads& dx) {
    KERNEL(dy, where_backward(dx.data<T>(0), dx.data<T>(1), mask.data<int32_t>(), dy.data<T>(), n));
  });
}

Var masked_fill(const Var& x, const Tensor& mask, double value) {
  check_shape(mask.shape() == x.shape(),
              "masked_fill: mask " + mask.shape().str() + " does not fit x " + x.shape().str());
  check_mask("masked_fill", mask, x);
  return where(mask, Tensor::full(x.shape(), value, x.dtype(), x.device()), x);
}

// y_i = keep_i x_i / (1 - p),  dx_i += keep_i dy_i / (1 - p); keep is drawn again, not stored
Var dropout(const Var& x, double p, RandomKey key) {
  if (!(p >= 0 && p < 1)) {
    throw UsageError("dropout: the probability must be in [0, 1), got " + std::to_string(p));
  }
  if (p == 0) return x;
  check_defined("dropout", x);
  Tensor y = empty_like(x.value());
  const int64_t n = y.numel();
  KERNEL(y, dropout(y.data<T>(), x.value().data<T>(), T(p), key, n, /*accumulate=*/false));

  return record("dropout", y, {x}, [p, key, n](const Tensor& dy, const Grads& dx) {
    KERNEL(dy, dropout(dx[0].data<T>(), dy.data<T>(), T(p), key, n, /*accumulate=*/true));
  });
}

}  // namespace heed
