#include "nn/losses.h"

#include <cmath>

#include "autograd/discrete.h"
#include "autograd/ids.h"
#include "autograd/node.h"
#include "tensor/broadcast.h"

namespace heed {
namespace {

void check_same(const char* loss, const Var& a, const Var& b) {
  check_types(loss, a, b);
  check_shape(a.shape() == b.shape(), loss, ": shapes differ, ", a.shape(), " and ", b.shape());
}

// ok(t) for every target t, which are looked at where that costs no waiting.
template <class Ok>
void check_targets(const char* loss, const Var& targets, const char* rule, Ok ok) {
  if (targets.device().is_cuda()) return;
  const auto check = [&](const auto* t) {
    for (int64_t i = 0; i < targets.value().numel(); ++i) {
      check_shape(ok(t[i]), loss, ": a target is ", t[i], ", expected ", rule);
    }
  };
  if (targets.dtype() == DType::f32) return check(targets.value().data<float>());
  check(targets.value().data<double>());
}

Var distance(const Var& a, const Var& b) {
  return sqrt(sum(square(a - b), -1) + 1e-12);
}

}  // namespace

Var weighted_cross_entropy(const Var& logits, const Tensor& targets, const Var& class_weights,
                           double smoothing) {
  check_types("weighted_cross_entropy", logits, class_weights);
  check_shape(logits.shape().rank() == 2 && class_weights.shape() == Shape{logits.shape()[1]},
              "weighted_cross_entropy: class weights ", class_weights.shape(),
              " do not fit logits ", logits.shape());
  check_shape(targets.shape() == Shape{logits.shape()[0]}, "weighted_cross_entropy: targets ",
              targets.shape(), " do not fit logits ", logits.shape());
  check_ids("weighted_cross_entropy", targets, logits.shape()[1]);
  return cross_entropy(logits, targets, smoothing) * gather_rows(class_weights, targets);
}

Var binary_cross_entropy(const Var& x, const Var& targets, double positive_weight) {
  if (!(positive_weight >= 0 && std::isfinite(positive_weight))) {
    throw UsageError(
        text("binary_cross_entropy: needs a finite positive_weight >= 0, got ", positive_weight));
  }
  check_same("binary_cross_entropy", x, targets);
  check_targets("binary_cross_entropy", targets, "numbers in [0, 1]",
                [](auto t) { return t >= 0 && t <= 1; });
  return positive_weight * targets * softplus(-x) + (1 - targets) * softplus(x);
}

Var hinge(const Var& x, const Var& targets, double margin) {
  check_same("hinge", x, targets);
  check_targets("hinge", targets, "-1 or 1", [](auto t) { return t == 1 || t == -1; });
  return relu(margin - targets * x);
}

Var margin_ranking(const Var& positive, const Var& negative, double margin) {
  check_types("margin_ranking", positive, negative);
  (void)broadcast_shape("margin_ranking", positive.shape(), negative.shape());
  return relu(margin - positive + negative);
}

Var triplet_margin(const Var& anchor, const Var& positive, const Var& negative, double margin) {
  check_same("triplet_margin", anchor, positive);
  check_same("triplet_margin", anchor, negative);
  return relu(margin + distance(anchor, positive) - distance(anchor, negative));
}

Var kl_divergence(const Var& p_logits, const Var& q_logits) {
  check_same("kl_divergence", p_logits, q_logits);
  const Var log_p = log_softmax(p_logits), p = exp(log_p);
  const Tensor never = equal(p, 0);  // 0 ln(0 / q) = 0, also for q = 0
  const auto possible = [&](const Var& x) { return masked_fill(x, never, 0); };
  return sum(p * (possible(log_p) - possible(log_softmax(q_logits))), -1);
}

Var gaussian_kl(const Var& mean, const Var& log_variance, const Var& prior_mean,
                const Var& prior_log_variance) {
  for (const Var& other : {log_variance, prior_mean, prior_log_variance}) {
    check_same("gaussian_kl", mean, other);
  }
  const Var log_ratio = log_variance - prior_log_variance;
  const Var shift = square(mean - prior_mean) * exp(-prior_log_variance);
  return 0.5 * sum(expm1(log_ratio) - log_ratio + shift, -1);
}

// With c = clamp(e, -delta, delta) both cases are c (e - c / 2).
Var huber(const Var& x, const Var& target, double delta) {
  if (!(delta > 0)) throw UsageError(text("huber: delta must be positive, got ", delta));
  check_same("huber", x, target);
  const Var e = x - target, c = clamp(e, -delta, delta);
  return c * (e - 0.5 * c);
}

}  // namespace heed
