// The tokens that may come next in a response.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

struct Choice {
  int32_t token;
  double log_prob;
};

// The tokens that never occur in a response, see DecodeOptions.
std::vector<int32_t> never_written(bool allow_unk);

// For each row of logits (n, V) the `count` most probable tokens (or all, if there are fewer) that
// are not in `excluded`, best first; equal ones by id. Their log p come from a softmax over all V
// tokens, and are NaN where it is NaN.
std::vector<std::vector<Choice>> best_choices(const Tensor& logits,
                                              const std::vector<int32_t>& excluded, int64_t count);

}  // namespace heed
