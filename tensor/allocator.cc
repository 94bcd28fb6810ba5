#include "tensor/allocator.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/huge_pages.h"
#include "base/machine.h"
#include "tensor/cuda/runtime.h"

namespace heed {
namespace {

#if defined(__SANITIZE_ADDRESS__)  // GCC; clang says it by a feature
constexpr bool kExact = true;      // no cache, no rounding
#elif defined(__has_feature)
constexpr bool kExact = __has_feature(address_sanitizer);
#else
constexpr bool kExact = false;
#endif

// Memory of a device, from the system that has it. Null where there is no more.
std::byte* take_from_system(int64_t bytes, Device device) {
  if (device.is_cuda()) {
    cuda::set_device(device.index);
    return cuda::allocate(bytes);
  }
  return static_cast<std::byte*>(allocate_aligned(static_cast<size_t>(bytes)));
}

void give_to_system(std::byte* block, Device device) {
  if (device.is_cuda()) return cuda::free(block);
  std::free(block);
}

// Rounds up to one of eight size classes between two powers of two: of a new block at most 1/8 is
// wasted, and ragged batches of similar sizes share their blocks.
int64_t size_class(int64_t bytes) {
  constexpr int64_t kSmallest = 256;
  if (kExact) return std::max<int64_t>(bytes, 1);
  if (bytes <= kSmallest) return kSmallest;
  int64_t power = kSmallest;
  while (power * 2 < bytes) power *= 2;
  const int64_t step = std::max<int64_t>(power / 8, 64);
  return (bytes + step - 1) / step * step;
}

class Cache {
 public:
  explicit Cache(Device device) : device_(device) {}

  // A block of at least `bytes`, and its size. Free blocks up to kLoosest times as large will do:
  // a step's sizes come one after the other, and few of them at the same time.
  std::pair<std::byte*, int64_t> take(int64_t bytes) {
    std::lock_guard lock(mutex_);
    std::byte* block = nullptr;
    const auto fit = free_.lower_bound(bytes);
    if (fit != free_.end() &&
        static_cast<double>(fit->first) <= kLoosest * static_cast<double>(bytes)) {
      bytes = fit->first;
      block = fit->second.back();
      fit->second.pop_back();
      if (fit->second.empty()) free_.erase(fit);
      stats_.bytes_cached -= bytes;
    } else {
      block = from_system(bytes);
    }
    stats_.bytes_in_use += bytes;
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.bytes_in_use);
    most_ = std::max(most_, stats_.bytes_in_use);
    return {block, bytes};
  }

  void give(std::byte* block, int64_t bytes) {
    std::lock_guard lock(mutex_);
    stats_.bytes_in_use -= bytes;
    try {
      free_[bytes].push_back(block);
      stats_.bytes_cached += bytes;
    } catch (const std::bad_alloc&) {  // nothing may be thrown where a tensor ends
      give_to_system(block, device_);
      if (const auto list = free_.find(bytes); list != free_.end() && list->second.empty()) {
        free_.erase(list);
      }
    }
    if (kExact) clear();
  }

  void clear() {
    for (auto& [bytes, blocks] : free_) {
      for (std::byte* block : blocks) give_to_system(block, device_);
    }
    free_.clear();
    stats_.bytes_cached = 0;
  }

  std::mutex mutex_;
  MemoryStats stats_;

 private:
  static constexpr int64_t kAlwaysKept = int64_t{256} << 20;
  static constexpr double kLoosest = 2.25;  // docs/performance.md, "Memory"

  // Sizes that no batch asks for any more are given back, with all others, before the process
  // holds much more than it has ever needed at once.
  std::byte* from_system(int64_t bytes) {
    const int64_t held = stats_.bytes_in_use + stats_.bytes_cached + bytes;
    if (held > std::max<int64_t>(most_ * 3 / 2, kAlwaysKept)) clear();
    std::byte* block = take_from_system(bytes, device_);
    if (!block) {
      clear();
      block = take_from_system(bytes, device_);
    }
    if (!block) fail(bytes);
    return block;
  }

