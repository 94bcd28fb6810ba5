// Pointer networks (Vinyals et al. 2015) over sets of rows that change from step to step: a step
// chooses among the rows in its list. A row that is crossed out has no score, so its probability
// and its gradient are 0, and no arithmetic with infinity is needed to hide it.
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/ops.h"

namespace heed {

// The rows that each step may still choose, step after step.
class Choices {
 public:
  // A step and the rows of the memory that it sees, at least one.
  void add(const std::vector<int32_t>& rows);
  int64_t steps() const { return static_cast<int64_t>(lengths_.size()); }
  const std::vector<int32_t>& rows() const { return rows_; }
  const std::vector<int32_t>& step_of() const { return steps_; }
  Segments segments(Device device = {}) const { return Segments(lengths_, device); }

 private:
  std::vector<int32_t> rows_, steps_, lengths_;
};

// a_p = query_s . memory_j of the pairs p = (step s, row j): query (S, H), memory (M, H) -> (P)
Var choice_scores(const Var& query, const Var& memory, const Choices& choices);

// -ln softmax(scores of segment s)_target, targets counted within each segment: (P), (S) -> (S).
//   ln sum_j exp(a_j - m) - (a_target - m),  m = max_j a_j
// Throws ShapeError for targets outside of their segment and for segments without scores.
Var segment_cross_entropy(const Var& scores, const Segments& segments,
                          const std::vector<int32_t>& targets);

}  // namespace heed
