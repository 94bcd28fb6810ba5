#include "dialog/respond/loss.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "dialog/text/vocabulary.h"

namespace heed {

namespace {

// Calls f(first weight, b, how often it counts) for the weights of each step of each dialogue.
// Weights that are the same in every step stand there once, and count as often as there are steps.
template <class F> void each_step(const Batch& batch, const AttentionTrace& trace, const F& f) {
  const bool same = trace.is_same_in_all_steps();
  for (int64_t b = 0; b < batch.size; ++b) {
    const int64_t steps = batch.response.packing.length(b);
    for (int64_t t = 0; t < (same ? 1 : steps); ++t) {
      f(trace.at(b, t), b, same ? static_cast<double>(steps) : 1.0);
    }
  }
}

// sum of c_i x_i^2
Var sum_of_squares(const Var& x, const std::vector<double>& c) {
  const Tensor coefficients = Tensor::from(c, x.shape());
  return sum(mul(square(x), coefficients.to(x.dtype()).to(x.device())));
}

// c_tj = M_j^2 / (memory rows of the dialogue)
Var loss_of_rows(const Batch& batch, const AttentionTrace& trace) {
  const Memory& memory = batch.memory;
  std::vector<double> c(trace.weights().shape().numel());
  each_step(batch, trace, [&](int64_t first, int64_t b, double times) {
    const int64_t rows = memory.segments.length(b);
    for (int64_t j = 0; j < rows; ++j) {
      c[first + j] =
          times / static_cast<double>(rows) * memory.distraction[memory.segments.begin(b) + j];
    }
  });
  return sum_of_squares(trace.weights(), c);
}

// The weights in the order of their memory, one segment an utterance and step.
Var loss_of_mass(const Batch& batch, const AttentionTrace& trace) {
  struct Mass {
    int64_t begin;
    int32_t length;
    double c;
  };
  const Memory& memory = batch.memory;
  std::vector<Mass> masses;
  each_step(batch, trace, [&](int64_t first, int64_t b, double times) {
    const int64_t begin = memory.segments.begin(b), rows = memory.segments.length(b);
    const double utterances = memory.utterance[begin + rows - 1] + 1;
    for (int64_t j = 0; j < rows; ++j) {
      const bool opens = j == 0 || memory.utterance[begin + j] != memory.utterance[begin + j - 1];
      if (opens) {
        masses.push_back({first + j, 0, times / utterances * memory.distraction[begin + j]});
      }
      ++masses.back().length;
    }
  });
  std::sort(masses.begin(), masses.end(),
            [](const Mass& a, const Mass& b) { return a.begin < b.begin; });
  std::vector<int32_t> lengths;
  std::vector<double> c;
  for (const Mass& mass : masses) {
    lengths.push_back(mass.length);
    c.push_back(mass.c * mass.length * mass.length);  // of a mean, not a sum
  }
  const Var& weights = trace.weights();
  const Var means = segment_mean(reshape(weights, {weights.shape().numel(), 1}),
                                 Segments(lengths, weights.device()));
  return sum_of_squares(means, c);
}

}  // namespace

Var attention_loss(const Batch& batch, const Taught& taught, AttentionLoss form) {
  if (!batch.memory.has_distraction() || taught.attention.empty()) return {};
  return form == AttentionLoss::kMass ? loss_of_mass(batch, taught.attention)
                                      : loss_of_rows(batch, taught.attention);
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
    const Var attention = attention_loss(batch, taught, form);
    if (attention.defined()) total = total + lambda * attention;
  }
  if (taught.added.defined()) total = total + taught.added;
  return total / static_cast<double>(batch.size);
}

}  // namespace heed