  [[noreturn]] void fail(int64_t bytes) const {
    const bool cuda = device_.is_cuda();
    const double all =
        cuda ? static_cast<double>(cuda::device_memory(device_.index)) : usable_memory();
    throw DeviceError(text("out of memory", cuda ? " on " + device_.str() : "", ": asked for ",
                           size_text(static_cast<double>(bytes)), " with ",
                           size_text(static_cast<double>(stats_.bytes_in_use)), " of ",
                           size_text(all), " in tensors; try a smaller batch, vocabulary or ",
                           "hidden size"));
  }

  const Device device_;
  int64_t most_ = 0;                                 // that was in use at once, ever
  std::map<int64_t, std::vector<std::byte*>> free_;  // no list is empty
};

// The caches of all devices. Never destroyed: tensors may outlive main().
class Caches {
 public:
  static Caches& all() {
    static Caches* const instance = [] {
      // In a child of fork() nobody lives on who could give a lock back: so fork() waits for them.
      pthread_atfork([] { all().lock(); }, [] { all().unlock(); }, [] { all().unlock(); });
      return new Caches;
    }();
    return *instance;
  }

  Cache& of(Device device) {
    if (!device.is_cuda()) return cpu_;
    const std::lock_guard lock(mutex_);
    std::unique_ptr<Cache>& found = cuda_[device.index];
    if (!found) {
      cuda::check_device(device.index);
      cuda::when_exhausted([](int index) { release_cached({Device::Kind::cuda, index}); });
      found = std::make_unique<Cache>(device);
    }
    return *found;
  }

 private:
  void lock() {
    mutex_.lock();
    cpu_.mutex_.lock();
    for (const auto& [index, cache] : cuda_) cache->mutex_.lock();
  }
  void unlock() {
    for (const auto& [index, cache] : cuda_) cache->mutex_.unlock();
    cpu_.mutex_.unlock();
    mutex_.unlock();
  }

  std::mutex mutex_;  // of cuda_
  Cache cpu_{Device{}};
  std::map<int, std::unique_ptr<Cache>> cuda_;
};

Cache& cache(Device device) {
  return Caches::all().of(device);
}

// What the control block of a tensor's memory knows about it.
struct Block {
  Cache* cache;
  int64_t bytes;
  uint32_t writes = 0;
  // What was copied there from the host, if that was kept, and the count of writes at that time.
  std::shared_ptr<const std::byte> host = {};
  const std::byte* of_host = nullptr;
  uint32_t writes_before = 0;

  void operator()(std::byte* memory) const { cache->give(memory, bytes); }
};

}  // namespace

std::shared_ptr<std::byte> allocate(int64_t bytes, Device device) {
  const int64_t rounded = size_class(bytes);
  Cache& c = cache(device);
  const auto [block, size] = c.take(rounded);
  return {block, Block{&c, size}};
}

uint32_t write_count(const std::shared_ptr<std::byte>& memory) {
  Block* block = std::get_deleter<Block>(memory);
  return block ? std::atomic_ref(block->writes).load(std::memory_order_relaxed) : 0;
}

void count_write(const std::shared_ptr<std::byte>& memory) {
  Block* block = std::get_deleter<Block>(memory);
  if (block) std::atomic_ref(block->writes).fetch_add(1, std::memory_order_relaxed);
}

void keep_host_copy(const std::shared_ptr<std::byte>& memory,
                    std::shared_ptr<const std::byte> host) {
  Block* block = std::get_deleter<Block>(memory);
  block->host = std::move(host);
  block->of_host = memory.get();
  block->writes_before = write_count(memory);
}

const std::byte* host_copy(const std::shared_ptr<std::byte>& memory) {
  const Block* block = std::get_deleter<Block>(memory);
  if (!block || !block->host || write_count(memory) != block->writes_before) return nullptr;
  return block->host.get() + (memory.get() - block->of_host);
}

MemoryStats memory_stats(Device device) {
  std::lock_guard lock(cache(device).mutex_);
  return cache(device).stats_;
}

void reset_peak(Device device) {
  std::lock_guard lock(cache(device).mutex_);
  cache(device).stats_.peak_bytes = cache(device).stats_.bytes_in_use;
}

void release_cached(Device device) {
  std::lock_guard lock(cache(device).mutex_);
  cache(device).clear();
}

}  // namespace heed
