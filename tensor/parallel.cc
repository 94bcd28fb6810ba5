#include "tensor/parallel.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/machine.h"

namespace heed {
namespace {

thread_local bool inside_parallel = false;
thread_local int loops_alone = 0;  // that this thread is in, without the pool

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// A fork-join pool. A recurrent network forks some ten thousand times in a second with pieces of
// some ten microseconds, so a thread without work first spins for a moment and only then sleeps.
// Every thread begins with a share of its own, and takes from the others' when that is done: what a
// thread wrote in one job is then mostly what it reads in the next, from its own core's cache
// (docs/performance.md, "Two threads"). And the caller never waits for a thread that has not begun:
// on a busy machine, where the others may not run for milliseconds, it does all the pieces itself.
class Pool {
 public:
  // Where the system gives no more threads, those that there are do the work: the results are the
  // same for any number.
  explicit Pool(int workers) : shares_(workers + 1) {
    threads_.reserve(static_cast<size_t>(workers));
    try {
      for (int i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i + 1); });
    } catch (const std::exception&) {  // no memory for a stack, or a limit on threads
    }
  }

  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(int64_t pieces, const std::function<void(int64_t)>& body) {
    body_ = &body;
    used_ = std::min<int64_t>(pieces, static_cast<int64_t>(shares_.size()));
    for (int64_t i = 0; i < used_; ++i) {
      shares_[i].next.store(pieces * i / used_, std::memory_order_relaxed);
      shares_[i].end = pieces * (i + 1) / used_;
    }
    generation_ += kGeneration;
    state_.store(generation_ | kOpen);
    if (sleeping_.load() > 0) {
      std::lock_guard lock(mutex_);  // a thread between its check and its sleep hears it too
      wake_.notify_all();
    }
    take_pieces(0);
    state_.fetch_and(~kOpen);
    while (state_.load(std::memory_order_acquire) & kActive) pause();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  // The pieces [next, end) of a job that one thread begins with.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;

    int64_t take() {  // -1: none is left
      if (next.load(std::memory_order_relaxed) >= end) return -1;
      const int64_t piece = next.fetch_add(1, std::memory_order_relaxed);
      return piece < end ? piece : -1;
    }
  };

  // state_ is the job's generation, whether threads may still join it, and how many have.
  static constexpr uint64_t kActive = 0xFFFF, kOpen = 0x10000, kGeneration = 0x20000;

  void take_pieces(int64_t me) {
    inside_parallel = true;
    try {
      for (int64_t k = 0; k < used_; ++k) {
        Share& share = shares_[(me + k) % used_];
        for (int64_t i; (i = share.take()) >= 0;) (*body_)(i);
      }
    } catch (...) {  // out of memory, most likely; run() throws it where all threads are done
      std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      for (int64_t i = 0; i < used_; ++i) {
        shares_[i].next.store(shares_[i].end, std::memory_order_relaxed);
      }
    }
    inside_parallel = false;
  }

  // Whether there is a job that this thread has not seen yet.
  bool has_job(uint64_t state, uint64_t seen) const {
    return (state & kOpen) && (state & ~(kOpen | kActive)) != seen;
  }

  void work(int64_t me) {
    uint64_t seen = 0;
    while (wait_for_job(seen)) {
      uint64_t state = state_.load();
      if (!has_job(state, seen) || !state_.compare_exchange_strong(state, state + 1)) continue;
      seen = state & ~(kOpen | kActive);
      take_pieces(me);
      state_.fetch_sub(1, std::memory_order_release);
    }
  }

  bool wait_for_job(uint64_t seen) {                     // false: the pool ends
    constexpr std::chrono::microseconds kPatience(300);  // whoever sleeps wakes up late
    const auto end = std::chrono::steady_clock::now() + kPatience;
    do {
      for (int i = 0; i < 64; ++i, pause()) {
        if (has_job(state_.load(std::memory_order_relaxed), seen)) return true;
      }
    } while (std::chrono::steady_clock::now() < end);
    std::unique_lock lock(mutex_);
    sleeping_.fetch_add(1);
    wake_.wait(lock, [&] { return stop_ || has_job(state_.load(), seen); });
    sleeping_.fetch_sub(1);
    return !stop_;
  }

