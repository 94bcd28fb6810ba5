#include "tensor/allocator.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tensor/error.h"
#include "tensor/huge_pages.h"

namespace heed {
namespace {

// Rounds up to one of eight size classes between two powers of two: at most 1/8 is wasted, and
// ragged batches of similar sizes share their blocks.
int64_t size_class(int64_t bytes) {
  constexpr int64_t kSmallest = 256;
  if (bytes <= kSmallest) return kSmallest;
  int64_t power = kSmallest;
  while (power * 2 < bytes) power *= 2;
  const int64_t step = std::max<int64_t>(power / 8, 64);
  return (bytes + step - 1) / step * step;
}

class Cache {
 public:
  std::byte* take(int64_t bytes) {
    std::lock_guard lock(mutex_);
    std::vector<std::byte*>& blocks = free_[bytes];
    std::byte* block = nullptr;
    if (!blocks.empty()) {
      block = blocks.back();
      blocks.pop_back();
      stats_.bytes_cached -= bytes;
    } else {
      block = from_system(bytes);
    }
    stats_.bytes_in_use += bytes;
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.bytes_in_use);
    return block;
  }

  void give(std::byte* block, int64_t bytes) {
    std::lock_guard lock(mutex_);
    free_[bytes].push_back(block);
    stats_.bytes_in_use -= bytes;
    stats_.bytes_cached += bytes;
  }

  void clear() {
    for (auto& [bytes, blocks] : free_) {
      for (std::byte* block : blocks) std::free(block);
      blocks.clear();
    }
    stats_.bytes_cached = 0;
  }

  std::mutex mutex_;
  MemoryStats stats_;

 private:
  static constexpr int64_t kAlwaysKept = int64_t{256} << 20;

  // Sizes that no batch asks for any more are given back, with all others, before the process
  // holds much more than it has ever needed at once.
  std::byte* from_system(int64_t bytes) {
    const int64_t held = stats_.bytes_in_use + stats_.bytes_cached + bytes;
    if (held > std::max<int64_t>(stats_.peak_bytes * 3 / 2, kAlwaysKept)) clear();
    void* block = allocate_aligned(static_cast<size_t>(bytes));
    if (!block) {
      clear();
      block = allocate_aligned(static_cast<size_t>(bytes));
    }
    if (!block) {
      throw DeviceError("out of memory: asked for " + std::to_string(bytes >> 20) + " MiB with " +
                        std::to_string(stats_.bytes_in_use >> 20) +
                        " MiB in use; try a smaller batch, vocabulary or hidden size");
    }
    return static_cast<std::byte*>(block);
  }

  std::unordered_map<int64_t, std::vector<std::byte*>> free_;
};

Cache& cache() {
  static Cache* instance = new Cache;  // never destroyed: tensors may outlive main()
  return *instance;
}

}  // namespace

std::shared_ptr<std::byte> allocate(int64_t bytes) {
  const int64_t rounded = size_class(bytes);
  return {cache().take(rounded), [rounded](std::byte* block) { cache().give(block, rounded); }};
}

MemoryStats memory_stats() {
  std::lock_guard lock(cache().mutex_);
  return cache().stats_;
}

void reset_peak() {
  std::lock_guard lock(cache().mutex_);
  cache().stats_.peak_bytes = cache().stats_.bytes_in_use;
}

void release_cached() {
  std::lock_guard lock(cache().mutex_);
  cache().clear();
}

}  // namespace heed
