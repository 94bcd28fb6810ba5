// What may come next in a response that a model writes.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

struct Choice {
  int32_t token;
  double log_prob;
};

// The tokens that never come in a response, see DecodeOptions.
std::vector<int32_t> never_written(bool allow_unk);

// For each row of logits (n, V) the `count` most probable tokens that are not among
// `excluded`, or all of them, best first; equal ones by number. Their log p are those of a softmax
// over all V tokens, NaN where that is.
std::vector<std::vector<Choice>> best_choices(const Tensor& logits,
                                              const std::vector<int32_t>& excluded, int64_t count);

}  // namespace heed
