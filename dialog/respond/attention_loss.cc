#include "dialog/respond/attention_loss.h"

namespace heed {

Var attention_loss(const Batch& batch, const DialogModel::Output& output) {
  if (!batch.has_distraction()) return {};
  // c_j = M_j^2 / (memory rows of the dialogue); with the same weights in every step also times the
  // number of steps. Then the loss is sum c_j w_tj^2.
  std::vector<double> c;
  for (int64_t b = 0; b < batch.size; ++b) {
    const double times = output.same_weights ? static_cast<double>(batch.decoder.length(b)) : 1.0;
    for (int64_t j = batch.memory.begin(b); j < batch.memory.end(b); ++j) {
      c.push_back(batch.distraction[j] * times / static_cast<double>(batch.memory.length(b)));
    }
  }
  // Step t holds the memory rows of the dialogues still running: a prefix.
  std::vector<double> of_all_steps;
  for (const Var& w : output.weights) {
    of_all_steps.insert(of_all_steps.end(), c.begin(), c.begin() + w.shape()[0]);
  }
  const Var weights = concat(output.weights, 0);
  const Tensor coefficients = Tensor::from(of_all_steps, weights.shape());
  return sum(mul(square(weights), coefficients.to(weights.dtype()).to(weights.device())));
}

Var training_loss(const Batch& batch, const DialogModel::Output& output, double lambda) {
  Var total = output.nll_total;
  if (lambda != 0) {
    const Var attention = attention_loss(batch, output);
    if (attention.defined()) total = total + lambda * attention;
  }
  return total / static_cast<double>(batch.size);
}

}  // namespace heed
