#include "autograd/composed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/discrete.h"
#include "autograd/node.h"
#include "tensor/broadcast.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/top_k.h"

namespace heed {
namespace {

// The square root, with the gradient 0 in place of infinity at 0.
Var root(const Var& x) {
  const Tensor zero = equal(x, 0);
  return masked_fill(sqrt(masked_fill(x, zero, 1)), zero, 0);
}

}  // namespace

Var& assign(Var& a, Var result) {
  if (a.is_parameter()) {
    throw UsageError("assignment: a parameter is not changed by += and the like: use set_value()");
  }
  a = std::move(result);
  return a;
}

Var min(const Var& x) {
  const CalledOp called("min");
  check_float("min", x);
  return neg(max(neg(x)));
}
Var min(const Var& x, int axis, bool keepdim) {
  const CalledOp called("min");
  check_float("min", x);
  const int a = check_axis("min", x, axis);
  return neg(max(neg(x), a, keepdim));
}

Var variance(const Var& x, int axis, bool keepdim, int correction) {
  const CalledOp called("variance");
  check_float("variance", x);
  const int a = x.shape().normalize(axis, "variance");
  const int64_t n = x.shape()[a];
  check_shape(n > correction, "variance: needs more elements than the correction, ", correction,
              ", along axis ", axis, " of ", x.shape());
  return sum(square(x - mean(x, a, true)), a, keepdim) / static_cast<double>(n - correction);
}

Var stddev(const Var& x, int axis, bool keepdim, int correction) {
  const CalledOp called("stddev");
  return root(variance(x, axis, keepdim, correction));
}

Var logsumexp(const Var& x, int axis, bool keepdim) {
  const CalledOp called("logsumexp");
  check_float("logsumexp", x);
  const int a = check_axis("logsumexp", x, axis);
  const Var largest = max(x.detach(), a, true);
  const Tensor zero = Tensor::zeros({}, x.dtype(), x.device());
  const Var shift = where(less(abs(largest), INFINITY), largest, zero);  // infinity - itself is NaN
  const Var total = sum(exp(x - shift), a, true);
  const Tensor none = equal(total, 0);  // of nothing but -infinity: -infinity, with the gradient 0
  const Var y = masked_fill(log(masked_fill(total, none, 1)), none, -INFINITY) + shift;
  return keepdim ? y : squeeze(y, a);
}

Var norm(const Var& x) {
  const CalledOp called("norm");
  check_float("norm", x);
  return root(sum(square(x)));
}
Var norm(const Var& x, int axis, bool keepdim) {
  const CalledOp called("norm");
  check_float("norm", x);
  return root(sum(square(x), x.shape().normalize(axis, "norm"), keepdim));
}

Var cosine_similarity(const Var& a, const Var& b, int axis) {
  const CalledOp called("cosine_similarity");
  check_types("cosine_similarity", a, b);
  const Shape shape = broadcast_shape("cosine_similarity", a.shape(), b.shape());
  const Var x = expand(a, shape), y = expand(b, shape);  // the axis is one of this shape
  const Tensor least = Tensor::full({}, 1e-8, a.dtype(), a.device());
  return sum(x * y, axis) / (maximum(norm(x, axis), least) * maximum(norm(y, axis), least));
}

Var permute(const Var& x, const std::vector<int>& axes) {
  check_defined("permute", x);
  const int rank = x.shape().rank();
  check_shape(std::ssize(axes) == rank, "permute: ", axes.size(), " axes for ", x.shape());
  Var y = x;
  std::vector<int> at(rank);  // which axis of x is axis i of y
  std::iota(at.begin(), at.end(), 0);
  for (int i = 0; i < rank; ++i) {
    const int wanted = x.shape().normalize(axes[i], "permute");
    const auto found = std::find(at.begin() + i, at.end(), wanted);
    check_shape(found != at.end(), "permute: axis ", wanted, " is named twice");
    y = transpose(y, i, static_cast<int>(found - at.begin()));
    std::swap(at[i], *found);
  }
  return y;
}

Var squeeze(const Var& x, int axis) {
  check_defined("squeeze", x);
  const int a = x.shape().normalize(axis, "squeeze");
  check_shape(x.shape()[a] == 1, "squeeze: axis ", axis, " of ", x.shape(), " must have size 1");
  return reshape(x, x.shape().without(a));
}

Var select(const Var& x, int axis, int64_t i) {
  check_defined("select", x);
  const int a = x.shape().normalize(axis, "select");
  const int64_t n = x.shape()[a], at = i < 0 ? i + n : i;
  check_shape(0 <= at && at < n, "select: index ", i, " is outside of axis ", axis, " of ",
              x.shape());
  return squeeze(a == 0 ? rows(x, at, at + 1) : slice(x, a, at, at + 1), a);
}
Var Var::operator[](int64_t i) const {
  return select(*this, 0, i);
}

Var tril(const Var& x, int64_t diagonal) {
  const CalledOp called("tril");
  check_float("tril", x);
  const Shape& shape = x.shape();
  check_shape(shape.rank() >= 2, "tril: needs two axes, got ", shape);
  const int64_t n = shape[-2], m = shape[-1];
  const int64_t first = std::clamp(diagonal, -n, m);  // the last column of row 0
  const Tensor last = arange(first, first + n, 1, DType::i32, x.device()).reshape({n, 1});
  return masked_fill(x, less(last, arange(0, m, 1, DType::i32, x.device())), 0);
}

TopK top_k(const Var& x, int64_t k) {
  const CalledOp called("top_k");
  check_float("top_k", x);
  const Shape& shape = x.shape();
  check_shape(shape.rank() >= 1 && 1 <= k && k <= shape.back(), "top_k: k = ", k,
              " does not fit rows of ", shape);
  const Tensor ids = Tensor::empty(shape.with(-1, k), DType::i32, x.device());
  const Tensor log_probs = Tensor::empty(ids.shape(), DType::f64, x.device());
  KERNEL(x.value(),
         top_k_log_softmax(log_probs.data<double>(), ids.data<int32_t>(), x.value().data<T>(),
                           shape.product(0, shape.rank() - 1), shape.back(), k));
  return {gather_along(x, ids, -1), ids};
}

Tensor argmin(const Var& x, int axis) {
  check_float("argmin", x);
  const int a = check_axis("argmin", x, axis);
  return argmax(neg(x.detach()), a);
}

Tensor linspace(double begin, double end, int64_t n, DType dtype) {
  check_shape(n > 0, "linspace: needs at least one number, got n = ", n);
  check_shape(dtype != DType::i32, "linspace: element type i32: expected f32 or f64");
  std::vector<double> values(n, begin);
  for (int64_t i = 1; i < n; ++i) {
    values[i] = std::lerp(begin, end, static_cast<double>(i) / static_cast<double>(n - 1));
  }
  return Tensor::from(values, {n}).to(dtype);
}

Tensor eye(int64_t n, DType dtype) {
  return one_hot(arange(0, n), n, dtype);
}

Tensor randperm(int64_t n, RandomKey key) {
  check_shape(0 <= n && n <= INT32_MAX, "randperm: ", n, " numbers do not fit into i32");
  std::vector<int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  Rng(key).shuffle(order);
  return Tensor::from(order);
}

}  // namespace heed
