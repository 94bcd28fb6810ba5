#include "tensor/kernels/layout.h"

#include "autograd/ids.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "autograd/row_groups.h"
#include "tensor/broadcast.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/index.h"
#include "tensor/kernels/reduce.h"

namespace heed {
namespace {

void check_ids(const char* op, const Tensor& ids, const Var& x, int64_t n) {
  check_shape(ids.defined() && ids.dtype() == DType::i32 && ids.shape().rank() == 1, op,
              ": ids must be i32 (m), got ", name_of(ids.dtype()), " ", ids.shape());
  check_devices(op, ids, x.value());
  check_ids(op, ids, n);
}

int64_t row_width(const Shape& shape) {
  return shape.product(1, shape.rank());
}

}  // namespace

// y_i = x[ids_i],   dx[ids_i] += dy_i
Var gather_rows(const Var& x, const Tensor& ids) {
  check_defined("gather_rows", x);
  check_shape(x.shape().rank() >= 1, "gather_rows: a scalar has no rows");
  check_ids("gather_rows", ids, x, x.shape()[0]);
  const int64_t n = ids.numel(), width = row_width(x.shape());
  const Tensor y = Tensor::empty(x.shape().with(0, n), x.dtype(), x.device());
  KERNEL_OR_I32(y, gather_rows(y.data<T>(), x.value().data<T>(), ids.data<int32_t>(), n, width));

  return record("gather_rows", y, {x}, [ids = Saved(ids), n, width](Tensor dy, const Grads& dx) {
    dx.add_rows(0, ids, dy.reshape({n, width}));
  });
}

// y[ids_i] += x_i,   dx_i = dy[ids_i]
Var scatter_rows(const Var& x, const Tensor& ids, int64_t n) {
  check_float("scatter_rows", x);
  check_shape(x.shape().rank() >= 1 && ids.shape() == Shape{x.shape()[0]},
              "scatter_rows: ", x.shape(), " does not fit the ids ", ids.shape());
  check_ids("scatter_rows", ids, x, n);
  const int64_t m = ids.numel(), width = row_width(x.shape());
  const Tensor y = Tensor::zeros(x.shape().with(0, n), x.dtype(), x.device());
  RowGroups(ids.to_ints(), x.device()).add(y, x.value());

  return record("scatter_rows", y, {x}, [ids = Saved(ids), m, width](Tensor dy, const Grads& dx) {
    const Tensor picked = Tensor::empty(dy.shape().with(0, m), dy.dtype(), dy.device());
    KERNEL(dy, gather_rows(picked.data<T>(), dy.data<T>(), ids.data<int32_t>(), m, width));
    dx.add(0, picked);
  });
}

// y = x,   dx = dy
Var reshape(const Var& x, Shape shape) {
  check_defined("reshape", x);
  if (shape == x.shape()) return x;
  return record("reshape", x.value().reshape(shape), {x},
                [of_x = x.shape()](Tensor dy, const Grads& dx) { dx.add(0, dy.reshape(of_x)); });
}

// y = x[begin : end],   dx[begin : end] += dy
Var rows(const Var& x, int64_t begin, int64_t end) {
  check_defined("rows", x);
  const Tensor y = x.value().rows(begin, end);
  if (y.shape() == x.shape()) return x;
  return record("rows", y, {x}, [begin, end](Tensor dy, const Grads& dx) {
    const Tensor part = dx.sum(0).rows(begin, end);
    KERNEL(dy, scale<T>({part.data<T>(), Write::add}, dy.data<T>(), T(1), dy.numel()));
  });
}

// Each part is a block of columns of y seen as (outer, axis x inner):   dpart = its block of dy
Var concat(const std::vector<Var>& parts, int axis) {
  check_shape(!parts.empty(), "concat: needs at least one part");
  const Shape& first = parts[0].shape();
  const int a = first.normalize(axis, "concat");
  int64_t size = 0;
  for (const Var& part : parts) {
    check_shape(part.shape().rank() == first.rank() && part.shape().with(a, 0) == first.with(a, 0),
                "concat: shapes differ outside of axis ", axis, ", ", first, " and ", part.shape());
    check_types("concat", parts[0].value(), part.value());
    size += part.shape()[a];
  }
  const int64_t outer = first.product(0, a), inner = first.product(a + 1, first.rank());
  const Tensor y = Tensor::empty(first.with(a, size), parts[0].dtype(), parts[0].device());
  std::vector<int64_t> widths;
  std::vector<Tensor> values;
  int64_t at = 0;
  for (const Var& part : parts) {
    const int64_t width = part.shape()[a] * inner;
    values.push_back(part.value());
    if (outer > 1) {
      KERNEL_OR_I32(y, copy_block<T>(y.data<T>() + at, size * inner, part.value().data<T>(), width,
                                     outer, width));
    }
    widths.push_back(width);
    at += width;
  }
  if (outer == 1) {
    KERNEL_OR_I32(y, join(y.data<T>(), values_of<T>(values).data(), std::ssize(values)));
  }

  return record("concat", y, parts, [widths, outer, inner, at, a](Tensor dy, const Grads& dx) {
    int64_t from = 0;
    for (size_t i = 0; i < widths.size(); ++i) {
      const int64_t width = widths[i];
      if (dx.needs(i) && a == 0 && inner > 0) {  // rows of dy as they are, without a copy
        dx.add(i, dy.rows(from / inner, (from + width) / inner));
      } else if (dx.needs(i)) {
        KERNEL(dy, copy_block(dx.to<T>(i), width, dy.data<T>() + from, at, outer, width));
      }
      from += width;
    }
  });
}

// y = a block of columns of x seen as (outer, axis x inner):  that block of dx += dy
Var slice(const Var& x, int axis, int64_t begin, int64_t end) {
  check_defined("slice", x);
  const Shape& shape = x.shape();
  const int a = shape.normalize(axis, "slice");
  const auto [first, last] = shape.range("slice", a, begin, end);
  const int64_t outer = shape.product(0, a), inner = shape.product(a + 1, shape.rank());
  const int64_t stride = shape[a] * inner, from = first * inner, width = (last - first) * inner;
  const Tensor y = Tensor::empty(shape.with(a, last - first), x.dtype(), x.device());
  KERNEL_OR_I32(
      y, copy_block<T>(y.data<T>(), width, x.value().data<T>() + from, stride, outer, width));

  return record("slice", y, {x}, [=](Tensor dy, const Grads& dx) {
    KERNEL(dy, copy_block<T>({dx.sum<T>(0) + from, Write::add}, stride, dy.data<T>(), width, outer,
                             width));
  });
}

std::vector<Var> split(const Var& x, const std::vector<int64_t>& sizes, int axis) {
  check_defined("split", x);
  const int64_t whole = x.shape()[x.shape().normalize(axis, "split")];
  int64_t total = 0;
  for (int64_t size : sizes) {
    check_shape(size >= 0, "split: negative size ", size);
    total += size;
  }
  check_shape(total == whole, "split: sizes add up to ", total, ", axis ", axis, " of ", x.shape(),
              " has ", whole);
  std::vector<Var> parts;
  int64_t at = 0;
  for (int64_t size : sizes) {
    parts.push_back(slice(x, axis, at, at + size));
    at += size;
  }
  return parts;
}

Var stack(const std::vector<Var>& parts) {
  check_shape(!parts.empty(), "stack: needs at least one part");
  std::vector<Var> raised;
  for (const Var& part : parts) {
    check_shape(part.shape() == parts[0].shape(), "stack: shapes differ, ", parts[0].shape(),
                " and ", part.shape());
    check_types("stack", parts[0].value(), part.value());
    raised.push_back(reshape(part, part.shape().insert(0, 1)));
  }
  return concat(raised, 0);
}

// Swaps two axes; the gradient swaps them back.
Var transpose(const Var& x, int axis_a, int axis_b) {
  check_defined("transpose", x);
  const Shape& shape = x.shape();
  const int first = shape.normalize(axis_a, "transpose");
  const int second = shape.normalize(axis_b, "transpose");
  const int a = std::min(first, second), b = std::max(first, second);
  if (a == b) return x;
  const int64_t outer = shape.product(0, a), na = shape[a], mid = shape.product(a + 1, b),
                nb = shape[b], inner = shape.product(b + 1, shape.rank());
  std::vector<int64_t> sizes = shape.sizes();
  std::swap(sizes[a], sizes[b]);
  const Tensor y = Tensor::empty(Shape(sizes), x.dtype(), x.device());
  KERNEL_OR_I32(y, swap_axes<T>(y.data<T>(), x.value().data<T>(), outer, na, mid, nb, inner));

  const Var result = record("transpose", y, {x}, [=](Tensor dy, const Grads& dx) {
    KERNEL(dy, swap_axes(dx.to<T>(0), dy.data<T>(), outer, nb, mid, na, inner));
  });
  return a > 0 ? result.in_order(x.row_order()) : result;
}

namespace {

// The sums of dy over the repeats, one group of axes after the other, from the last.
Tensor sum_repeats(Tensor dy, const Broadcast& map) {
  int64_t inner = 1;
  for (int axis = 5; axis >= 0; --axis) {
    const int64_t n = map.size[axis];
    int64_t outer = 1;
    for (int i = 0; i < axis; ++i) outer *= map.size[i];
    if (map.stride[axis] != 0 || n == 1) {
      inner *= n;
      continue;
    }
    const Tensor y = Tensor::empty({outer * inner}, dy.dtype(), dy.device());
    KERNEL(y, sum_forward(y.data<T>(), dy.data<T>(), 1, outer, n, inner));
    dy = y;
  }
  return dy;
}

}  // namespace

// Repeats x along the axes where it has size 1 or none;   dx = the sum of dy over the repeats
Var expand(const Var& x, Shape shape) {
  check_defined("expand", x);
  if (shape == x.shape()) return x;
  return record(
      "expand", broadcast_to(x.value(), shape), {x},
      [map = broadcast_map(x.shape(), shape), of_x = x.shape()](Tensor dy, const Grads& dx) {
        dx.add(0, sum_repeats(std::move(dy), map).reshape(of_x));
      });
}

}  // namespace heed
