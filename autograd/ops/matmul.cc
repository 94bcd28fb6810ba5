#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/reduce.h"

namespace heed {

// C = A B,   dA = dC B^T,   dB = A^T dC
Var matmul(const Var& a, const Var& b) {
  check_types("matmul", a, b);
  check_shape(a.shape().rank() == 2 && b.shape().rank() == 2, "matmul: needs two matrices, got ",
              a.shape(), " and ", b.shape());
  check_shape(a.shape()[1] == b.shape()[0], "matmul: inner axes differ, ", a.shape(), " times ",
              b.shape());
  const Tensor c = Tensor::empty({a.shape()[0], b.shape()[1]}, a.dtype(), a.device());
  gemm(c, a.value(), b.value());

  return record("matmul", c, {a, b},
                [a = a.for_grad_of(b), b = b.for_grad_of(a)](Tensor dc, const Grads& dx) {
                  if (auto da = dx.to(0)) gemm(da, dc, b.t());
                  if (auto db = dx.to(1)) gemm(db, a.t(), dc);
                });
}

// C_i = A_i B_i,   dA_i = dC_i B_i^T,   dB_i = A_i^T dC_i
Var bmm(const Var& a, const Var& b) {
  check_types("bmm", a, b);
  check_shape(a.shape().rank() == 3 && b.shape().rank() == 3 && a.shape()[0] == b.shape()[0] &&
                  a.shape()[2] == b.shape()[1],
              "bmm: needs (b, m, k) times (b, k, n), got ", a.shape(), " and ", b.shape());
  constexpr auto each = Matrix::each;
  const Tensor c = Tensor::empty(a.shape().with(2, b.shape()[2]), a.dtype(), a.device());
  gemm(each(c), each(a.value()), each(b.value()));

  return record("bmm", c, {a, b},
                [a = a.for_grad_of(b), b = b.for_grad_of(a)](Tensor dc, const Grads& dx) {
                  if (auto da = dx.to(0)) gemm(da, each(dc), each(b).t());
                  if (auto db = dx.to(1)) gemm(db, each(a).t(), each(dc));
                });
}

namespace {

void check_affine(const char* op, const Var& x, const Var& w) {
  check_types(op, x, w);
  check_shape(x.shape().rank() >= 1 && w.shape().rank() == 2, op, ": x ", x.shape(), " and weight ",
              w.shape(), ", expected (..., in) and (out, in)");
}

// y = x W'^T + b,   dx = dy W',   dW' = dy^T x,   db = sum over rows of dy,
// for the columns W' = W[:, first_col : first_col + in]
Var affine_part(const char* op, const Var& x, const Var& w, const Var& b, int64_t first_col) {
  const int64_t in = x.shape().back(), out = w.shape()[0];
  const int64_t n = x.shape().product(0, x.shape().rank() - 1);
  const Tensor y = Tensor::empty(x.shape().with(-1, out), x.dtype(), x.device());
  gemm(y, x.value(), RightFactor(Matrix(w.value()).columns(first_col, in).t()));
  if (b.defined()) KERNEL(y, add_bias(y.data<T>(), b.value().data<T>(), n, out));

  return record(op, y, {x, w, b},
                [x = x.for_grad_of(w), w = w.for_grad_of(x), n, in, out, first_col](
                    Tensor dy, const Grads& dx) {
                  if (auto to = dx.to(0)) {
                    gemm(to, dy, RightFactor(Matrix(w.get()).columns(first_col, in)));
                  }
                  if (dx.needs(1)) {
                    dx.add_outer(1, dy.reshape({n, out}), x.get().reshape({n, in}), first_col);
                  }
                  if (dx.needs(2)) KERNEL(dy, sum_rows(dx.sum<T>(2), dy.data<T>(), n, out));
                });
}

}  // namespace

Var affine(const Var& x, const Var& w, const Var& b) {
  check_affine("affine", x, w);
  check_shape(x.shape().back() == w.shape()[1], "affine: x ", x.shape(),
              " does not fit the weight ", w.shape());
  check_shape(!b.defined() || b.shape() == Shape{w.shape()[0]}, "affine: bias ", b.shape(),
              " does not fit the weight ", w.shape());
  if (b.defined()) check_types("affine", x, b);
  return affine_part("affine", x, w, b, 0);
}

Var affine_columns(const Var& x, const Var& w, int64_t first_col) {
  check_affine("affine_columns", x, w);
  check_shape(first_col >= 0 && first_col + x.shape().back() <= w.shape()[1], "affine_columns: x ",
              x.shape(), " does not fit the weight ", w.shape(), " from column ", first_col);
  return affine_part("affine_columns", x, w, {}, first_col);
}

}  // namespace heed
