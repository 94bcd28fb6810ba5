// Losses made of ops. Each returns one loss per element or row: reduce it by sum() or mean(), with
// weights if you like. cross_entropy(), also with label smoothing, is an op (autograd/ops.h). All
// throw ShapeError for shapes or element types that do not fit. Targets that a loss does not define
// throw it too on the CPU; on a GPU they are not looked at, as that would wait for it.
#pragma once

#include "autograd/ops.h"

namespace heed {

// Cross entropy with a weight for each class, p = softmax(logits):
//   w_target (-ln p_target), or with label smoothing e
//   w_target ((1 - e) (-ln p_target) + e mean_j(-ln p_j))
// PyTorch weights each class of the mean by its own weight instead:
//   (1 - e) w_target (-ln p_target) + e mean_j(w_j (-ln p_j))
//   logits (n, C), targets i32 (n), class_weights (C) -> (n)
// The mean as defined elsewhere is sum(loss) / sum(gather_rows(class_weights, targets)).
Var weighted_cross_entropy(const Var& logits, const Tensor& targets, const Var& class_weights,
                           double smoothing = 0);

// Binary cross entropy, element by element, with targets in [0, 1] and p = sigmoid(x):
//   -w t ln p - (1 - t) ln(1 - p) = w t softplus(-x) + (1 - t) softplus(x)
// w, the weight of positive examples, balances classes of different sizes. It neither overflows nor
// cancels for any x. UsageError unless w >= 0 is finite.
Var binary_cross_entropy(const Var& x, const Var& targets, double positive_weight = 1);

// max(0, margin - t x), element by element, for targets -1 and 1. Cortes & Vapnik 1995.
Var hinge(const Var& x, const Var& targets, double margin = 1);

// max(0, margin - s_p + s_n): positive scores should exceed negative ones by `margin`. Element by
// element, with broadcasting. Joachims 2002.
Var margin_ranking(const Var& positive, const Var& negative, double margin = 1);

// max(0, margin + d(a, p) - d(a, n)) with Euclidean distances d(a, b) = sqrt(|a - b|^2 + 1e-12)
// over the last axis: (..., C) -> (...). Balntas et al. 2016. (1e-12 keeps the gradient
// finite where a = b.)
Var triplet_margin(const Var& anchor, const Var& positive, const Var& negative, double margin = 1);

// KL(p || q) = sum_j p_j (ln p_j - ln q_j) over the last axis, p = softmax(p_logits), q =
// softmax(q_logits): (..., C) -> (...). Kullback & Leibler 1951. detach() the one that must not
// learn, such as the teacher of a distillation.
Var kl_divergence(const Var& p_logits, const Var& q_logits);

// KL(N(m, e^v) || N(m0, e^v0)) of normal distributions with independent elements, given by mean and
// log variance, summed over the last axis: (..., C) -> (...). Kingma & Welling 2014.
//   1/2 sum_j (v0 - v + (e^v + (m - m0)^2) e^-v0 - 1)
Var gaussian_kl(const Var& mean, const Var& log_variance, const Var& prior_mean,
                const Var& prior_log_variance);

// Element by element, with e = x - target: e^2 / 2 where |e| <= delta, beyond it
// delta (|e| - delta / 2). UsageError unless delta > 0. Huber 1964.
Var huber(const Var& x, const Var& target, double delta = 1);

}  // namespace heed
