#include "nn/losses.h"

#include "autograd/discrete.h"
#include "autograd/node.h"
#include "tensor/broadcast.h"

namespace heed {
namespace {

void check_same(const char* loss, const Var& a, const Var& b) {
  check_types(loss, a, b);
  check_shape(a.shape() == b.shape(), loss, ": shapes differ, ", a.shape(), " and ", b.shape());
}

Var distance(const Var& a, const Var& b) {
  return sqrt(sum(square(a - b), -1) + 1e-12);
}

}  // namespace

Var weighted_cross_entropy(const Var& logits, const Tensor& targets, const Var& class_weights,
                           double smoothing) {
  check_shape(logits.shape().rank() == 2 && class_weights.shape() == Shape{logits.shape()[1]},
              "weighted_cross_entropy: class weights ", class_weights.shape(),
              " do not fit logits ", logits.shape());
  check_types("weighted_cross_entropy", logits, class_weights);
  return cross_entropy(logits, targets, smoothing) * gather_rows(class_weights, targets);
}

Var binary_cross_entropy(const Var& x, const Var& targets, double positive_weight) {
  check_same("binary_cross_entropy", x, targets);
  return positive_weight * targets * softplus(-x) + (1 - targets) * softplus(x);
}

Var hinge(const Var& x, const Var& targets, double margin) {
  check_same("hinge", x, targets);
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
  const Var log_ratio = log_p - log_softmax(q_logits);
  return sum(p * masked_fill(log_ratio, equal(p, 0), 0), -1);  // 0 ln(0 / q) = 0
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
