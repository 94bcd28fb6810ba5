// CUDA kernels on the CPU, for machines without a GPU and for people who want to watch one.
//
// The grid runs block by block. The threads of a block are fibers on one thread of the CPU:
// functions with a stack of their own that can stop in the middle. A fiber stops where a CUDA
// thread would wait for others (__syncthreads, and the warp operations: shuffles, votes), and the
// scheduler in grid.cc continues with another. Threads that never wait share one stack, one after
// the other, so a plain elementwise kernel is little more than a loop.
//
// Errors that a GPU does not report are thrown as a Fault that names kernel, block and thread:
//   - a barrier that some threads of the block do not reach, or different barriers at one time;
//   - a warp operation that a lane named in its mask does not reach, or that reads from a lane
//     outside of the mask;
//   - elements of shared memory that are out of bounds, that nothing has written yet, or that two
//     threads use at one time, one of them writing, with nothing to order them (a race).
// Out-of-bounds accesses to global memory are for the address sanitizer: device memory is a block
// of the heap, and poisoned whenever no kernel runs (memory.h). Races in global memory,
// and how it is used, are for a Watch (watch.h), which sees kernels of Watched<float>.
//
// In gdb: `break softmax_kernel`, then `print threadIdx` and `print blockIdx` as in cuda-gdb.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "emulator/fault.h"
#include "emulator/watched.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

#define EMULATOR_SHARED(T, name, n) static ::emulator::Shared<T, n> name(#name)
#define EMULATOR_SHARED_DYNAMIC(T, name) const ::emulator::SharedDynamic<T> name(#name)

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
// For the running thread, set by the scheduler.
inline dim3 gridDim, blockDim, blockIdx(0, 0, 0), threadIdx(0, 0, 0);
constexpr int warpSize = 32;

namespace emulator {

using Where = std::source_location;

// How a kernel is launched: the blocks of the grid, the threads of each block, and the bytes of
// dynamic shared memory.
struct Grid {
  dim3 blocks, threads;
  int64_t shared_bytes = 0;
};
constexpr int64_t kMostShared = 48 << 10;  // bytes of a block

// Runs kernel() as every thread of every block. Throws Fault for what is listed above. `function`
// is a text in which kernel_name() finds the name. With EMULATOR_BACKWARDS=1 in the environment the
// blocks run from the last to the first: a kernel whose blocks need something of each other gives
// other results then.
void run_grid(const char* function, const Grid& grid, const std::function<void()>& kernel);

// kernel<<<grid>>>(args...); the kernel has ended when this returns.
template <auto kernel, class... Args> void launch(const Grid& grid, Args... args) {
  run_grid(__PRETTY_FUNCTION__, grid, [&] { kernel(args...); });
}

// ---- functions for threads

void barrier(Where where);

// The input and output of a lane in a warp operation. When all lanes in the mask have arrived, each
// gets the value of the lane that it asked for, and the votes of all.
struct Exchange {
  uint64_t value = 0;  // in: the value of this lane; out: the value of lane `from`
  int from = 0;
  bool vote = false;
  unsigned votes = 0;  // out: bit i is the vote of lane i
};
void meet(unsigned mask, Exchange& exchange, Where where);
int lane();

// Throws Fault "kernel NAME, block I, thread (X, Y, Z): message".
[[noreturn]] void fail(const std::string& message);

template <class T> T shuffle(unsigned mask, T value, int from, Where where) {
  static_assert(sizeof(T) <= 8);
  Exchange exchange{.from = from};
  std::memcpy(&exchange.value, &value, sizeof(T));
  meet(mask, exchange, where);
  std::memcpy(static_cast<void*>(&value), &exchange.value, sizeof(T));
  return value;
}

inline unsigned ballot(unsigned mask, bool vote, Where where) {
  Exchange exchange{.from = lane(), .vote = vote};
  meet(mask, exchange, where);
  return exchange.votes;
}

// ---- shared memory

// Who used an element of shared memory, and when.
struct Mark {
  enum class By : uint8_t { nobody, thread, warp, block, grid };
  struct Use {
    uint64_t interval = 0;       // between two barriers of a block
    uint32_t warp_interval = 0;  // between two warp operations of the thread
    int thread = 0;
    uint32_t block = 0;  // its place in the grid: place_of_block()
    By by = By::nobody;  // this thread alone, several of its warp, of several warps, or blocks
  };
  uint64_t block = 0;   // the block that wrote it last
  bool atomic = false;  // the last use was one
  Use write, read;
};
void check_read(Mark& mark, const char* name, int64_t i);
void check_write(Mark& mark, const char* name, int64_t i);
void check_atomic(Mark& mark, const char* name, int64_t i);
void check_bounds(const char* name, int64_t i, int64_t n);

// For a Watch (watch.h): an access to the bytes of shared memory from `at` on.
inline void (*saw_shared)(const char* name, int64_t at, int64_t bytes, Does does) = nullptr;

// A proxy for an element in an expression: reading and writing it are checked.
template <class T> class Element {
 public:
  Element(T* value, Mark* mark, const char* name, int64_t i)
      : value_(value), mark_(mark), name_(name), i_(i) {}
  Element(const Element&) = default;
  EMULATOR_SEEN operator T() const {
    report(Does::read);
    check_read(*mark_, name_, i_);
    return *value_;
  }
  EMULATOR_SEEN const Element& operator=(T value) const {
    report(Does::write);
    check_write(*mark_, name_, i_);
    *value_ = value;
    return *this;
  }
  EMULATOR_SEEN const Element& operator=(const Element& other) const { return *this = T(other); }
  EMULATOR_SEEN const Element& operator+=(T value) const { return *this = T(*this) + value; }
  EMULATOR_SEEN const Element& operator-=(T value) const { return *this = T(*this) - value; }
  EMULATOR_SEEN const Element& operator*=(T value) const { return *this = T(*this) * value; }
  Element operator&() const { return *this; }  // &tile[i], for atomics
  // *this = f(*this), returning the value before; not a race with other atomics.
  template <class F> EMULATOR_SEEN T update(F f) const {
    report(Does::update);
    check_atomic(*mark_, name_, i_);
    const T old = *value_;
    *value_ = f(old);
    return old;
  }

 private:
  EMULATOR_SEEN void report(Does does) const {
    if (saw_shared) saw_shared(name_, i_ * int64_t{sizeof(T)}, sizeof(T), does);
  }

  T* value_;
  Mark* mark_;
  const char* name_;
  int64_t i_;
};

// __shared__ T name[n]. One object serves all blocks, as they run one after the other.
template <class T, int64_t n> class Shared {
  static_assert(n * int64_t{sizeof(T)} <= kMostShared, "more than a block has of shared memory");

 public:
  constexpr explicit Shared(const char* name) : name_(name) {}
  EMULATOR_SEEN Element<T> operator[](int64_t i) {
    check_bounds(name_, i, n);
    return {&values_[i], &marks_[i], name_, i};
  }

 private:
  const char* name_;
  T values_[n] = {};
  Mark marks_[n] = {};
};

// Element i of the block's dynamic shared memory, seen as elements of `size` bytes.
struct DynamicElement {
  void* value;
  Mark* mark;
};
DynamicElement dynamic_element(const char* name, int64_t i, int64_t size);

template <class T> class SharedDynamic {
 public:
  explicit SharedDynamic(const char* name) : name_(name) {}
  Element<T> operator[](int64_t i) const {
    const DynamicElement e = dynamic_element(name_, i, sizeof(T));
    return {static_cast<T*>(e.value), e.mark, name_, i};
  }

 private:
  const char* name_;
};

// Only one thread runs at a time, so atomics are plain updates: of memory (T*) or of shared memory
// (&tile[i]). They return the value before.
template <class T, class F> T update(T* at, F f) {
  return std::exchange(*at, f(*at));
}
template <class T, class F> T update(Watched<T>* at, F f) {
  return at->update(f);
}
template <class T, class F> T update(const Element<T>& at, F f) {
  return at.update(f);
}

}  // namespace emulator

