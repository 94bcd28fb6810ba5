#include "tensor/kernels/elementwise.h"

#include <cmath>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/broadcast.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/random.h"

namespace heed {
namespace {

template <class Op> void check_numbers(const Op&) {}
void check_numbers(const Clamp& c) {
  if (!(c.low <= c.high)) {
    throw UsageError(text("clamp: needs low <= high, got ", c.low, " and ", c.high));
  }
}

// y = op(x),   dx = dy op'(x or y)
template <class Op> Var unary(const char* name, const Var& x, Op op = {}) {
  check_numbers(op);
  check_float(name, x);
  const Tensor y = empty_like(x.value());
  const int64_t n = y.numel();
  KERNEL(y, unary_forward(y.data<T>(), x.value().data<T>(), op, n));

  Saved saved;
  if (Op::kSaves == Saves::kInput) saved = x.value();
  if (Op::kSaves == Saves::kOutput) saved = y;
  return record(name, y, {x}, [saved, op, n](Tensor dy, const Grads& dx) {
    KERNEL(dy, unary_backward(dx.to<T>(0), saved.data<T>(), dy.data<T>(), op, n));
  });
}

Saved broadcast(const Saved& x, const Shape& shape) {
  return x.defined() ? Saved(broadcast_to(x.get(), shape)) : Saved();
}

constexpr bool reads_a(Reads reads) {
  return reads == Reads::kA || reads == Reads::kBoth;
}
constexpr bool reads_b(Reads reads) {
  return reads == Reads::kB || reads == Reads::kBoth;
}

// y = Op(a, b),   da = dy dOp/da,   db = dy dOp/db,   of one shape after broadcasting. What is kept
// of a and b is what a gradient reads, as it was before broadcasting.
template <class Op> Var binary(const char* name, const Var& a, const Var& b) {
  const CalledOp called(name);
  check_float(name, a);
  check_float(name, b);
  const Shape shape = broadcast_shape(name, a.shape(), b.shape());
  check_types(name, a, b);
  const Var wide_a = expand(a, shape), wide_b = expand(b, shape);
  const Tensor y = empty_like(wide_a.value());
  const int64_t n = y.numel();
  KERNEL(y, binary_forward<Op>(y.data<T>(), wide_a.value().data<T>(), wide_b.value().data<T>(), n));

  const bool da = wants_grad(a), db = wants_grad(b);
  Saved kept_a, kept_b;
  if ((da && reads_a(Op::kDa)) || (db && reads_a(Op::kDb))) kept_a = a.value();
  if ((da && reads_b(Op::kDa)) || (db && reads_b(Op::kDb))) kept_b = b.value();
  return record(name, y, {wide_a, wide_b}, [kept_a, kept_b, shape, n](Tensor dy, const Grads& dx) {
    const Saved a = broadcast(kept_a, shape), b = broadcast(kept_b, shape);
    if (Op::kDb == Reads::kOne) {
      dx.add(1, dy);
    } else if (dx.needs(1)) {
      KERNEL(dy, binary_backward_b<Op>(dx.to<T>(1), a.data<T>(), b.data<T>(), dy.data<T>(), n));
    }
    if (Op::kDa == Reads::kOne) {
      dx.add(0, std::move(dy));
    } else if (dx.needs(0)) {
      KERNEL(dy, binary_backward_a<Op>(dx.to<T>(0), a.data<T>(), b.data<T>(), dy.data<T>(), n));
    }
  });
}

// y = alpha x + beta,   dx = alpha dy
Var linear_map(const char* name, const Var& x, double alpha, double beta) {
  check_float(name, x);
  const Tensor y = empty_like(x.value());
  const int64_t n = y.numel();
  KERNEL(y, scale_shift(y.data<T>(), x.value().data<T>(), T(alpha), T(beta), n));

  return record(name, y, {x}, [alpha, n](Tensor dy, const Grads& dx) {
    if (alpha == 1) return dx.add(0, std::move(dy));
    KERNEL(dy, scale(dx.to<T>(0), dy.data<T>(), T(alpha), n));
  });
}

// A number beside x.
Tensor number_like(const char* op, double value, const Var& x) {
  check_defined(op, x);
  return Tensor::full({}, value, x.dtype(), x.device());
}

void check_mask(const char* op, const Tensor& mask, const Var& x) {
  check_shape(mask.defined() && mask.dtype() == DType::i32, op, ": mask must be i32, got ",
              name_of(mask.dtype()));
  check_devices(op, mask, x.value());
}

}  // namespace

#define DEFINE_UNARY(Op, name)  \
  Var name(const Var& x) {      \
    return unary<Op>(#name, x); \
  }
#define DEFINE_UNARY_WITH_NUMBERS(Op, name, parameters, ...) \
  Var name parameters {                                      \
    return unary(#name, x, Op{__VA_ARGS__});                 \
  }
#define DEFINE_BINARY(Op, name)          \
  Var name(const Var& a, const Var& b) { \
    return binary<Op>(#name, a, b);      \
  }

HEED_UNARY_OPS(DEFINE_UNARY)
HEED_UNARY_OPS_WITH_NUMBERS(DEFINE_UNARY_WITH_NUMBERS)
HEED_BINARY_OPS(DEFINE_BINARY)

Var minimum(const Var& a, double b) {
  check_float("minimum", a);
  return minimum(a, number_like("minimum", b, a));
}
Var maximum(const Var& a, double b) {
  check_float("maximum", a);
  return maximum(a, number_like("maximum", b, a));
}
Var add(const Var& a, double b) {
  return linear_map("add", a, 1, b);
}
Var sub(double a, const Var& b) {
  return linear_map("sub", b, -1, a);
}
Var mul(const Var& a, double b) {
  return linear_map("mul", a, b, 0);
}

namespace {

// y = mask ? a : b,   da = mask ? dy : 0,   db = mask ? 0 : dy,   of one shape after broadcasting
Var chosen(const char* op, const Tensor& mask, const Var& a, const Var& b) {
  const CalledOp called(op);
  check_types(op, a.value(), b.value());
  check_mask(op, mask, a);
  const Shape shape = broadcast_shape(op, broadcast_shape(op, mask.shape(), a.shape()), b.shape());
  const Var wide_a = expand(a, shape), wide_b = expand(b, shape);
  const Tensor wide_mask = broadcast_to(mask, shape), y = empty_like(wide_a.value());
  const int64_t n = y.numel();
  KERNEL_OR_I32(y, where_forward(y.data<T>(), wide_mask.data<int32_t>(), wide_a.value().data<T>(),
                                 wide_b.value().data<T>(), n));

  return record(
      op, y, {wide_a, wide_b}, [mask = Saved(mask), shape, n](Tensor dy, const Grads& dx) {
        const Tensor wide = broadcast_to(mask, shape);
        for (int i : {0, 1}) {
          if (!dx.needs(i)) continue;
          KERNEL(dy, where_backward(dx.to<T>(i), wide.data<int32_t>(), i == 0, dy.data<T>(), n));
        }
      });
}

}  // namespace

Var where(const Tensor& mask, const Var& a, const Var& b) {
  return chosen("where", mask, a, b);
}
Var where(const Tensor& mask, const Var& a, double b) {
  return where(mask, a, number_like("where", b, a));
}
Var where(const Tensor& mask, double a, const Var& b) {
  return where(mask, number_like("where", a, b), b);
}

Var masked_fill(const Var& x, const Tensor& mask, double value) {
  check_float("masked_fill", x);
  check_mask("masked_fill", mask, x);
  check_shape(broadcast_shape("masked_fill", mask.shape(), x.shape()) == x.shape(),
              "masked_fill: mask ", mask.shape(), " does not fit x ", x.shape());
  return chosen("masked_fill", mask, Tensor::full(x.shape(), value, x.dtype(), x.device()), x);
}

// y_i = keep_i x_i / (1 - p),   dx_i = keep_i dy_i / (1 - p); keep is drawn again, not stored
Var dropout(const Var& x, double p, RandomKey key) {
  if (!(p >= 0 && p < 1)) {
    throw UsageError(text("dropout: the probability must be in [0, 1), got ", p));
  }
  if (p == 0) return x;
  check_float("dropout", x);
  const Tensor y = empty_like(x.value());
  const int64_t n = y.numel();
  KERNEL(y, dropout<T>(y.data<T>(), x.value().data<T>(), T(p), key, n));

  return record("dropout", y, {x}, [p, key, n](Tensor dy, const Grads& dx) {
    KERNEL(dy, dropout(dx.to<T>(0), dy.data<T>(), T(p), key, n));
  });
}

}  // namespace heed
