#include "tensor/kernels/softmax.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/norm.h"

namespace heed {
namespace {

// The number of rows of length x.shape().back() in x.
int64_t row_count(const char* op, const Var& x) {
  check_float(op, x);
  check_shape(x.shape().rank() >= 1, op, ": needs at least one axis, got a scalar");
  return x.shape().product(0, x.shape().rank() - 1);
}

}  // namespace

// softmax over the last axis, x (..., C) -> y (..., C).
//   y_i  = exp(x_i - m) / sum_j exp(x_j - m),    m = max_j x_j
//   dx_i = y_i (dy_i - sum_j y_j dy_j)            needs y only
Var softmax(const Var& x) {
  const int64_t rows = row_count("softmax", x), cols = x.shape().back();
  const Tensor y = empty_like(x.value());
  KERNEL(y, softmax_forward(y.data<T>(), x.value().data<T>(), rows, cols));

  return record("softmax", y, {x}, [y = Saved(y), rows, cols](Tensor dy, const Grads& dx) {
    KERNEL(dy, softmax_backward(dx.to<T>(0), y.data<T>(), dy.data<T>(), rows, cols));
  });
}

// y_i = x_i - ln sum_j exp(x_j),   dx_i = dy_i - exp(y_i) sum_j dy_j
Var log_softmax(const Var& x) {
  const int64_t rows = row_count("log_softmax", x), cols = x.shape().back();
  const Tensor y = empty_like(x.value());
  KERNEL(y, log_softmax_forward(y.data<T>(), x.value().data<T>(), rows, cols));

  return record("log_softmax", y, {x}, [y = Saved(y), rows, cols](Tensor dy, const Grads& dx) {
    KERNEL(dy, log_softmax_backward(dx.to<T>(0), y.data<T>(), dy.data<T>(), rows, cols));
  });
}

// y = z gain + bias,   z = (x - mean) r,   r = 1 / sqrt(variance + eps)
//   dx = r (d - mean(d) - z mean(d z)),  d = dy gain
//   dgain = sum over rows of dy z,   dbias = sum over rows of dy
Var layer_norm(const Var& x, const Var& gain, const Var& bias, double eps) {
  if (!(eps >= 0)) throw UsageError(text("layer_norm: needs eps >= 0, got ", eps));
  check_types("layer_norm", x, gain);
  check_types("layer_norm", x, bias);
  const int64_t rows = row_count("layer_norm", x), cols = x.shape().back();
  check_shape(gain.shape() == Shape{cols} && bias.shape() == Shape{cols}, "layer_norm: gain ",
              gain.shape(), " and bias ", bias.shape(), " do not fit x ", x.shape());
  const Tensor y = empty_like(x.value());
  const Tensor moments = Tensor::empty({rows, 2}, x.dtype(), x.device());  // mean, r
  KERNEL(y, layer_norm_forward(y.data<T>(), moments.data<T>(), x.value().data<T>(),
                               gain.value().data<T>(), bias.value().data<T>(), T(eps), rows, cols));

  const bool reads_x = wants_grad(x) || wants_grad(gain);
  return record("layer_norm", y, {x, gain, bias},
                [x = reads_x ? Saved(x.value()) : Saved(), gain = gain.for_grad_of(x), moments,
                 rows, cols](Tensor dy, const Grads& dx) {
                  if (dx.needs(0)) {
                    KERNEL(dy, layer_norm_backward(dx.to<T>(0), x.data<T>(), gain.data<T>(),
                                                   moments.data<T>(), dy.data<T>(), rows, cols));
                  }
                  if (dx.needs(1) || dx.needs(2)) {
                    KERNEL(dy, layer_norm_parameters(dx.sum<T>(1), dx.sum<T>(2), x.data<T>(),
                                                     moments.data<T>(), dy.data<T>(), rows, cols));
                  }
                });
}

}  // namespace heed
