// Mini-batches of the examples of a training set.
#pragma once

#include <cstdint>
#include <future>
#include <utility>
#include <vector>

#include "base/error.h"

namespace heed {

// Cuts n examples into batches of similar cost, so that no batch waits for one long example: they
// are shuffled, sorted by length within windows of kBucketWindow batches, and cut; then the batches
// are shuffled. The result depends on (seed, epoch) only. `lengths` are the costs of the examples,
// in tokens.
// The last batch of the last window may be smaller. Throws UsageError for a batch of less than
// one.
constexpr int64_t kBucketWindow = 50;
std::vector<std::vector<int64_t>> bucket_batches(const std::vector<int64_t>& lengths,
                                                 int64_t batch_size, uint64_t seed, uint64_t epoch);
// n examples that cost the same, shuffled. With drop_last every batch is full. Throws UsageError
// for a negative n, too.
std::vector<std::vector<int64_t>> shuffled_batches(int64_t n, int64_t batch_size, uint64_t seed,
                                                   uint64_t epoch, bool drop_last = false);

int64_t batch_count(const std::vector<int64_t>& lengths, int64_t batch_size);

// The batches of a task in one epoch, by number. When a task runs out of batches within the epoch,
// it is reshuffled and starts again.
class EpochBatches {
 public:
  // `lengths` must outlive it.
  EpochBatches(const std::vector<int64_t>& lengths, int64_t batch_size, uint64_t seed, int epoch)
      : lengths_(lengths), batch_size_(batch_size), seed_(seed), epoch_(epoch) {}
  EpochBatches(std::vector<int64_t>&&, int64_t, uint64_t, int) = delete;
  const std::vector<int64_t>& at(int64_t n);

 private:
  const std::vector<int64_t>& lengths_;
  int64_t batch_size_;
  uint64_t seed_;
  int epoch_;
  int64_t round_ = -1;
  std::vector<std::vector<int64_t>> batches_;
};

// Makes each batch on another thread while the loop works on the one before:
//   for (const Packed& batch : Prefetched(shuffled_batches(n, 32, seed, epoch), make)) ...
// `make(ids)` is called for one batch after the other, in order. The loop rethrows its
// exceptions when the batch is due. The loop can be left at any time, and run again from the first
// batch. UsageError for reading a batch twice, and for a loop within a loop over the same object.
template <class Make> class Prefetched {
 public:
  using Batch = std::invoke_result_t<Make&, const std::vector<int64_t>&>;
  Prefetched(std::vector<std::vector<int64_t>> batches, Make make)
      : batches_(std::move(batches)), make_(std::move(make)) {}
  Prefetched(const Prefetched&) = delete;

  class Iterator {
   public:
    Iterator(Prefetched& all, size_t at) : all_(all), at_(at) {}
    Batch operator*() const { return all_.take(at_); }
    void operator++() { ++at_; }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    Prefetched& all_;
    size_t at_;
  };
  Iterator begin() {
    start(0);
    return {*this, 0};
  }
  Iterator end() { return {*this, batches_.size()}; }

 private:
  void start(size_t at) {
    if (next_.valid()) next_.wait();  // of a loop that was left
    due_ = at;
    if (at >= batches_.size()) return;
    next_ = std::async(std::launch::async, [this, at] { return make_(batches_[at]); });
  }
  Batch take(size_t at) {
    if (at != due_ || !next_.valid()) {
      throw UsageError(text("batches: batch ", at, " was read already; keep what *it returns"));
    }
    Batch batch = next_.get();
    start(at + 1);
    return batch;
  }

  std::vector<std::vector<int64_t>> batches_;
  Make make_;
  size_t due_ = 0;           // which one `next_` makes
  std::future<Batch> next_;  // destroyed first: it waits for its thread
};

}  // namespace heed
