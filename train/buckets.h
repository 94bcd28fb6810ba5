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

int64_t batch_count(const std::vector<int64_t>& lengths, int64_t batch_size);

// The batches of a task in one epoch, whose n-th is asked for. A task that comes round several
// times in it is shuffled anew each time.
class EpochBatches {
 public:
  // `lengths` must outlive it.
  EpochBatches(const std::vector<int64_t>& lengths, int64_t batch_size, uint64_t seed, int epoch)
      : lengths_(lengths), batch_size_(batch_size), seed_(seed), epoch_(epoch) {}
  const std::vector<int64_t>& at(int64_t n);

 private:
  const std::vector<int64_t>& lengths_;
  int64_t batch_size_;
  uint64_t seed_;
  int epoch_;
  int64_t round_ = -1;
  std::vector<std::vector<int64_t>> batches_;
};

}  // namespace heed
