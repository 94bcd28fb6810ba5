#include "nn/batches.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "tensor/random.h"

namespace heed {

std::vector<std::vector<int64_t>> bucket_batches(const std::vector<int64_t>& lengths,
                                                 int64_t batch_size, uint64_t seed,
                                                 uint64_t epoch) {
  if (batch_size < 1) {
    throw UsageError("batch: expected at least 1, got " + std::to_string(batch_size));
  }
  Rng rng(seed, "buckets", epoch);
  const int64_t n = static_cast<int64_t>(lengths.size());
  batch_size = std::min(batch_size, std::max<int64_t>(n, 1));  // keeps the window from overflowing
  const int64_t window = batch_size * kBucketWindow;
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  rng.shuffle(order);
  std::vector<std::vector<int64_t>> batches;
  for (int64_t begin = 0; begin < n; begin += window) {
    const auto first = order.begin() + begin, last = order.begin() + std::min(n, begin + window);
    std::stable_sort(first, last, [&](int64_t a, int64_t b) { return lengths[a] < lengths[b]; });
    for (auto at = first; at < last; at += std::min<int64_t>(batch_size, last - at)) {
      batches.emplace_back(at, at + std::min<int64_t>(batch_size, last - at));
    }
  }
  rng.shuffle(batches);
  return batches;
}

std::vector<std::vector<int64_t>> shuffled_batches(int64_t n, int64_t batch_size, uint64_t seed,
                                                   uint64_t epoch, bool drop_last) {
  if (n < 0) throw UsageError(text("batches: negative number of examples ", n));
  std::vector<std::vector<int64_t>> batches =
      bucket_batches(std::vector<int64_t>(n, 1), batch_size, seed, epoch);
  if (drop_last) {
    std::erase_if(batches, [&](const auto& ids) { return std::ssize(ids) < batch_size; });
  }
  return batches;
}

int64_t batch_count(const std::vector<int64_t>& lengths, int64_t batch_size) {
  if (batch_size < 1) throw UsageError("batches: the batch size must be at least 1");
  const int64_t n = std::ssize(lengths);
  return n / batch_size + (n % batch_size > 0);
}

const std::vector<int64_t>& EpochBatches::at(int64_t n) {
  if (n < 0 || lengths_.empty()) throw UsageError(text("batches: there is no batch ", n));
  const int64_t per_round = batch_count(lengths_, batch_size_), round = n / per_round;
  if (round != round_) {
    // In one epoch no task comes round 2^16 times: epochs and rounds have keys of their own.
    const uint64_t key = static_cast<uint64_t>(epoch_) | (static_cast<uint64_t>(round) << 48);
    batches_ = bucket_batches(lengths_, batch_size_, seed_, key);
    round_ = round;
  }
  return batches_[n % per_round];
}

}  // namespace heed
