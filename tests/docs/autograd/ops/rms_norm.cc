#include "tensor/kernels/rms_norm.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"

namespace heed {

// y = x r,  dx_i = r (dy_i - y_i mean_j(dy_j y_j)),  r = 1 / sqrt(mean_j x_j^2 + eps)
Var rms_norm(const Var& x, double eps) {
  check_shape(x.shape().rank() >= 1 && x.shape().back() > 0,
              "rms_norm: needs a last axis that is not empty, got ", x.shape());
  const int64_t cols = x.shape().back(), rows = x.shape().numel() / cols;
  const Tensor y = empty_like(x.value()), r = Tensor::empty({rows}, x.dtype(), x.device());
  KERNEL(y, rms_norm_forward(y.data<T>(), r.data<T>(), x.value().data<T>(), T(eps), rows, cols));

  return record("rms_norm", y, {x}, [y = Saved(y), r, rows, cols](Tensor dy, const Grads& dx) {
    KERNEL(dy, rms_norm_backward(dx.to<T>(0), y.data<T>(), r.data<T>(), dy.data<T>(), rows, cols));
  });
}

}  // namespace heed
