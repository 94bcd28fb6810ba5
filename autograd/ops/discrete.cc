#include "autograd/discrete.h"

#include <cmath>
#include <vector>

#include "autograd/ids.h"
#include "autograd/node.h"
#include "tensor/broadcast.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/layout.h"
#include "tensor/kernels/reduce.h"

namespace heed {
namespace {

template <class Op> Tensor compared(const char* name, const Var& a, const Var& b) {
  check_defined(name, a);
  check_defined(name, b);
  check_types(name, a.value(), b.value());
  const Shape shape = broadcast_shape(name, a.shape(), b.shape());
  const Tensor wide_a = broadcast_to(a.value(), shape), wide_b = broadcast_to(b.value(), shape);
  const Tensor y = Tensor::empty(shape, DType::i32, a.device());
  const int64_t n = y.numel();
  int32_t* to = y.data<int32_t>();
  KERNEL_OR_I32(wide_a, compare<Op>(to, wide_a.data<T>(), wide_b.data<T>(), n));
  return y;
}

bool fits_i32(double x) {
  return x >= INT32_MIN && x <= INT32_MAX;
}

// The number as a tensor to compare a with.
Tensor number(const char* name, const Var& a, double b) {
  check_defined(name, a);
  check_shape(a.dtype() != DType::i32 || (b == std::floor(b) && fits_i32(b)), name, ": ", b,
              " is not a 32-bit integer");
  return Tensor::full({}, b, a.dtype()).to(a.device());
}

}  // namespace

// Of two tensors, and of a tensor and a number.
#define DEFINE_COMPARISON(name, Op, left, right) \
  Tensor name(const Var& a, const Var& b) {      \
    return compared<Op>(#name, left, right);     \
  }                                              \
  Tensor name(const Var& a, double b) {          \
    return name(a, number(#name, a, b));         \
  }
// clang-format off
DEFINE_COMPARISON(equal, Equal, a, b)
DEFINE_COMPARISON(not_equal, NotEqual, a, b)
DEFINE_COMPARISON(less, Less, a, b)
DEFINE_COMPARISON(less_equal, LessEqual, a, b)
DEFINE_COMPARISON(greater, Less, b, a)
DEFINE_COMPARISON(greater_equal, LessEqual, b, a)
// clang-format on

Tensor argmax(const Var& x, int axis) {
  const int a = check_axis("argmax", x, axis);
  const Shape& shape = x.shape();
  check_places("argmax", shape[a]);
  const Tensor where = Tensor::empty(shape.without(a), DType::i32, x.device());
  const Tensor largest = Tensor::empty(where.shape(), x.dtype(), x.device());
  KERNEL_OR_I32(largest,
                max_forward(largest.data<T>(), where.data<int32_t>(), x.value().data<T>(),
                            shape.product(0, a), shape[a], shape.product(a + 1, shape.rank())));
  return where;
}

Tensor one_hot(const Tensor& ids, int64_t classes, DType dtype) {
  check_ids("one_hot", ids, classes);
  check_shape(dtype != DType::i32, "one_hot: element type i32: expected f32 or f64");
  const Shape& shape = ids.shape();
  const Tensor y = Tensor::empty(shape.insert(shape.rank(), classes), dtype, ids.device());
  KERNEL(y, one_hot(y.data<T>(), ids.data<int32_t>(), ids.numel(), classes));
  return y;
}

Tensor arange(int64_t begin, int64_t end, int64_t step, DType dtype, Device device) {
  check_shape(step != 0, "arange: the step must not be 0");
  std::vector<double> values;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
    values.push_back(static_cast<double>(i));
  }
  const Shape shape{static_cast<int64_t>(values.size())};
  if (dtype != DType::i32) return Tensor::from(values, shape).to(dtype).to(device);
  check_shape(values.empty() || (fits_i32(values.front()) && fits_i32(values.back())), "arange: [",
              begin, ", ", end, ") does not fit into i32");
  return Tensor::from(std::vector<int32_t>(values.begin(), values.end()), device);
}

}  // namespace heed
