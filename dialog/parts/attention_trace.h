// A model's attention while it wrote: the basis of attention scores, the attention loss and
// pictures, for any model.
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/packing.h"
#include "autograd/var.h"

namespace heed {

// The weights of step t of dialogue b are one for each of its memory rows, and sum to 1.
// They begin at
//   at(b, t) = step_begin_t + begin_b + t stride_b
// in the vector `weights`. There are only three layouts.
class AttentionTrace {
 public:
  AttentionTrace() = default;

  // One context vector for all steps: weights (M), row by row of the memory.
  static AttentionTrace same_in_all_steps(Var weights, const Segments& memory);
  // Step by step: for each step the memory rows of the dialogues still running, a prefix.
  static AttentionTrace step_by_step(const std::vector<Var>& weights, const Segments& memory);
  // Dialogue by dialogue, with `steps` (B): for each of its steps its memory rows.
  static AttentionTrace dialogue_by_dialogue(Var weights, const Segments& memory,
                                             const std::vector<int64_t>& steps);

  // True for a model without attention: it has no attention scores, attention loss or DAS ratio.
  bool empty() const { return !weights_.defined(); }

  const Var& weights() const { return weights_; }
  bool is_same_in_all_steps() const { return same_; }
  int64_t at(int64_t b, int64_t t) const {
    return same_ ? begin_[b]
                 : (step_begin_.empty() ? 0 : step_begin_[t]) + begin_[b] + t * stride_[b];
  }

 private:
  Var weights_;
  bool same_ = false;
  std::vector<int64_t> step_begin_, begin_, stride_;
};

}  // namespace heed
