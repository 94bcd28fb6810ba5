#include <algorithm>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/elementwise.h"

namespace heed {
namespace {

void check_targets(const char* op, const Tensor& targets, const Var& x, int64_t rows,
                   int64_t classes) {
  check_shape(targets.defined() && targets.dtype() == DType::i32 && targets.shape() == Shape{rows},
              op, ": targets must be i32 ", Shape{rows}, ", got ", name_of(targets.dtype()), " ",
              targets.shape(),
              targets.defined() && targets.dtype() != DType::i32
                  ? "; Tensor::of({...}, DType::i32) makes such"
                  : "");
  check_devices(op, targets, x.value());
  for (int32_t target : targets.to_ints()) {
    check_shape(target >= 0 && target < classes, op, ": target ", target, " is outside of [0, ",
                classes, ")");
  }
}

void check_smoothing(const char* op, double smoothing) {
  if (!(smoothing >= 0 && smoothing < 1)) {
    throw UsageError(text(op, ": the smoothing must be in [0, 1), got ", smoothing));
  }
}

void check_weights(const char* op, const Tensor& weights, const Var& x, int64_t rows) {
  if (!weights.defined()) return;
  check_shape(weights.dtype() == x.dtype() && weights.shape() == Shape{rows}, op,
              ": weights must be ", name_of(x.dtype()), " ", Shape{rows}, ", got ",
              name_of(weights.dtype()), " ", weights.shape());
  check_devices(op, weights, x.value());
}

// How many rows of logits linear_cross_entropy() makes at once. On the CPU 32 MiB of f32 logits, as
// much as a cache holds, but at least 256 rows, as every chunk reads W twice and dW once; on a GPU,
// which wants large products, 512 MiB.
int64_t chunk_rows(int64_t rows, int64_t classes, Device device) {
  constexpr int64_t kRows = 256;
  const int64_t elements = device.is_cuda() ? 128 << 20 : 8 << 20;
  const int64_t fitting = elements / std::max<int64_t>(classes, 1);
  return std::clamp<int64_t>(rows, 1, std::max(fitting, kRows));
}

// x times a scalar, in the memory of x.
Tensor times(Tensor x, const Tensor& factor) {
  if (x.defined()) KERNEL(x, scale_by(x.data<T>(), x.data<T>(), factor.data<T>(), x.numel()));
  return x;
}

}  // namespace

// With p = softmax(x_r) and q_j = (1 - e) [j = target] + e / C, e the smoothing:
//   loss_r = -sum_j q_j ln p_j,   dx_rj = dloss_r (p_j - q_j)
Var cross_entropy(const Var& logits, const Tensor& targets, double smoothing) {
  check_float("cross_entropy", logits);
  check_shape(logits.shape().rank() == 2, "cross_entropy: needs logits (n, C), got ",
              logits.shape());
  const int64_t n = logits.shape()[0], classes = logits.shape()[1];
  check_targets("cross_entropy", targets, logits, n, classes);
  check_smoothing("cross_entropy", smoothing);
  const Tensor loss = Tensor::empty({n}, logits.dtype(), logits.device());
  KERNEL(loss, cross_entropy_forward(loss.data<T>(), logits.value().data<T>(),
                                     targets.data<int32_t>(), T(smoothing), n, classes));

  return record("cross_entropy", loss, {logits},
                [x = Saved(logits.value()), targets = Saved(targets), smoothing, n, classes](
                    Tensor dy, const Grads& dx) {
                  KERNEL(dy,
                         cross_entropy_backward(dx.to<T>(0), x.data<T>(), targets.data<int32_t>(),
                                                T(smoothing), dy.data<T>(), n, classes));
                });
}

Var squared_error(const Var& x, const Var& target) {
  const CalledOp called("squared_error");
  check_types("squared_error", x, target);
  check_shape(x.shape() == target.shape(), "squared_error: shapes differ, ", x.shape(), " and ",
              target.shape());
  return sum(square(sub(x, target)));
}

// For each chunk of rows: logits = x W^T, loss, and right away, while the chunk is in the cache,
// its gradient P = weight (softmax - q), in the place of the logits, for a total that counts once:
//   dx = P W,   dW += P^T x
// The backward pass then only multiplies both by d(total). 3 products in all, none made twice.
CrossEntropy linear_cross_entropy(const Var& x, const Var& w, const Tensor& targets,
                                  double smoothing, const Tensor& weights) {
  check_types("linear_cross_entropy", x, w);
  check_shape(x.shape().rank() == 2 && w.shape().rank() == 2 && x.shape()[1] == w.shape()[1],
              "linear_cross_entropy: x ", x.shape(), " does not fit the weight ", w.shape());
  const int64_t n = x.shape()[0], classes = w.shape()[0],
                chunk = chunk_rows(n, classes, x.device());
  check_targets("linear_cross_entropy", targets, x, n, classes);
  check_smoothing("linear_cross_entropy", smoothing);
  check_weights("linear_cross_entropy", weights, x, n);
  const Tensor nll = Tensor::empty({n}, x.dtype(), x.device());
  const Tensor loss = smoothing > 0 || weights.defined() ? empty_like(nll) : nll;
  const Tensor chunk_logits = Tensor::empty({chunk, classes}, x.dtype(), x.device());
  Tensor dx1 = wants_grad(x) ? empty_like(x.value()) : Tensor();
  Tensor dw1 = wants_grad(w) ? empty_like(w.value()) : Tensor();
  if (dw1.defined() && n == 0) dw1.fill(0);

  for (int64_t at = 0; at < n; at += chunk) {
    const int64_t end = std::min(at + chunk, n);
    const Tensor rows = x.value().rows(at, end), logits = chunk_logits.rows(0, end - at);
    gemm(logits, rows, w.value().t());
    KERNEL(nll, cross_entropy_in_place(nll.data<T>() + at, loss.data<T>() + at, logits.data<T>(),
                                       targets.data<int32_t>() + at,
                                       weights.defined() ? weights.data<T>() + at : nullptr,
                                       T(smoothing), end - at, classes));
    if (dx1.defined()) gemm(dx1.rows(at, end), logits, w.value());
    if (dw1.defined()) gemm(dw1, logits.t(), rows, at > 0 ? Write::add : Write::assign);
  }

  const Tensor total = sum(Var(loss)).value();
  return {record("linear_cross_entropy", total, {x, w},
                 [dx1 = std::move(dx1), dw1 = std::move(dw1)](Tensor dy, const Grads& dx) mutable {
                   dx.add(0, times(std::move(dx1), dy));
                   dx.add(1, times(std::move(dw1), dy));
                 }),
          nll};
}

}  // namespace heed
