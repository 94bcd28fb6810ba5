#include "tensor/kernels/index.h"

#include "autograd/ids.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "autograd/row_groups.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/sums.h"

namespace heed {
namespace {

// y[ids_j] += x_j along the middle axis, by groups of equal places, whose sums lose no digits.
void add_groups_along(const Tensor& y, const Tensor& x, const Tensor& ids, int64_t n, int64_t m,
                      int64_t inner) {
  std::vector<int32_t> places = ids.to_ints();
  for (int64_t i = 0; i < ids.numel(); ++i) {
    places[i] = static_cast<int32_t>((i / inner / m * n + places[i]) * inner + i % inner);
  }
  RowGroups(places, y.device()).add(y.reshape({y.numel(), 1}), x.reshape({x.numel(), 1}));
}

// y[ids_j] += x_j along the middle axis, in the order of j.
void add_along(const Tensor& y, const Tensor& x, const Tensor& ids, int64_t outer, int64_t n,
               int64_t m, int64_t inner) {
  if (m > kManyTerms && y.numel() <= INT32_MAX) return add_groups_along(y, x, ids, n, m, inner);
  KERNEL(y, scatter_along(y.data<T>(), x.data<T>(), ids.data<int32_t>(), outer, n, m, inner));
}

}  // namespace

// y_j = x[ids_j] along the axis,   dx[ids_j] += dy_j
Var gather_along(const Var& x, const Tensor& ids, int axis) {
  check_defined("gather_along", x);
  const Shape& shape = x.shape();
  const int a = shape.normalize(axis, "gather_along");
  check_shape(ids.shape().rank() == shape.rank() && ids.shape() == shape.with(a, ids.shape()[a]),
              "gather_along: ids ", ids.shape(), " do not fit x ", shape, " along axis ", axis);
  check_ids("gather_along", ids, shape[a]);
  check_devices("gather_along", ids, x.value());
  const int64_t outer = shape.product(0, a), n = shape[a], m = ids.shape()[a],
                inner = shape.product(a + 1, shape.rank());
  const Tensor y = Tensor::empty(ids.shape(), x.dtype(), x.device());
  KERNEL_OR_I32(y, gather_along<T>(y.data<T>(), x.value().data<T>(), ids.data<int32_t>(), outer, n,
                                   m, inner));

  const Var result =
      record("gather_along", y, {x}, [=, ids = Saved(ids)](Tensor dy, const Grads& dx) {
        if (dx.needs(0)) add_along(dx.sum(0), dy, ids, outer, n, m, inner);
      });
  return a > 0 ? result.in_order(x.row_order()) : result;
}

// y[ids_j] += x_j along the axis,   dx_j = dy[ids_j]
Var scatter_along(const Var& x, const Tensor& ids, int64_t n, int axis) {
  check_float("scatter_along", x);
  const Shape& shape = x.shape();
  const int a = shape.normalize(axis, "scatter_along");
  check_shape(ids.shape() == shape, "scatter_along: ids ", ids.shape(), " do not fit x ", shape);
  check_ids("scatter_along", ids, n);
  check_devices("scatter_along", ids, x.value());
  const int64_t outer = shape.product(0, a), m = shape[a],
                inner = shape.product(a + 1, shape.rank());
  const Tensor y = Tensor::zeros(shape.with(a, n), x.dtype(), x.device());
  add_along(y, x.value(), ids, outer, n, m, inner);

  const Var result =
      record("scatter_along", y, {x}, [=, ids = Saved(ids)](Tensor dy, const Grads& dx) {
        KERNEL(dy,
               gather_along(dx.to<T>(0), dy.data<T>(), ids.data<int32_t>(), outer, n, m, inner));
      });
  return a > 0 ? result.in_order(x.row_order()) : result;
}

Var pick(const Var& x, const Tensor& ids) {
  check_defined("pick", x);
  const Shape& shape = x.shape();
  check_shape(shape.rank() >= 1 && ids.shape() == shape.without(-1), "pick: ids ", ids.shape(),
              " do not fit x ", shape);
  check_ids("pick", ids, shape.back());
  check_devices("pick", ids, x.value());
  return reshape(gather_along(x, ids.reshape(shape.with(-1, 1)), -1), ids.shape());
}

}  // namespace heed
