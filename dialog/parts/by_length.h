// Batches of similar length.
#pragma once

#include <string>

#include "base/error.h"
#include "dialog/parts/context_batch.h"

namespace heed {

// Positions 0 .. n-1 in batches of at most `batch_size` of similar length, the longest first.
// Throws UsageError for a batch size below 1.
template <class Length>
std::vector<std::vector<int64_t>> batches_by_length(int64_t n, int64_t batch_size, Length length) {
  if (batch_size < 1) {
    throw UsageError("batch: expected at least 1, got " + std::to_string(batch_size));
  }
  const std::vector<int64_t> order = descending(n, length);
  std::vector<std::vector<int64_t>> batches;
  for (int64_t at = 0; at < n; at += batch_size) {
    batches.emplace_back(order.begin() + at, order.begin() + std::min(n, at + batch_size));
  }
  return batches;
}

}  // namespace heed
