#include "tensor/kernels/reduce.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"

namespace heed {
namespace {

// y = scale sum_j x_j,   dx_j = scale dy,   for x (outer, n, inner)
Var scaled_sum(const char* name, const Var& x, Shape shape, double scale, int64_t outer, int64_t n,
               int64_t inner) {
  check_defined(name, x);
  const Tensor y = Tensor::empty(shape, x.dtype(), x.device());
  KERNEL(y, sum_forward(y.data<T>(), x.value().data<T>(), T(scale), outer, n, inner));

  return record(name, y, {x}, [scale, outer, n, inner](Tensor dy, const Grads& dx) {
    KERNEL(dy, sum_backward(dx.to<T>(0), dy.data<T>(), T(scale), outer, n, inner));
  });
}

Var scaled_sum(const char* name, const Var& x, int axis, double scale) {
  const int a = x.shape().normalize(axis, name), rank = x.shape().rank();
  return scaled_sum(name, x, x.shape().without(a), scale, x.shape().product(0, a), x.shape()[a],
                    x.shape().product(a + 1, rank));
}

}  // namespace

Var sum(const Var& x) {
  return scaled_sum("sum", x, Shape{}, 1, 1, x.shape().numel(), 1);
}
Var sum(const Var& x, int axis) {
  return scaled_sum("sum", x, axis, 1);
}

Var mean(const Var& x) {
  check_shape(x.shape().numel() > 0, "mean: no elements in ", x.shape());
  return scaled_sum("mean", x, Shape{}, 1.0 / x.shape().numel(), 1, x.shape().numel(), 1);
}

Var mean(const Var& x, int axis) {
  const int64_t n = x.shape()[x.shape().normalize(axis, "mean")];
  check_shape(n > 0, "mean: no elements along axis ", axis, " of ", x.shape());
  return scaled_sum("mean", x, axis, 1.0 / n);
}

// y = max_j x_j at j = where,   dx_where = dy, all others 0. A NaN counts as the largest.
Var max(const Var& x, int axis) {
  const int a = x.shape().normalize(axis, "max"), rank = x.shape().rank();
  const int64_t outer = x.shape().product(0, a), n = x.shape()[a],
                inner = x.shape().product(a + 1, rank);
  check_shape(n > 0, "max: no elements along axis ", axis, " of ", x.shape());
  const Tensor y = Tensor::empty(x.shape().without(a), x.dtype(), x.device());
  const Tensor where = Tensor::empty(y.shape(), DType::i32, y.device());
  KERNEL(y, max_forward(y.data<T>(), where.data<int32_t>(), x.value().data<T>(), outer, n, inner));

  return record("max", y, {x}, [where, outer, n, inner](Tensor dy, const Grads& dx) {
    KERNEL(dy, max_backward(dx.sum<T>(0), where.data<int32_t>(), dy.data<T>(), outer, n, inner));
  });
}

}  // namespace heed
