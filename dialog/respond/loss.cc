#include "dialog/respond/loss.h"

#include <cmath>

#include "autograd/ops.h"
#include "dialog/text/vocabulary.h"

namespace heed {

Var attention_loss(const Batch& batch, const Taught& taught) {
  const Memory& memory = batch.memory;
  if (!memory.has_distraction() || taught.attention.empty()) return {};
  // The loss is sum c_tj w_tj^2 with c_tj = M_j^2 / (memory rows of the dialogue); weights that are
  // the same in every step stand there once, and count as often as there are steps.
  const AttentionTrace& trace = taught.attention;
  std::vector<double> c(trace.weights().shape().numel());
  for (int64_t b = 0; b < batch.size; ++b) {
    const int64_t steps = batch.response.packing.length(b), rows = memory.segments.length(b);
    const bool same = trace.is_same_in_all_steps();
    const double each = (same ? static_cast<double>(steps) : 1.0) / static_cast<double>(rows);
    for (int64_t t = 0; t < (same ? 1 : steps); ++t) {
      for (int64_t j = 0; j < rows; ++j) {
        c[trace.at(b, t) + j] = each * memory.distraction[memory.segments.begin(b) + j];
      }
    }
  }
  const Var& weights = trace.weights();
  const Tensor coefficients = Tensor::from(c, weights.shape());
  return sum(mul(square(weights), coefficients.to(weights.dtype()).to(weights.device())));
}

Tensor inverse_frequency_weights(const PackedList<Example>& examples, int64_t vocab_size,
                                 double exponent) {
  std::vector<double> times(vocab_size);
  for (const Example example : examples) {
    for (const int32_t word : example.response) ++times[word];
    ++times[kEos];
  }
  std::vector<double> weights(vocab_size);
  double all = 0, weighted = 0;
  for (int64_t word = 0; word < vocab_size; ++word) {
    if (times[word] == 0) continue;
    weights[word] = std::pow(times[word], -exponent);
    all += times[word];
    weighted += times[word] * weights[word];
  }
  for (double& weight : weights) weight *= all / weighted;
  return Tensor::from(weights, {vocab_size}).to(DType::f32);
}

Var training_loss(const Batch& batch, const Taught& taught, double lambda, AttentionLoss form) {
  Var total = taught.nll_total;
  if (lambda != 0) {
    const Var attention = form == AttentionLoss::kMass ? attention_mass_loss(batch, taught)
                                                       : attention_loss(batch, taught);
    if (attention.defined()) total = total + lambda * attention;
  }
  if (taught.added.defined()) total = total + taught.added;
  return total / static_cast<double>(batch.size);
}

}  // namespace heed
