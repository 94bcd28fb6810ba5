// That kernels run as on a GPU, and that faults planted in them are found.
#include <gtest/gtest.h>

#include <numeric>
#include <regex>
#include <vector>

#include "emulator/launch.h"
#include "emulator/tests/fault_of.h"
#include "emulator/watched_memory.h"

namespace emulator {
namespace {

// Device memory with values from the host.
template <class T> class OnDevice {
 public:
  explicit OnDevice(std::vector<T> values)
      : values_(std::move(values)), memory_(allocate(bytes())) {
    copy(memory_, values_.data(), bytes());
  }
  ~OnDevice() { emulator::free(memory_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return reinterpret_cast<T*>(memory_); }
  std::vector<T> get() {
    copy(values_.data(), memory_, bytes());
    return values_;
  }

 private:
  int64_t bytes() const { return static_cast<int64_t>(values_.size() * sizeof(T)); }
  std::vector<T> values_;
  std::byte* memory_;
};

// ---- what works on a GPU works here

__global__ void indices_kernel(int* out) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[blockIdx.x * threads + thread] += static_cast<int>(thread + 100 * blockIdx.x * gridDim.x);
}

TEST(Emulation, RunsEveryThreadOfEveryBlockOnce) {
  OnDevice<int> out(std::vector<int>(3 * 24));
  launch<indices_kernel>({3, dim3(2, 3, 4)}, out.data());
  const std::vector<int> got = out.get();
  for (int i = 0; i < 72; ++i) EXPECT_EQ(got[i], i % 24 + i / 24 * 300);
}

TEST(Emulation, NoBlocksIsNothingToDo) {
  launch<indices_kernel>({0, 32}, nullptr);
}

__global__ void reverse_kernel(int* x) {
  EMULATOR_SHARED(int, tile, 64);
  tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * 64 + threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void reverse_dynamic_kernel(double* x) {
  EMULATOR_SHARED_DYNAMIC(double, tile);
  for (int round = 0; round < 3; ++round) {
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
  }
}

TEST(Emulation, SharedMemoryAndBarriers) {
  std::vector<int> values(128);
  std::iota(values.begin(), values.end(), 0);
  OnDevice<int> x(values);
  launch<reverse_kernel>({2, 64}, x.data());
  const std::vector<int> got = x.get();
  for (int i = 0; i < 128; ++i) EXPECT_EQ(got[i], i / 64 * 64 + 63 - i % 64);

  OnDevice<double> y({1, 2, 3});
  launch<reverse_dynamic_kernel>({1, 3, 3 * sizeof(double)}, y.data());
  EXPECT_EQ(y.get(), (std::vector<double>{3, 2, 1}));
}

__global__ void warp_kernel(int* out) {
  const int lane = threadIdx.x % 32;
  int* mine = out + threadIdx.x * 8;
  mine[0] = __shfl_sync(~0u, lane, 5);
  mine[1] = __shfl_xor_sync(~0u, lane, 3);
  mine[2] = __shfl_down_sync(~0u, lane, 4);
  mine[3] = __shfl_up_sync(~0u, lane, 4, 8);
  mine[4] = static_cast<int>(__ballot_sync(~0u, lane % 3 == 0));
  mine[5] = __any_sync(~0u, lane == 7) + 2 * __all_sync(~0u, lane == 7);
  mine[6] = lane < 8 ? __shfl_sync(0xffu, 10 * lane, 7) : -1;  // eight lanes among themselves
  __syncwarp();
  mine[7] = static_cast<int>(__shfl_sync(~0u, 0.5 * lane, 31 - lane) * 2);
}

TEST(Emulation, WarpOperations) {
  OnDevice<int> out(std::vector<int>(64 * 8));
  launch<warp_kernel>({1, 64}, out.data());
  const std::vector<int> got = out.get();
  for (int thread = 0; thread < 64; ++thread) {
    const int lane = thread % 32;
    const std::vector<int> expected{
        5,          lane ^ 3, lane < 28 ? lane + 4 : lane, lane % 8 < 4 ? lane : lane - 4,
        0x49249249, 1,        lane < 8 ? 70 : -1,          31 - lane};
    EXPECT_EQ(std::vector<int>(got.begin() + thread * 8, got.begin() + thread * 8 + 8), expected)
        << thread;
  }
}

// x = the numbers of the blocks in the order in which they run.
__global__ void order_kernel(int* x) {
  *x = *x * 10 + static_cast<int>(blockIdx.x);
}

TEST(Emulation, RunsBlocksBackwardsIfAsked) {
  OnDevice<int> x({0});
  setenv("EMULATOR_BACKWARDS", "1", 1);
  launch<order_kernel>({3, 1}, x.data());
  unsetenv("EMULATOR_BACKWARDS");
  EXPECT_EQ(x.get()[0], 210);
}

__global__ void blocks_kernel(int* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block] = static_cast<int>(100 * blockIdx.z + 10 * blockIdx.y + blockIdx.x);
}

TEST(Emulation, GridsOfThreeDimensions) {
  OnDevice<int> out(std::vector<int>(2 * 3 * 4));
  launch<blocks_kernel>({dim3(2, 3, 4), 1}, out.data());
  const std::vector<int> got = out.get();
  for (int i = 0; i < 24; ++i) EXPECT_EQ(got[i], i / 6 * 100 + i / 2 % 3 * 10 + i % 2) << i;
}

__global__ void atomics_kernel(int* x) {
  EMULATOR_SHARED(int, sum, 1);
  if (threadIdx.x == 0) sum[0] = 0;
  __syncthreads();
  atomicAdd(&sum[0], static_cast<int>(threadIdx.x));
  atomicMax(x + 1, static_cast<int>(threadIdx.x));
  atomicCAS(x + 2, 0, 7);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(x, int(sum[0]));
}

TEST(Emulation, Atomics) {
  OnDevice<int> x({0, 0, 0});
  launch<atomics_kernel>({3, 40}, x.data());
  EXPECT_EQ(x.get(), (std::vector<int>{3 * 780, 39, 7}));
}

__global__ void atomics_of_floats_kernel(float* x) {
  atomicAdd(x, 1);
  atomicExch(x + 1, 3);
  atomicCAS(x + 2, 1, 2);
}

TEST(Emulation, AtomicsHaveTheTypeOfTheMemory) {
  OnDevice<float> x({0.5f, 0.5f, 1.5f});
  launch<atomics_of_floats_kernel>({1, 2}, x.data());
  EXPECT_EQ(x.get(), (std::vector<float>{2.5f, 3, 1.5f}));
}

// 32 floats, and as many doubles behind them.
__global__ void two_parts_kernel(float* y) {
  EMULATOR_SHARED_DYNAMIC(float, floats);
  EMULATOR_SHARED_DYNAMIC(double, doubles);
  const int t = static_cast<int>(threadIdx.x);
  floats[t] = 1;
  doubles[16 + t] = 2;
  __syncthreads();
  y[t] = floats[31 - t] + static_cast<float>(doubles[16 + 31 - t]);
}

TEST(Emulation, DynamicSharedMemoryOfTwoTypes) {
  OnDevice<float> y(std::vector<float>(32));
  launch<two_parts_kernel>({1, 32, 32 * 12}, y.data());
  EXPECT_EQ(y.get(), std::vector<float>(32, 3));
}

// ---- planted faults

// What launching the kernel throws; places in this file are HERE.
template <auto kernel, class... Args> std::string fault(const Grid& grid, Args... args) {
  const std::string text = fault_of([&] { launch<kernel>(grid, args...); });
  const std::string short_name = std::regex_replace(text, std::regex(R"(kernel \S*::)"), "kernel ");
  return std::regex_replace(short_name, std::regex(R"(\S*tests/emulator_test\.cc:\d+)"), "HERE");
}

__global__ void missing_barrier_kernel(int n) {
  if (static_cast<int>(threadIdx.x) >= n) return;
  __syncthreads();
}

TEST(EmulationFinds, ABarrierThatSomeThreadsDoNotReach) {
  EXPECT_EQ(fault<missing_barrier_kernel>({2, 32}, 31),
            "kernel missing_barrier_kernel, block 0 of 2: the barrier at HERE is reached by 31 of "
            "32 threads; 1 have returned, 0 wait elsewhere");
  launch<missing_barrier_kernel>({2, 32}, 32);  // and the emulation goes on
}

__global__ void two_barriers_kernel() {
  if (threadIdx.x < 5) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}

TEST(EmulationFinds, DifferentBarriersAtOneTime) {
  EXPECT_EQ(fault<two_barriers_kernel>({1, 8}),
            "kernel two_barriers_kernel, block 0 of 1, thread (7, 0, 0): "
            "waits at HERE while thread (0, 0, 0) waits at another barrier, HERE");
}

__global__ void missing_lane_kernel() {
  if (threadIdx.x != 3) __shfl_sync(~0u, 1, 0);
}

__global__ void lane_outside_kernel() {
  if (threadIdx.x < 4) __shfl_sync(0xfu, 1, 4);
}

TEST(EmulationFinds, LanesThatMissAWarpOperation) {
  EXPECT_EQ(fault<missing_lane_kernel>({1, 64}),
            "kernel missing_lane_kernel, block 0 of 1: "
            "the warp operation at HERE is reached by 31 of 64 threads; 33 have returned, 0 "
            "wait elsewhere");
  EXPECT_EQ(fault<lane_outside_kernel>({1, 32}),
            "kernel lane_outside_kernel, block 0 of 1, thread (3, 0, 0): lane 0 "
            "reads from lane 4, which is not in the mask of the shuffle at HERE");
}

__global__ void unwritten_kernel(int* out) {
  EMULATOR_SHARED(int, tile, 32);
  if (blockIdx.x == 0) tile[threadIdx.x] = 1;  // another block's are not ours
  __syncthreads();
  out[0] = tile[31 - threadIdx.x];
}

TEST(EmulationFinds, SharedMemoryThatNothingWrote) {
  OnDevice<int> out({0});
  EXPECT_EQ(fault<unwritten_kernel>({2, 32}, out.data()),
            "kernel unwritten_kernel, block 1 of 2, thread (0, 0, 0): reads shared "
            "memory that nothing has written: tile[31]");
}

__global__ void shared_bounds_kernel(int i) {
  EMULATOR_SHARED(float, tile, 32);
  tile[static_cast<int>(threadIdx.x) + i] = 1;
}

__global__ void dynamic_bounds_kernel() {
  EMULATOR_SHARED_DYNAMIC(float, tile);
  tile[threadIdx.x] = 1;
}

TEST(EmulationFinds, SharedMemoryOutOfBounds) {
  EXPECT_EQ(fault<shared_bounds_kernel>({1, 32}, 1),
            "kernel shared_bounds_kernel, block 0 of 1, thread (31, 0, 0): uses tile[32] of shared "
            "memory with 32 elements");
  EXPECT_EQ(fault<shared_bounds_kernel>({1, 32}, -1),
            "kernel shared_bounds_kernel, block 0 of 1, thread (0, 0, 0): uses tile[-1] of shared "
            "memory with 32 elements");
  EXPECT_EQ(fault<dynamic_bounds_kernel>({1, 32, 31 * sizeof(float)}),
            "kernel dynamic_bounds_kernel, block 0 of 1, thread (31, 0, 0): uses "
            "tile[31] of shared memory with 31 elements");
}

enum class Order { none, warp, block };

__device__ void order_by(Order order) {
  if (order == Order::warp) __syncwarp();
  if (order == Order::block) __syncthreads();
}

// Exchanges values with a neighbour twice, through one tile.
__global__ void exchange_kernel(int* x, Order before_reading, Order after_reading) {
  EMULATOR_SHARED(int, tile, 64);
  for (int round = 0; round < 2; ++round) {
    tile[threadIdx.x] = x[threadIdx.x];
    order_by(before_reading);
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
    order_by(after_reading);
  }
}

__global__ void shift_kernel(int* x, Order order) {
  EMULATOR_SHARED(int, tile, 65);
  tile[threadIdx.x] = 1;
  if (threadIdx.x == 0) tile[64] = 1;
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1];
  order_by(order);
  tile[threadIdx.x] = 2;
}

__global__ void write_twice_kernel() {
  EMULATOR_SHARED(int, tile, 32);
  tile[threadIdx.x / 2] = 1;
}

TEST(EmulationFinds, Races) {
  OnDevice<int> x(std::vector<int>(64));
  EXPECT_EQ(
      fault<write_twice_kernel>({1, 64}),
      "kernel write_twice_kernel, block 0 of 1, thread (1, 0, 0): writes tile[0], which thread "
      "(0, 0, 0) wrote between the same two barriers (a race)");
  EXPECT_EQ(fault<exchange_kernel>({1, 64}, x.data(), Order::block, Order::none),
            "kernel exchange_kernel, block 0 of 1, thread (1, 0, 0): reads tile[0], which thread "
            "(0, 0, 0) wrote between the same two barriers (a race)");
  for (Order order : {Order::warp, Order::block}) {
    launch<exchange_kernel>({1, 64}, x.data(), order, order);
  }
  EXPECT_EQ(
      fault<shift_kernel>({1, 64}, x.data(), Order::none),
      "kernel shift_kernel, block 0 of 1, thread (1, 0, 0): writes tile[1], which several threads "
      "read between the same two barriers (a race)");
  EXPECT_EQ(fault<shift_kernel>({1, 64}, x.data(), Order::warp),
            "kernel shift_kernel, block 0 of 1, thread (32, 0, 0): writes tile[32], which several "
            "threads read between the same two barriers (a race)");
  launch<shift_kernel>({1, 64}, x.data(), Order::block);
}

__global__ void all_blocks_write_kernel(Watched<float>* x) {
  x[0] = 1;
}

TEST(EmulationFinds, RacesBetweenBlocksOfAPlane) {
  Watch watch;
  WatchedMemory memory(watch);
  Watched<float>* const x = memory.unwritten("x", 1);
  EXPECT_EQ(fault<all_blocks_write_kernel>({dim3(2, 2), 1}, x),
            "kernel all_blocks_write_kernel, block (1, 0, 0) of (2, 2, 1), thread (0, 0, 0): "
            "writes x[0], which thread (0, 0, 0) of block 0 wrote in the same launch: nothing "
            "orders blocks (a race)");
}

TEST(EmulationFinds, TooManyThreads) {
  EXPECT_EQ(fault<indices_kernel>({1, 1025}, nullptr),
            "kernel indices_kernel, block 0 of 1: launched with 1025 threads a "
            "block and 0 bytes of dynamic shared memory; at most 1024 and 49152");
}

TEST(EmulationFinds, WhatAGpuDoesNotLaunch) {
  const std::string limits =
      "; a GPU takes 1 thread or more in a block, at most 64 in z, and at most 65535 blocks in y "
      "and in z";
  EXPECT_EQ(fault<indices_kernel>({1, 0}, nullptr),
            "kernel indices_kernel, block 0 of 1: launched with blocks (1, 1, 1) of threads (0, 1, "
            "1)" +
                limits);
  for (const Grid& grid :
       {Grid{1, dim3(1, 1, 65)}, Grid{dim3(1, 65536), 1}, Grid{dim3(1, 1, 65536), 1}}) {
    const std::string text = fault<indices_kernel>(grid, nullptr);
    EXPECT_TRUE(text.ends_with(limits)) << text;
  }
}

#ifdef __SANITIZE_ADDRESS__
__global__ void write_kernel(int* x, int i) {
  if (threadIdx.x == 7) x[i] = 1;
}

TEST(EmulationFindsDeathTest, GlobalMemoryOutOfBounds) {
  OnDevice<int> x({1, 2, 3});
  launch<write_kernel>({1, 32}, x.data(), 2);
  EXPECT_DEATH(launch<write_kernel>({1, 32}, x.data(), 3),
               "heap-buffer-overflow(.|\n)*write_kernel");
  EXPECT_DEATH(launch<write_kernel>({1, 32}, x.data(), -1),
               "heap-buffer-overflow(.|\n)*write_kernel");
}

TEST(EmulationFindsDeathTest, HostCodeThatUsesDeviceMemory) {
  OnDevice<int> x({1, 2, 3});
  EXPECT_DEATH(x.data()[1] = 5, "use-after-poison");
}

__global__ void local_kernel(int* out, int i) {
  int local[4] = {1, 2, 3, 4};
  __syncthreads();
  out[threadIdx.x] = local[i];
}

TEST(EmulationFindsDeathTest, LocalArraysOutOfBounds) {
  OnDevice<int> out(std::vector<int>(32));
  launch<local_kernel>({1, 32}, out.data(), 3);
  EXPECT_EQ(out.get(), std::vector<int>(32, 4));
  EXPECT_DEATH(launch<local_kernel>({1, 32}, out.data(), 4), "index 4 out of bounds|local_kernel");
}
#endif

}  // namespace
}  // namespace emulator
