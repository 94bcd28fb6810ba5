#include <algorithm>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/gemm.h"

namespace heed {
namespace {

void check_targets(const char* op, const Tensor& targets, const Var& x, int64_t rows,
                   int64_t classes) {
  const std::string name(op);
  check_shape(targets.defined() && targets.dtype() == DType::i32 && targets.shape() == Shape{rows},
              name + ": targets must be i32 " + Shape{rows}.str() + ", got " +
                  name_of(targets.dtype()) + " " + targets.shape().str());
  check_devices(op, targets, x.value());
  for (int32_t target : targets.to_ints()) {
    check_shape(target >= 0 && target < classes, name + ": target " + std::to_string(target) +
                                                     " is outside of [0, " +
                                                     std::to_string(classes) + ")");
  }
}

}  // namespace

// nll_r = ln sum_j exp(x_rj) - x_r,target,   dx_rj += dnll_r (softmax(x_r)_j - [j = target])
Var cross_entropy(const Var& logits, const Tensor& targets) {
  check_shape(logits.shape().rank() == 2,
              "cross_entropy: needs logits (n, C), got " + logits.shape().str());
  const int64_t n = logits.shape()[0], classes = logits.shape()[1];
  check_targets("cross_entropy", targets, logits, n, classes);
  Tensor nll = Tensor::empty({n}, logits.dtype(), logits.device());
  const Tensor scratch = logits.value().clone();
  KERNEL(nll, cross_entropy_rows(nll.data<T>(), scratch.data<T>(), targets.data<int32_t>(), n,
                                 classes, /*with_grad=*/false));

  return record("cross_entropy", nll, {logits},
                [x = logits.value(), targets, n, classes](const Tensor& dy, const Grads& dx) {
                  KERNEL(dy,
                         cross_entropy_backward(dx[0].data<T>(), x.data<T>(),
                                                targets.data<int32_t>(), dy.data<T>(), n, classes));
                });
}

Var squared_error(const Var& x, const Var& target) {
  check_shape(x.shape() == target.shape(),
              "squared_error: shapes differ, " + x.shape().str() + " and " + target.shape().str());
  check_types("squared_error", x, target);
  return sum(square(sub(x, target)));
}

// For each chunk of rows: logits = x W^T, nll, and right away, while the chunk is in the cache, its
// gradient P = softmax - onehot for a total that counts once:
//   dx = P W,   dW += P^T x
// The backward pass then only multiplies both by d(total). 3 products in all, none made twice.
CrossEntropy linear_cross_entropy(const Var& x, const Var& w, const Tensor& targets) {
  check_shape(
      x.shape().rank() == 2 && w.shape().rank() == 2 && x.shape()[1] == w.shape()[1],
      "linear_cross_entropy: x " + x.shape().str() + " does not fit the weight " + w.shape().str());
  check_types("linear_cross_entropy", x, w);
  const int64_t n = x.shape()[0], in = x.shape()[1], classes = w.shape()[0];
  check_targets("linear_cross_entropy", targets, x, n, classes);
  // 32 MiB of f32 logits, but at least 256 rows, as every chunk reads W twice and dW once.
  constexpr int64_t kChunkElements = 8 << 20, kChunkRows = 256;
  const int64_t fitting = kChunkElements / std::max<int64_t>(classes, 1);
  const int64_t chunk = std::min(std::max(fitting, kChunkRows), std::max<int64_t>(n, 1));
  const Tensor nll = Tensor::empty({n}, x.dtype(), x.device());
  const Tensor logits = Tensor::empty({chunk, classes}, x.dtype(), x.device());
  const bool grad_x = x.needs_grad() && !NoGrad::active();
  const bool grad_w = w.needs_grad() && !NoGrad::active();
  Tensor dx1 = grad_x ? empty_like(x.value()) : Tensor();
  Tensor dw1 = grad_w ? empty_like(w.value()) : Tensor();
  if (grad_w && n == 0) dw1.fill(0);

  for (int64_t at = 0; at < n; at += chunk) {
    const int64_t rows = std::min(chunk, n - at);
    const Tensor part = x.value().rows(at, at + rows), ids = targets.rows(at, at + rows);
    KERNEL(nll, gemm(logits.data<T>(), classes, part.data<T>(), in, Trans::no, w.value().data<T>(),
                     in, Trans::yes, rows, classes, in, false));
    KERNEL(nll, cross_entropy_rows(nll.data<T>() + at, logits.data<T>(), ids.data<int32_t>(), rows,
                                   classes, grad_x || grad_w));
    if (grad_x) {
      KERNEL(nll, gemm(dx1.data<T>() + at * in, in, logits.data<T>(), classes, Trans::no,
                       w.value().data<T>(), in, Trans::no, rows, in, classes, false));
    }
    if (grad_w) {
      KERNEL(nll, gemm(dw1.data<T>(), in, logits.data<T>(), classes, Trans::yes, part.data<T>(), in,
                       Trans::no, classes, in, rows, /*accumulate=*/at > 0));
    }
  }
  const Tensor total = sum(Var(nll)).value();
  const Var result = record(
      "linear_cross_entropy", total, {x, w}, [dx1, dw1](const Tensor& dy, const Grads& dx) mutable {
        for (Tensor* d : {&dx1, &dw1}) {
          if (!d->defined()) continue;
          KERNEL(dy, scale_shift(d->data<T>(), d->data<T>(), T(dy.item()), T(0), d->numel()));
        }
        dx.add(0, std::move(dx1));
        dx.add(1, std::move(dw1));
      });
  return {result, nll};
}

}  // namespace heed
