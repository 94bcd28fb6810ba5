#include <limits>

#include "autograd/anomaly.h"
#include "autograd/discrete.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/random_tensor.h"

namespace heed {
namespace {

Var with_noise(const char* op, const Var& x, RandomKey key) {
  check_float(op, x);
  check_shape(x.shape().rank() >= 1 && x.shape().back() > 0, op,
              ": needs a last axis that is not empty, got ", x.shape());
  return x + gumbel(x.shape(), key, x.dtype(), x.device());
}

}  // namespace

// y = softmax((x + g) / temperature)
Var gumbel_softmax(const Var& x, double temperature, RandomKey key, bool hard) {
  if (!(temperature > 0)) {
    throw UsageError(text("gumbel_softmax: the temperature must be positive, got ", temperature));
  }
  const CalledOp called("gumbel_softmax");
  const Var y = softmax(with_noise("gumbel_softmax", x, key) / temperature);
  if (!hard) return y;
  return straight_through(y, one_hot(argmax(y, -1), y.shape().back(), y.dtype()));
}

// y = hard,   dsoft = dy
Var straight_through(const Var& soft, const Tensor& hard) {
  check_shape(soft.shape() == hard.shape(), "straight_through: shapes differ, ", soft.shape(),
              " and ", hard.shape());
  check_types("straight_through", soft, hard);
  check_shape(hard.dtype() != DType::i32,
              "straight_through: element type i32: expected f32 or f64");
  return record("straight_through", hard, {soft},
                [](Tensor dy, const Grads& dx) { dx.add(0, std::move(dy)); });
}

Tensor categorical(const Var& logits, RandomKey key) {
  const DetectAnomaly off(false);  // logits of -infinity and NaN are allowed, and give ids
  const Var x = with_noise("categorical", logits.detach(), key);
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  return argmax(masked_fill(x, not_equal(x, x), kNever), -1);  // a NaN is not itself
}

}  // namespace heed
