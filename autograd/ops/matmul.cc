#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/gemm.h"

namespace heed {

constexpr Trans kNo = Trans::no, kYes = Trans::yes;

// C = A B,  dA += dC B^T,  dB += A^T dC
Var matmul(const Var& a, const Var& b) {
  check_shape(a.shape().rank() == 2 && b.shape().rank() == 2,
              "matmul: needs two matrices, got " + a.shape().str() + " and " + b.shape().str());
  check_shape(a.shape()[1] == b.shape()[0],
              "matmul: inner axes differ, " + a.shape().str() + " times " + b.shape().str());
  check_types("matmul", a, b);
  const int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  Tensor c = Tensor::empty({m, n}, a.dtype(), a.device());
  KERNEL(c, gemm(c.data<T>(), n, a.value().data<T>(), k, kNo, b.value().data<T>(), n, kNo, m, n, k,
                 false));

  return record("matmul", c, {a, b},
                [a = a.value(), b = b.value(), m, n, k](const Tensor& dc, const Grads& dx) {
                  if (dx.needs(0)) {
                    KERNEL(dc, gemm(dx.data<T>(0), k, dc.data<T>(), n, kNo, b.data<T>(), n, kYes, m,
                                    k, n, true));
                  }
                  if (dx.needs(1)) {
                    KERNEL(dc, gemm(dx.data<T>(1), n, a.data<T>(), k, kYes, dc.data<T>(), n, kNo, k,
                                    n, m, true));
                  }
                });
}

// C_i = A_i B_i,  dA_i += dC_i B_i^T,  dB_i += A_i^T dC_i
Var bmm(const Var& a, const Var& b) {
  check_shape(
      a.shape().rank() == 3 && b.shape().rank() == 3 && a.shape()[0] == b.shape()[0] &&
          a.shape()[2] == b.shape()[1],
      "bmm: needs (b, m, k) times (b, k, n), got " + a.shape().str() + " and " + b.shape().str());
  check_types("bmm", a, b);
  const int64_t batch = a.shape()[0], m = a.shape()[1], k = a.shape()[2], n = b.shape()[2];
  Tensor c = Tensor::empty({batch, m, n}, a.dtype(), a.device());
  KERNEL(c, gemm_batched(c.data<T>(), m * n, a.value().data<T>(), m * k, kNo, b.value().data<T>(),
                         k * n, kNo, batch, m, n, k, false));

  return record("bmm", c, {a, b},
                [a = a.value(), b = b.value(), batch, m, n, k](const Tensor& dc, const Grads& dx) {
                  if (dx.needs(0)) {
                    KERNEL(dc, gemm_batched(dx.data<T>(0), m * k, dc.data<T>(), m * n, kNo,
                                            b.data<T>(), k * n, kYes, batch, m, k, n, true));
                  }
                  if (dx.needs(1)) {
                    KERNEL(dc, gemm_batched(dx.data<T>(1), k * n, a.data<T>(), m * k, kYes,
                                            dc.data<T>(), m * n, kNo, batch, k, n, m, true));
                  }
                });
}

namespace {

void check_affine(const char* op, const Var& x, const Var& w) {
  const std::string name(op);
  check_shape(x.shape().rank() >= 1 && w.shape().rank() == 2,
              name + ": x " + x.shape().str() + " and weight " + w.shape().str() +
                  ", expected (..., in) and (out, in)");
  check_types(op, x, w);
}

// y = x W'^T + b,  dx += dy W',  dW' += dy^T x,  db += sum over rows of dy,
// for the columns W' = W[:, first_col : first_col + in]
Var affine_part(const char* op, const Var& x, const Var& w, const Var& b, int64_t first_col) {
  const int64_t in = x.shape().back(), out = w.shape()[0];
  const int64_t n = x.shape().product(0, x.shape().rank() - 1);
  Tensor y = Tensor::empty(x.shape().with(-1, out), x.dtype(), x.device());
  Multiplier(w.value(), kYes, first_col, in)(y, x.value(), false);
  if (b.defined()) KERNEL(y, add_bias(y.data<T>(), b.value().data<T>(), n, out));

  return record(
      op, y, {x, w, b},
      [x = x.value(), w = w.value(), n, in, out, first_col](const Tensor& dy, const Grads& dx) {
        if (dx.needs(0)) Multiplier(w, kNo, first_col, in)(dx[0], dy, true);
        dx.add_outer(1, dy.reshape({n, out}), x.reshape({n, in}), first_col);
        if (dx.needs(2)) KERNEL(dy, sum_rows(dx.data<T>(2), dy.data<T>(), n, out));
      });
}

}  // namespace

Var affine(const Var& x, const Var& w, const Var& b) {
  check_affine("affine", x, w);
  check_shape(x.shape().back() == w.shape()[1],
              "affine: x " + x.shape().str() + " does not fit the weight " + w.shape().str());
  check_shape(!b.defined() || b.shape() == Shape{w.shape()[0]},
              "affine: bias " + (b.defined() ? b.shape().str() : "") + " does not fit the weight " +
                  w.shape().str());
  if (b.defined()) check_types("affine", x, b);
  return affine_part("affine", x, w, b, 0);
}

Var affine_columns(const Var& x, const Var& w, int64_t first_col) {
  check_affine("affine_columns", x, w);
  check_shape(first_col >= 0 && first_col + x.shape().back() <= w.shape()[1],
              "affine_columns: x " + x.shape().str() + " does not fit the weight " +
                  w.shape().str() + " from column " + std::to_string(first_col));
  return affine_part("affine_columns", x, w, {}, first_col);
}

}  // namespace heed
