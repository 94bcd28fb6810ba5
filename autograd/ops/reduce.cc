#include "tensor/kernels/reduce.h"

#include <algorithm>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/index.h"

namespace heed {
namespace {

// x seen as (outer, n, inner): the axes [first, last) are the one in the middle.
struct Fold {
  int64_t outer, n, inner;

  Fold(const Shape& x, int first, int last)
      : outer(x.product(0, first)), n(x.product(first, last)), inner(x.product(last, x.rank())) {}
  Fold(const Shape& x, int axis) : Fold(x, axis, axis + 1) {}
};

// y = scale sum_j x_j,   dx_j = scale dy
Var scaled_sum(const char* name, const Var& x, const Fold& f, double scale, Shape shape) {
  check_float(name, x);
  const Tensor y = Tensor::empty(shape, x.dtype(), x.device());
  KERNEL(y, sum_forward(y.data<T>(), x.value().data<T>(), scale, f.outer, f.n, f.inner));

  return record(name, y, {x}, [scale, f](Tensor dy, const Grads& dx) {
    KERNEL(dy, spread(dx.to<T>(0), dy.data<T>(), T(scale), f.outer, f.n, f.inner));
  });
}

// y = max_j x_j at j = where,   dx_where = dy, all others 0. A NaN counts as the largest.
Var max_along(const Var& x, const Fold& f, Shape shape) {
  check_places(CalledOp::or_else("max"), f.n);
  const Tensor y = Tensor::empty(shape, x.dtype(), x.device());
  const Tensor where = Tensor::empty(shape, DType::i32, y.device());
  KERNEL_OR_I32(y, max_forward(y.data<T>(), where.data<int32_t>(), x.value().data<T>(), f.outer,
                               f.n, f.inner));

  return record("max", y, {x}, [where, f](Tensor dy, const Grads& dx) {
    KERNEL(dy, scatter_along(dx.sum<T>(0), dy.data<T>(), where.data<int32_t>(), f.outer, f.n, 1,
                             f.inner));
  });
}

// y = prod_j x_j,   dx_j = dy prod_{k != j} x_k
Var product(const Var& x, const Fold& f, Shape shape) {
  check_float("prod", x);
  const Tensor y = Tensor::empty(shape, x.dtype(), x.device()), before = empty_like(x.value());
  KERNEL(y,
         prod_forward(y.data<T>(), before.data<T>(), x.value().data<T>(), f.outer, f.n, f.inner));

  return record("prod", y, {x}, [x = Saved(x.value()), before, f](Tensor dy, const Grads& dx) {
    KERNEL(dy, prod_backward(dx.to<T>(0), x.data<T>(), before.data<T>(), dy.data<T>(), f.outer, f.n,
                             f.inner));
  });
}

// The axes, counted from the front, in order.
std::vector<int> in_order(const char* name, const Shape& shape, const std::vector<int>& axes) {
  check_shape(!axes.empty(), name, ": needs at least one axis");
  std::vector<int> order;
  for (int axis : axes) order.push_back(shape.normalize(axis, name));
  std::sort(order.begin(), order.end());
  const auto twice = std::adjacent_find(order.begin(), order.end());
  check_shape(twice == order.end(), name, ": axis ", twice == order.end() ? 0 : *twice,
              " is named twice");
  return order;
}

// Neighbouring axes are one. reduce(x, fold, shape of the result) takes them away, the last first.
template <class Reduce>
Var reduce_axes(const char* name, const Var& x, const std::vector<int>& axes, bool keepdim,
                Reduce reduce) {
  const std::vector<int> order = in_order(name, x.shape(), axes);
  Var y = x;
  for (size_t end = order.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && order[begin - 1] + 1 == order[begin]) --begin;
    const int first = order[begin], last = order[end - 1] + 1;
    Shape shape = y.shape();
    for (int axis = last - 1; axis >= first; --axis) {
      shape = keepdim ? shape.with(axis, 1) : shape.without(axis);
    }
    y = reduce(y, Fold(y.shape(), first, last), shape);
    end = begin;
  }
  return order.front() == 0 ? y.in_order(RowOrder::unknown)
                            : y;  // a sum over the rows is not a row
}

// Sums of i32 numbers, which were added in f64: it holds them exactly.
Tensor i32_total(const Var& sums) {
  for (const double x : sums.value().to_vector()) {
    check_shape(x >= INT32_MIN && x <= INT32_MAX, "sum: ", x, " is not a 32-bit integer");
  }
  return sums.value().to(DType::i32);
}

}  // namespace

Var sum(const Var& x) {
  if (x.dtype() == DType::i32) return i32_total(sum(Var(x.value().to(DType::f64))));
  return scaled_sum("sum", x, Fold(x.shape(), 0, x.shape().rank()), 1, {});
}
Var sum(const Var& x, const std::vector<int>& axes, bool keepdim) {
  if (x.dtype() == DType::i32) return i32_total(sum(Var(x.value().to(DType::f64)), axes, keepdim));
  return reduce_axes("sum", x, axes, keepdim, [](const Var& part, const Fold& f, Shape shape) {
    return scaled_sum("sum", part, f, 1, shape);
  });
}
Var sum(const Var& x, int axis, bool keepdim) {
  return sum(x, std::vector<int>{axis}, keepdim);
}

Var mean(const Var& x) {
  check_shape(x.shape().numel() > 0, "mean: no elements in ", x.shape());
  const Fold f(x.shape(), 0, x.shape().rank());
  return scaled_sum("mean", x, f, 1.0 / static_cast<double>(f.n), {});
}
Var mean(const Var& x, const std::vector<int>& axes, bool keepdim) {
  check_float("mean", x);
  for (int axis : axes) check_axis("mean", x, axis);
  return reduce_axes("mean", x, axes, keepdim, [](const Var& part, const Fold& f, Shape shape) {
    return scaled_sum("mean", part, f, 1.0 / static_cast<double>(f.n), shape);
  });
}
Var mean(const Var& x, int axis, bool keepdim) {
  return mean(x, std::vector<int>{axis}, keepdim);
}

Var max(const Var& x) {
  check_shape(x.shape().numel() > 0, CalledOp::or_else("max"), ": no elements in ", x.shape());
  return max(reshape(x, {x.shape().numel()}), 0);
}
Var max(const Var& x, const std::vector<int>& axes, bool keepdim) {
  for (int axis : axes) check_axis("max", x, axis);
  return reduce_axes("max", x, axes, keepdim, max_along);
}
Var max(const Var& x, int axis, bool keepdim) {
  return max(x, std::vector<int>{axis}, keepdim);
}

Var prod(const Var& x) {
  return product(x, Fold(x.shape(), 0, x.shape().rank()), {});
}
Var prod(const Var& x, const std::vector<int>& axes, bool keepdim) {
  return reduce_axes("prod", x, axes, keepdim, product);
}
Var prod(const Var& x, int axis, bool keepdim) {
  return prod(x, std::vector<int>{axis}, keepdim);
}

// y_j = sum_{k <= j} x_k,   dx_j = sum_{k >= j} dy_k
Var cumsum(const Var& x, int axis) {
  check_float("cumsum", x);
  const Fold f(x.shape(), x.shape().normalize(axis, "cumsum"));
  const Tensor y = empty_like(x.value());
  KERNEL(y, cumsum<T>(y.data<T>(), x.value().data<T>(), 0, f.outer, f.n, f.inner));

  return record("cumsum", y, {x}, [f](Tensor dy, const Grads& dx) {
    KERNEL(dy, cumsum(dx.to<T>(0), dy.data<T>(), 1, f.outer, f.n, f.inner));
  });
}

}  // namespace heed
