// Where a model looked while it wrote: what attention scores, the attention loss and pictures are
// made of, whatever the model.
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/packing.h"
#include "autograd/var.h"

namespace heed {

// The weights of a step t of a dialogue b are as many numbers as it has memory rows; they sum to 1
// and begin at
//   at(b, t) = step_begin_t + begin_b + t stride_b
// of `weights`, a vector. Three layouts are all that there are.
class AttentionTrace {
 public:
  AttentionTrace() = default;

  // One context vector for all steps: weights (M), row by row of the memory.
  static AttentionTrace same_in_all_steps(Var weights, const Segments& memory);
  // Step by step: of each step the memory rows of the dialogues that are still running, a prefix.
  static AttentionTrace step_by_step(const std::vector<Var>& weights, const Segments& memory);
  // Dialogue by dialogue, `steps` (B) of them: for each of its steps its memory rows.
  static AttentionTrace dialogue_by_dialogue(Var weights, const Segments& memory,
                                             const std::vector<int64_t>& steps);

  // Of a model without attention: it has no attention scores, no attention loss and no DAS ratio.
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
