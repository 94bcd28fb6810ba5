#include "emulator/cuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "emulator/fiber.h"
#include "emulator/kernel_name.h"
#include "emulator/marks.h"
#include "emulator/memory.h"
#include "emulator/watch.h"

namespace emulator {
namespace {

constexpr int kWarp = 32;

// ---- the running block

void run_threads();  // the work of a fiber

enum class State : uint8_t { running, at_barrier, at_warp, done };

struct Thread {
  State state = State::running;
  Fiber* fiber = nullptr;
  Where where;  // it waits
  unsigned mask = 0;
  Exchange exchange;
  uint32_t warp_interval = 0;
};

class Block {
 public:
  void run(const std::function<void()>& kernel);
  void begin_threads();  // one thread after the other on a fiber, until one waits
  void barrier(Where where);
  void meet(unsigned mask, Exchange& exchange, Where where);
  std::string place() const;
  int64_t barriers() const { return static_cast<int64_t>(interval - first_interval_); }
  int64_t warp_operations() const { return warp_operations_; }

  const char* function = "";  // of the launch, with the name of the kernel
  int64_t serial = 0;         // of this block among all that ever ran
  uint64_t interval = 0;      // counts barriers, over all blocks
  int current = -1;           // the thread that runs, or -1
  std::vector<Thread> threads;
  std::vector<uint64_t> dynamic_shared;  // in words, for the alignment
  std::vector<Mark> dynamic_marks;
  int64_t dynamic_bytes = 0;

 private:
  Fiber* take_idle();
  void enter(int thread);
  void stop();  // until the scheduler takes the thread from ready_
  void wait(State state, Where where);
  void wake(int thread) {
    threads[thread].state = State::running;
    ready_.push_back(thread);
  }
  void complete_meeting(int first, unsigned mask);
  [[noreturn]] void fail_stuck() const;

