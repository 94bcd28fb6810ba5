#include "tensor/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tensor/error.h"

namespace heed {
namespace {

thread_local bool inside_parallel = false;

// A fork-join pool. A recurrent network forks some thousand times in a second with pieces of some
// ten microseconds, so a waiting thread first spins for a moment and only then sleeps.
class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  }

  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      generation_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  int workers() const { return static_cast<int>(threads_.size()); }

  void run(int64_t pieces, const std::function<void(int64_t)>& body) {
    body_ = &body;
    pieces_ = pieces;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(workers(), std::memory_order_relaxed);
    {
      std::lock_guard lock(mutex_);
      generation_.fetch_add(1, std::memory_order_release);
    }
    if (sleeping_.load(std::memory_order_acquire) > 0) wake_.notify_all();
    take_pieces();
    while (busy_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  }

 private:
  void take_pieces() {
    inside_parallel = true;
    for (int64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < pieces_;) (*body_)(i);
    inside_parallel = false;
  }

  void work() {
    uint64_t seen = 0;
    while (true) {
      wait_for_change(seen);
      seen = generation_.load(std::memory_order_acquire);
      if (stop_) return;
      take_pieces();
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  void wait_for_change(uint64_t seen) {
    constexpr int kSpins = 2000;
    for (int i = 0; i < kSpins; ++i) {
      if (generation_.load(std::memory_order_acquire) != seen) return;
      std::this_thread::yield();
    }
    std::unique_lock lock(mutex_);
    sleeping_.fetch_add(1, std::memory_order_release);
    wake_.wait(lock, [&] { return generation_.load(std::memory_order_acquire) != seen; });
    sleeping_.fetch_sub(1, std::memory_order_release);
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> generation_{0};
  std::atomic<int> sleeping_{0}, busy_{0};
  std::atomic<int64_t> next_{0};
  const std::function<void(int64_t)>* body_ = nullptr;
  int64_t pieces_ = 0;
  bool stop_ = false;
};

std::unique_ptr<Pool>& pool() {
  static std::unique_ptr<Pool> instance;
  return instance;
}

int hardware_threads() {
  static const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return count;
}

int threads_wanted = 0;  // 0: one for each core

}  // namespace

void set_num_threads(int count) {
  if (count < 0 || count > 1024) {
    throw UsageError("threads: expected 0 (all cores) to 1024, got " + std::to_string(count));
  }
  if (count == threads_wanted) return;
  threads_wanted = count;
  pool().reset();
}

int num_threads() {
  return threads_wanted > 0 ? threads_wanted : hardware_threads();
}

void parallel_for(int64_t pieces, const std::function<void(int64_t)>& body) {
  if (pieces <= 1 || inside_parallel || num_threads() == 1) {
    for (int64_t i = 0; i < pieces; ++i) body(i);
    return;
  }
  if (!pool()) pool() = std::make_unique<Pool>(num_threads() - 1);
  pool()->run(pieces, body);
}

void parallel_ranges(int64_t size, int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body) {
  const int64_t pieces = (size + grain - 1) / grain;
  parallel_for(pieces, [&](int64_t i) { body(i * grain, std::min(size, (i + 1) * grain)); });
}

}  // namespace heed
