#pragma once

#include <cstdint>
#include <vector>

namespace heed {

// Cuts n examples into batches of similar cost, so that no batch waits for one long example: they
// are shuffled, sorted by length within windows of kBucketWindow batches, cut, and the batches
// shuffled. A function of (seed, epoch) only. `lengths` are what the examples cost: their tokens.
// Throws UsageError for a batch of less than one.
constexpr int64_t kBucketWindow = 50;
std::vector<std::vector<int64_t>> bucket_batches(const std::vector<int64_t>& lengths,
                                                 int64_t batch_size, uint64_t seed, uint64_t epoch);

}  // namespace heed