// The common type of two elements of shared memory is their value type.
template <class T> struct std::common_type<emulator::Element<T>, emulator::Element<T>> {
  using type = T;
};

// ---- CUDA's functions

inline void __syncthreads(std::source_location where = std::source_location::current()) {
  emulator::barrier(where);
}
inline void __syncwarp(unsigned mask = ~0u,
                       std::source_location where = std::source_location::current()) {
  emulator::ballot(mask, false, where);
}
inline unsigned __ballot_sync(unsigned mask, int vote,
                              std::source_location where = std::source_location::current()) {
  return emulator::ballot(mask, vote != 0, where);
}
inline int __any_sync(unsigned mask, int vote,
                      std::source_location where = std::source_location::current()) {
  return emulator::ballot(mask, vote != 0, where) != 0;
}
inline int __all_sync(unsigned mask, int vote,
                      std::source_location where = std::source_location::current()) {
  return emulator::ballot(mask, vote != 0, where) == mask;
}

// A shuffle stays within groups of `width` lanes; past the end of one a lane gets its own value.
template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = 32,
              std::source_location where = std::source_location::current()) {
  const int first = emulator::lane() / width * width;
  return emulator::shuffle(mask, value, first + (from & (width - 1)), where);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32,
                  std::source_location where = std::source_location::current()) {
  const int lane = emulator::lane(), from = lane ^ bits;
  return emulator::shuffle(mask, value, from / width > lane / width ? lane : from, where);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32,
                   std::source_location where = std::source_location::current()) {
  const int lane = emulator::lane(), from = lane + static_cast<int>(distance);
  return emulator::shuffle(mask, value, from / width != lane / width ? lane : from, where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32,
                 std::source_location where = std::source_location::current()) {
  const int lane = emulator::lane(), from = lane - static_cast<int>(distance);
  return emulator::shuffle(mask, value, from < lane / width * width ? lane : from, where);
}

// As in CUDA, the type is that of the memory: atomicAdd(x, 1) adds 1.0f to a float.
template <class P, class T> auto atomicExch(P at, T value) {
  return emulator::update(at, [=](auto old) { return static_cast<decltype(old)>(value); });
}
template <class P, class T> auto atomicAdd(P at, T value) {
  return emulator::update(at, [=](auto old) { return old + static_cast<decltype(old)>(value); });
}
template <class P, class T> auto atomicMax(P at, T value) {
  return emulator::update(
      at, [=](auto old) { return std::max(old, static_cast<decltype(old)>(value)); });
}
template <class P, class T> auto atomicMin(P at, T value) {
  return emulator::update(
      at, [=](auto old) { return std::min(old, static_cast<decltype(old)>(value)); });
}
template <class P, class T> auto atomicCAS(P at, T compare, T value) {
  return emulator::update(at, [=](auto old) {
    using Old = decltype(old);
    return old == static_cast<Old>(compare) ? static_cast<Old>(value) : old;
  });
}

inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __ffs(int x) {
  return x ? std::countr_zero(static_cast<unsigned>(x)) + 1 : 0;
}