  const std::function<void()>* kernel_ = nullptr;
  int next_ = 0;      // the next thread to begin
  int finished_ = 0;  // threads that have returned
  int arrived_ = 0;   // threads at the barrier
  int64_t warp_operations_ = 0;
  uint64_t first_interval_ = 0;
  std::deque<int> ready_;
  std::exception_ptr error_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  Fiber* fiber_ = nullptr;  // that runs now
};

Block block;
std::mutex one_at_a_time;

void run_threads() {
  block.begin_threads();
}

std::string str(dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}
std::string str(const Where& where) {
  std::string_view file(where.file_name());
  while (file.starts_with("../")) file.remove_prefix(3);  // from the folder of the build
  return std::string(file) + ":" + std::to_string(where.line());
}
bool same(const Where& a, const Where& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         std::strcmp(a.file_name(), b.file_name()) == 0;
}
// The i-th of this many, x first.
dim3 index_in(dim3 all, unsigned i) {
  return {i % all.x, i / all.x % all.y, i / (all.x * all.y)};
}
dim3 thread_index(int i) {
  return index_in(blockDim, static_cast<unsigned>(i));
}

void Block::enter(int thread) {
  current = thread;
  threadIdx = thread_index(thread);
}

// Runs the threads that can run, first come, first served; begins new ones if none can.
void Block::run(const std::function<void()>& kernel) {
  kernel_ = &kernel;
  ++serial;
  first_interval_ = ++interval;
  next_ = finished_ = arrived_ = 0;
  warp_operations_ = 0;
  error_ = nullptr;
  ready_.clear();
  const int count = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
  threads.assign(count, Thread{});
  idle_.clear();
  for (const auto& fiber : fibers_) idle_.push_back(fiber.get());
  while (!error_) {
    if (!ready_.empty()) {
      fiber_ = threads[ready_.front()].fiber;
      ready_.pop_front();
    } else if (next_ < count) {
      fiber_ = take_idle();
    } else {
      break;
    }
    fiber_->resume();
  }
  current = -1;
  if (finished_ == count && !error_) return;
  for (const auto& fiber : fibers_) fiber->forget();
  if (error_) std::rethrow_exception(error_);
  fail_stuck();
}

Fiber* Block::take_idle() {
  if (idle_.empty()) return fibers_.emplace_back(std::make_unique<Fiber>(run_threads)).get();
  Fiber* const fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

void Block::begin_threads() {
  Fiber* const fiber = fiber_;
  while (next_ < static_cast<int>(threads.size()) && !error_) {
    enter(next_++);
    threads[current].fiber = fiber;
    try {
      (*kernel_)();
    } catch (...) {
      error_ = std::current_exception();
    }
    threads[current].state = State::done;
    ++finished_;
  }
  idle_.push_back(fiber);
}

void Block::wait(State state, Where where) {
  threads[current].state = state;
  threads[current].where = where;
  stop();
}

void Block::stop() {
  const int self = current;
  fiber_->suspend();
  enter(self);
}

void Block::barrier(Where where) {
  if (++arrived_ < static_cast<int>(threads.size())) return wait(State::at_barrier, where);
  arrived_ = 0;
  ++interval;
  threads[current].where = where;
  for (int i = 0; i < static_cast<int>(threads.size()); ++i) {
    if (!same(threads[i].where, where)) {
      fail("waits at " + str(where) + " while thread " + str(thread_index(i)) +
           " waits at another barrier, " + str(threads[i].where));
    }
    wake(i);
  }
  stop();  // so that the threads continue in order
}

void Block::meet(unsigned mask, Exchange& exchange, Where where) {
  const int self = current, first = self / kWarp * kWarp;
  if (!(mask >> (self - first) & 1)) {
    fail("the mask of the warp operation at " + str(where) + " leaves out its own lane");
  }
  Thread& thread = threads[self];
  thread.mask = mask;
  thread.exchange = exchange;
  thread.where = where;
  thread.state = State::at_warp;
  bool all_here = true;
  for (int i = kWarp - 1; i >= 0 && all_here; --i) {  // the last one to come is mostly lane 31
    if (!(mask >> i & 1)) continue;
    const int other = first + i;
    all_here = other < static_cast<int>(threads.size()) && threads[other].state == State::at_warp &&
               threads[other].mask == mask && same(threads[other].where, where);
  }
  if (all_here) {
    complete_meeting(first, mask);
  } else {
    wait(State::at_warp, where);
  }
  exchange = threads[self].exchange;
}

void Block::complete_meeting(int first, unsigned mask) {
  ++warp_operations_;
  uint64_t given[kWarp];
  unsigned votes = 0;
  for (int i = 0; i < kWarp; ++i) {
    if (!(mask >> i & 1)) continue;
    given[i] = threads[first + i].exchange.value;
    if (threads[first + i].exchange.vote) votes |= 1u << i;
  }
  for (int i = 0; i < kWarp; ++i) {
    if (!(mask >> i & 1)) continue;
    Thread& thread = threads[first + i];
    if (!(mask >> thread.exchange.from & 1)) {
      fail("lane " + std::to_string(i) + " reads from lane " +
           std::to_string(thread.exchange.from) + ", which is not in the mask of the shuffle at " +
           str(thread.where));
    }
    thread.exchange.value = given[thread.exchange.from];
    thread.exchange.votes = votes;
    ++thread.warp_interval;
    if (first + i == current) {
      thread.state = State::running;
    } else {
      wake(first + i);
    }
  }
}

std::string Block::place() const {
  std::string text = "kernel " + std::string(kernel_name(function)) + ", block ";
  text += gridDim.y * gridDim.z == 1
              ? std::to_string(blockIdx.x) + " of " + std::to_string(gridDim.x)
              : str(blockIdx) + " of " + str(gridDim);
  return current < 0 ? text : text + ", thread " + str(thread_index(current));
}

// No thread can run any more: reports which thread waits for which.
void Block::fail_stuck() const {
  int waiting = 0;
  const Thread* first = nullptr;
  for (const Thread& t : threads) {
    if (t.state == State::done) continue;
    if (!first) first = &t;
    waiting += t.state == first->state && same(t.where, first->where);
  }
  const int returned = static_cast<int>(std::count_if(
      threads.begin(), threads.end(), [](const Thread& t) { return t.state == State::done; }));
  const int elsewhere = static_cast<int>(threads.size()) - waiting - returned;
  const char* what = first->state == State::at_barrier ? "the barrier" : "the warp operation";
  throw Fault(place() + ": " + what + " at " + str(first->where) + " is reached by " +
              std::to_string(waiting) + " of " + std::to_string(threads.size()) + " threads; " +
              std::to_string(returned) + " have returned, " + std::to_string(elsewhere) +
              " wait elsewhere");
}

}  // namespace

Moment now() {
  const int i = block.current;
  return {i, static_cast<uint64_t>(block.serial), block.interval,
          i < 0 ? 0 : block.threads[i].warp_interval};
}

std::string thread_text(int thread) {
  return str(thread_index(thread));
}

DynamicElement dynamic_element(const char* name, int64_t i, int64_t size) {
  check_bounds(name, i, block.dynamic_bytes / size);
  return {reinterpret_cast<std::byte*>(block.dynamic_shared.data()) + i * size,
          &block.dynamic_marks[i * size]};
}

// ---- functions for threads

void barrier(Where where) {
  block.barrier(where);
}
void meet(unsigned mask, Exchange& exchange, Where where) {
  block.meet(mask, exchange, where);
}
int lane() {
  return block.current % kWarp;
}
void fail(const std::string& message) {
  throw Fault(block.place() + ": " + message);
}

void run_grid(const char* function, const Grid& grid, const std::function<void()>& kernel) {
  const std::lock_guard lock(one_at_a_time);
  const MemoryAccess access;
  const int64_t blocks = int64_t{1} * grid.blocks.x * grid.blocks.y * grid.blocks.z;
  const int64_t threads = int64_t{1} * grid.threads.x * grid.threads.y * grid.threads.z;
  block.function = function;
  block.current = -1;
  gridDim = grid.blocks;
  blockDim = grid.threads;
  blockIdx = dim3(0, 0, 0);
  if (threads == 0 || grid.threads.z > 64 || std::max(grid.blocks.y, grid.blocks.z) > 65535) {
    fail(
        "launched with blocks " + str(grid.blocks) + " of threads " + str(grid.threads) +
        "; a GPU takes 1 thread or more in a block, at most 64 in z, and at most 65535 blocks in y "
        "and in z");
  }
  if (threads > 1024 || grid.shared_bytes > kMostShared) {
    fail("launched with " + std::to_string(threads) + " threads a block and " +
         std::to_string(grid.shared_bytes) + " bytes of dynamic shared memory; at most 1024 and " +
         std::to_string(kMostShared));
  }
  block.dynamic_bytes = grid.shared_bytes;
  block.dynamic_shared.assign((grid.shared_bytes + 7) / 8, 0);
  block.dynamic_marks.assign(grid.shared_bytes, Mark{});
  watch_launch();
  const char* const backwards = std::getenv("EMULATOR_BACKWARDS");
  const bool last_first = backwards && std::strcmp(backwards, "0") != 0;
  for (int64_t i = 0; i < blocks; ++i) {
    blockIdx = index_in(gridDim, static_cast<unsigned>(last_first ? blocks - 1 - i : i));
    block.run(kernel);
    watch_block(block.barriers(), block.warp_operations());
  }
}

}  // namespace emulator
