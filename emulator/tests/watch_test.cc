// That a Watch finds what kernels do wrong with device memory, and counts right.
#include "emulator/watch.h"

#include <gtest/gtest.h>

#include <numeric>
#include <regex>

#include "emulator/launch.h"
#include "emulator/tests/fault_of.h"
#include "emulator/watched_memory.h"

namespace emulator {
namespace {

using Float = Watched<float>;

struct Memory : WatchedMemory {
  using WatchedMemory::WatchedMemory;
  Float* in(const std::string& name, int64_t n) {
    std::vector<float> values(n);
    std::iota(values.begin(), values.end(), 0.0f);
    return put(name, values);
  }
  Float* out(const std::string& name, int64_t n) { return unwritten(name, n); }
};

// What launching the kernel throws, without its beginning.
template <auto kernel, class... Args> std::string fault(const Grid& grid, Args... args) {
  const std::string text = fault_of([&] { launch<kernel>(grid, args...); });
  return std::regex_replace(text, std::regex("^kernel [^,]*, block "), "block ");
}

// ---- the type

TEST(Watched, CountsAsTheTypeThatItStandsFor) {
  static_assert(sizeof(Watched<float>) == 4 && sizeof(Watched<double>) == 8);
  static_assert(std::numeric_limits<Float>::infinity() > 1e38f);
  Float a = 3, b(0.5f);
  EXPECT_EQ(a * b + 1, 2.5f);
  EXPECT_EQ(2 - a / b, -4.0f);
  EXPECT_EQ(-a, -3.0f);
  a += b;
  a *= 2;
  EXPECT_EQ(a, 7.0f);
  EXPECT_TRUE(a > b && b < 1 && a != b);
  static_assert(std::is_same_v<decltype(a * b), Float> && std::is_same_v<decltype(a * 2), Float>);
  static_assert(std::is_same_v<decltype(1.0 + a), double>);
}

// ---- what is found

__global__ void all_write_kernel(Float* x) {
  x[0] = static_cast<float>(threadIdx.x);
}

__global__ void shift_kernel(Float* x, bool ordered) {
  const float next = x[threadIdx.x + 1];
  if (ordered) __syncthreads();
  x[threadIdx.x] = next;
}

__global__ void shift_warp_kernel(Float* x) {
  const float next = x[threadIdx.x + 1];
  __syncwarp();
  x[threadIdx.x] = next;
}

TEST(WatchFinds, RacesWithinABlock) {
  Watch watch;
  Memory memory(watch);
  Float* const x = memory.in("x", 65);
  EXPECT_EQ(fault<all_write_kernel>({1, 32}, x),
            "block 0 of 1, thread (1, 0, 0): writes x[0], which thread (0, 0, 0) wrote between "
            "the same two barriers (a race)");
  EXPECT_EQ(fault<shift_kernel>({1, 64}, x, false),
            "block 0 of 1, thread (1, 0, 0): writes x[1], which thread (0, 0, 0) read between "
            "the same two barriers (a race)");
  launch<shift_kernel>({1, 64}, x, true);
  launch<shift_warp_kernel>({1, 32}, x);
  EXPECT_EQ(fault<shift_warp_kernel>({1, 64}, x),
            "block 0 of 1, thread (32, 0, 0): writes x[32], which thread (31, 0, 0) read between "
            "the same two barriers (a race)");
}

// Block b has x[2 b] and x[2 b + 1]; with `more` it reads one of the next block.
__global__ void own_pair_kernel(Float* x, int more) {
  const int at = 2 * static_cast<int>(blockIdx.x);
  const float sum = x[at] + x[at + 1] + (more ? float(x[at + 2]) : 0);
  x[at] = sum;
}

__global__ void last_writes_kernel(Float* x, unsigned readers) {
  const float first = blockIdx.x < readers ? float(x[0]) : 0;
  if (blockIdx.x == 2) x[0] = first + 1;
}

TEST(WatchFinds, RacesBetweenBlocks) {
  Watch watch;
  Memory memory(watch);
  Float* const x = memory.in("x", 8);
  launch<own_pair_kernel>({3, 1}, x, 0);
  launch<own_pair_kernel>({3, 1}, x, 0);  // of another launch, which is over
  EXPECT_EQ(fault<own_pair_kernel>({3, 1}, x, 1),
            "block 1 of 3, thread (0, 0, 0): writes x[2], which several blocks read in the same "
            "launch: nothing orders blocks (a race)");
  EXPECT_EQ(fault<last_writes_kernel>({3, 1}, x, 1u),
            "block 2 of 3, thread (0, 0, 0): writes x[0], which thread (0, 0, 0) of block 0 read "
            "in the same launch: nothing orders blocks (a race)");
  launch<last_writes_kernel>({3, 1}, x, 0u);
}

__global__ void atomic_kernel(Float* sum, Float* other, bool reads) {
  atomicAdd(sum, 1.0f);
  if (reads) other[blockIdx.x * blockDim.x + threadIdx.x] = *sum;
}

TEST(WatchFinds, NoRaceBetweenAtomics) {
  Watch watch;
  Memory memory(watch);
  Float *const sum = memory.in("sum", 1), *const other = memory.in("other", 64);
  launch<atomic_kernel>({2, 32}, sum, other, false);
  EXPECT_EQ(fault<atomic_kernel>({1, 32}, sum, other, true),
            "block 0 of 1, thread (1, 0, 0): updates sum[0], which thread (0, 0, 0) read between "
            "the same two barriers (a race)");
}

__global__ void copy_kernel(Float* y, const Float* x, int n, int stride) {
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
    y[i] = x[i * stride];
  }
}

TEST(WatchFinds, WhatNothingWrote) {
  Watch watch;
  Memory memory(watch);
  Float *const x = memory.out("x", 32), *const y = memory.out("y", 32), *in = memory.in("in", 31);
  EXPECT_EQ(fault<copy_kernel>({1, 32}, y, x, 32, 1),
            "block 0 of 1, thread (0, 0, 0): reads device memory that nothing has written: x[0]");
  launch<copy_kernel>({1, 32}, x, in, 31, 1);
  EXPECT_EQ(fault<copy_kernel>({1, 32}, y, x, 32, 1),
            "block 0 of 1, thread (31, 0, 0): reads device memory that nothing has written: x[31]");
}

TEST(WatchFinds, WhatLiesOutsideOfAnArray) {
  Watch watch;
  Memory memory(watch);
  Float *const x = memory.in("x", 40), *const y = memory.out("y", 30);
  EXPECT_EQ(fault<copy_kernel>({1, 32}, y, x, 31, 1),
            "block 0 of 1, thread (30, 0, 0): uses y[30], which has 30 elements");
  EXPECT_EQ(fault<copy_kernel>({1, 32}, y, x - 1, 20, 1),
            "block 0 of 1, thread (0, 0, 0): uses x[-1], which has 40 elements");
}

TEST(WatchFinds, NothingInLocalVariables) {
  Watch watch;
  Memory memory(watch);
  Float* const x = memory.in("x", 32);
  launch<copy_kernel>({1, 32}, x, x, 32, 1);
  EXPECT_EQ(watch.total.accesses, 2);
}

TEST(Watch, CanLiveOnceAtATime) {
  { Watch first; }
  Watch second;
  EXPECT_EQ(fault_of([] { Watch third; }), "a Watch lives already, and there can be one only");
}

// ---- what is counted

TEST(WatchCounts, SectorsOfEachAccess) {
  struct {
    int n, stride;
    int64_t accesses, sectors, coalesced, scattered;
  } const cases[] = {{32, 1, 1, 4, 4, 0},    {64, 1, 2, 8, 8, 0},  {40, 1, 2, 5, 5, 0},
                     {32, 2, 1, 8, 4, 1},    {32, 8, 1, 32, 4, 1}, {32, 0, 1, 1, 4, 0},
                     {100, 8, 4, 100, 13, 4}};
  for (const auto& c : cases) {
    Watch watch;
    Memory memory(watch);
    Float *const x = memory.in("x", 800), *const y = memory.out("y", c.n);
    launch<copy_kernel>({1, 32}, y, x, c.n, c.stride);
    const Traffic read = watch.of("x"), written = watch.of("y");
    EXPECT_EQ(read.accesses, c.accesses) << c.n << " by " << c.stride;
    EXPECT_EQ(read.sectors, c.sectors) << c.n << " by " << c.stride;
    EXPECT_EQ(read.coalesced, c.coalesced) << c.n << " by " << c.stride;
    EXPECT_EQ(read.scattered, c.scattered) << c.n << " by " << c.stride;
    EXPECT_EQ(read.lanes, c.n) << c.n << " by " << c.stride;
    EXPECT_EQ(written.scattered, 0);
    EXPECT_EQ(watch.total.sectors, read.sectors + written.sectors);
  }
}

TEST(WatchCounts, ARowThatBeginsAnywhereIsNotScattered) {
  Watch watch;
  Memory memory(watch);
  Float *const x = memory.in("x", 40), *const y = memory.out("y", 32);
  launch<copy_kernel>({1, 32}, y, x + 3, 32, 1);
  EXPECT_EQ(watch.of("x").sectors, 5);
  EXPECT_EQ(watch.of("x").scattered, 0);
}

__global__ void every_third_kernel(Float* y, const Float* x) {
  for (int round = 0; round < 3; ++round) {
    const int at = 32 * round + static_cast<int>(threadIdx.x);
    if (at % 3 == round) y[at] = x[at] > 0.5f ? x[at] : Float(0);
    __syncwarp();
  }
}

TEST(WatchCounts, LanesThatAreElsewhereAndWhatIsInARegister) {
  Watch watch;
  Memory memory(watch);
  Float *const x = memory.in("x", 96), *const y = memory.out("y", 96);
  launch<every_third_kernel>({1, 32}, y, x);
  for (const char* name : {"x", "y"}) {
    EXPECT_EQ(watch.of(name).accesses, 3);
    EXPECT_EQ(watch.of(name).sectors, 12);
    EXPECT_EQ(watch.of(name).lanes, 32);
    EXPECT_EQ(watch.of(name).scattered, 0);
  }
}

__global__ void exchanges_kernel() {
  __syncwarp();
  if (threadIdx.x < 8) __shfl_sync(0xffu, 1, 0);
  __syncthreads();
  __any_sync(~0u, 1);
}

TEST(WatchCounts, WarpOperations) {
  Watch watch;
  launch<exchanges_kernel>({3, 64});
  EXPECT_EQ(watch.warp_operations, 3 * (2 + 1 + 2));
}

template <class T> __global__ void tile_kernel(int stride) {
  EMULATOR_SHARED(T, tile, 33 * 32);
  tile[static_cast<int>(threadIdx.x) * stride] = T(1);
  __syncthreads();
}

__global__ void same_word_kernel() {
  EMULATOR_SHARED(float, word, 1);
  if (threadIdx.x == 0) word[0] = 1;
  __syncthreads();
  static_cast<void>(float(word[0]));
}

__global__ void shared_sum_kernel() {
  EMULATOR_SHARED(int, sum, 1);
  if (threadIdx.x == 0) sum[0] = 0;
  __syncthreads();
  atomicAdd(&sum[0], 1);
}

TEST(WatchCounts, BankConflictsAndBarriers) {
  const auto conflicts = [](auto run) {
    Watch watch;
    run();
    return watch.bank_conflicts;
  };
  EXPECT_EQ(conflicts([] { launch<tile_kernel<float>>({1, 32}, 1); }), 0);
  EXPECT_EQ(conflicts([] { launch<tile_kernel<float>>({1, 32}, 2); }), 1);
  EXPECT_EQ(conflicts([] { launch<tile_kernel<float>>({1, 32}, 32); }), 31);
  EXPECT_EQ(conflicts([] { launch<tile_kernel<float>>({1, 32}, 33); }), 0);
  EXPECT_EQ(conflicts([] { launch<tile_kernel<double>>({1, 32}, 1); }), 0);
  EXPECT_EQ(conflicts([] { launch<tile_kernel<double>>({1, 32}, 16); }), 2 * 15);
  EXPECT_EQ(conflicts([] { launch<tile_kernel<bool>>({1, 32}, 1); }), 0);  // four lanes in a word
  EXPECT_EQ(conflicts([] { launch<tile_kernel<int16_t>>({1, 32}, 2); }), 0);
  EXPECT_EQ(conflicts([] { launch<tile_kernel<int16_t>>({1, 32}, 32); }), 15);
  EXPECT_EQ(conflicts([] { launch<same_word_kernel>({1, 64}); }), 0);

  Watch watch;
  launch<tile_kernel<float>>({3, 32}, 1);
  EXPECT_EQ(watch.shared_accesses, 3);
  EXPECT_EQ(watch.blocks, 3);
  EXPECT_EQ(watch.barriers, 3);
  launch<shared_sum_kernel>({1, 32});
  EXPECT_EQ(watch.shared_accesses, 3 + 2);
}

__global__ void through_a_tile_kernel(Float* y, const Float* x, int stride) {
  EMULATOR_SHARED(float, tile, 64 * 8);
  const int t = static_cast<int>(threadIdx.x);
  if (t < 20) tile[t * 8] = x[t * stride];
  __syncthreads();
  if (t < 20) y[t] = tile[t * 8];
}

// In the order in which they began, whatever memory they are of; other warps and blocks are left
// out, and so are lanes that ask for nothing.
TEST(WatchCounts, WhatTheFirstWarpAsksFor) {
  Watch watch;
  Memory memory(watch);
  Float *const x = memory.in("x", 64), *const y = memory.out("y", 64);
  launch<through_a_tile_kernel>({1, 64}, y, x, 2);
  launch<through_a_tile_kernel>({1, 64}, y, x, 1);
  const struct {
    const char* array;
    bool shared;
    Does does;
    int64_t stride, cost, least;
  } want[] = {{"x", false, Does::read, 8, 5, 3},
              {"tile", true, Does::write, 32, 4, 0},
              {"tile", true, Does::read, 32, 4, 0},
              {"y", false, Does::write, 4, 3, 3}};
  ASSERT_EQ(watch.first_warp.size(), std::size(want));
  for (size_t i = 0; i < std::size(want); ++i) {
    const Seen& seen = watch.first_warp[i];
    EXPECT_EQ(seen.array, want[i].array) << i;
    EXPECT_EQ(seen.shared, want[i].shared) << i;
    EXPECT_EQ(seen.does, want[i].does) << i;
    EXPECT_EQ(seen.cost, want[i].cost) << i;
    EXPECT_EQ(seen.least, want[i].least) << i;
    for (int64_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(seen.bytes[lane], lane < 20 ? lane * want[i].stride : -1) << i << ", " << lane;
    }
  }
}

}  // namespace
}  // namespace emulator