  std::vector<std::thread> threads_;
  std::vector<Share> shares_;  // one a thread, the caller's first
  int64_t used_ = 0;           // of them, where a job has fewer pieces than there are threads
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<uint64_t> state_{0};
  std::atomic<int> sleeping_{0};
  uint64_t generation_ = 0;
  const std::function<void(int64_t)>* body_ = nullptr;
  std::exception_ptr failure_;  // the first one of a job
  bool stop_ = false;
};

// The pool and who has it. Never destroyed, as threads may outlive main().
struct Shared {
  Shared* of_parent = nullptr;           // see begin_anew()
  std::mutex busy = {};                  // held by the thread whose job the pool runs
  std::unique_ptr<Pool> pool = nullptr;  // made by the first job
};

int usable_threads() {
  static const int count = usable_processors();
  return count;
}

std::atomic<int> threads_wanted{0};  // 0: one for each processor

Shared*& shared();

// The workers end with main(), unless one of another thread's jobs still runs.
void end_workers() {
  threads_wanted = 1;  // what still comes is done by its own thread
  if (inside_parallel) return;
  const std::unique_lock lock(shared()->busy, std::try_to_lock);
  if (lock) shared()->pool.reset();
}

// A child of fork() has none of the threads, and somebody may have held the lock: it gets a pool of
// its own, and leaves the old one alone.
void begin_anew() {
  Shared* const own = new Shared;
  own->of_parent = shared();
  shared() = own;
}

Shared*& shared() {
  static Shared* instance = [] {
    pthread_atfork(nullptr, nullptr, begin_anew);
    std::atexit(end_workers);
    return new Shared;
  }();
  return instance;
}

void run_alone(int64_t pieces, const std::function<void(int64_t)>& body) {
  struct Counted {
    Counted() { ++loops_alone; }
    ~Counted() { --loops_alone; }
  } const counted;
  for (int64_t i = 0; i < pieces; ++i) body(i);
}

}  // namespace

void set_num_threads(int count) {
  if (count < 0 || count > 1024) {
    throw UsageError("threads: expected 0 (all cores) to 1024, got " + std::to_string(count));
  }
  if (inside_parallel || loops_alone > 0) {
    throw UsageError("threads: not to be set from inside of a parallel loop");
  }
  const std::lock_guard lock(shared()->busy);
  if (count == threads_wanted) return;
  threads_wanted = count;
  shared()->pool.reset();
}

int num_threads() {
  const int wanted = threads_wanted;
  return wanted > 0 ? wanted : usable_threads();
}

// One job at a time has the pool. A thread that comes while it is busy does its pieces itself,
// which changes no result.
void parallel_for(int64_t pieces, const std::function<void(int64_t)>& body) {
  if (pieces <= 1 || inside_parallel || num_threads() == 1) return run_alone(pieces, body);
  Shared& here = *shared();
  const std::unique_lock lock(here.busy, std::try_to_lock);
  if (!lock) return run_alone(pieces, body);
  if (!here.pool) here.pool = std::make_unique<Pool>(num_threads() - 1);
  here.pool->run(pieces, body);
}

void loop_alone() {
  inside_parallel = true;
}

void parallel_ranges(int64_t size, int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body) {
  if (grain < 1) throw UsageError(text("parallel_ranges: the grain must be positive, got ", grain));
  const int64_t pieces = size / grain + (size % grain > 0);
  parallel_for(pieces, [&](int64_t i) {
    const int64_t begin = i * grain;
    body(begin, begin + std::min(grain, size - begin));
  });
}

}  // namespace heed
