// What may come next in a response that a model writes.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

struct Choice {
  int32_t token;
  double log_prob;

  bool operator==(const Choice&) const = default;
};

// The `count` most probable of the allowed tokens, or all of them, best first; equal ones by
// number. log_probs (V) of f32 or f64, on the CPU; `allowed` says for each of the V tokens whether
// it may come.
std::vector<Choice> best_choices(const Tensor& log_probs, const std::vector<bool>& allowed,
                                 size_t count);

}  // namespace heed
