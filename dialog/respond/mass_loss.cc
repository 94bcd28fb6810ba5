#include <algorithm>

#include "autograd/ops.h"
#include "dialog/respond/loss.h"

namespace heed {

// Weights stand in the order of their memory: an utterance's are one segment in each step.
Var attention_mass_loss(const Batch& batch, const Taught& taught) {
  const AttentionTrace& trace = taught.attention;
  const Memory& memory = batch.memory;
  if (trace.empty() || !memory.has_distraction()) return {};
  struct Mass {
    int64_t begin;
    int32_t length;
    double c;
  };
  std::vector<Mass> masses;
  for (int64_t b = 0; b < batch.size; ++b) {
    const int64_t steps = batch.response.packing.length(b), rows = memory.segments.length(b),
                  begin = memory.segments.begin(b);
    const bool same = trace.is_same_in_all_steps();
    const double utterances = memory.utterance[begin + rows - 1] + 1;
    const double each = (same ? static_cast<double>(steps) : 1.0) / utterances;
    for (int64_t t = 0; t < (same ? 1 : steps); ++t) {
      for (int64_t j = 0; j < rows; ++j) {
        if (j == 0 || memory.utterance[begin + j] != memory.utterance[begin + j - 1]) {
          masses.push_back({trace.at(b, t) + j, 0, each * memory.distraction[begin + j]});
        }
        ++masses.back().length;
      }
    }
  }
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
  const Tensor coefficients = Tensor::from(c, means.shape());
  return sum(mul(square(means), coefficients.to(means.dtype()).to(means.device())));
}

}  // namespace heed
