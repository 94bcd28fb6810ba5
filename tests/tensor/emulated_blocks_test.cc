// What kernels share (tensor/cuda/block.h), on the emulation. Only built with
// HEED_CUDA=emulate; emulator/tests/ is about the emulation itself.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using cuda::launch;

// Device memory with values from the host.
template <class T> class OnDevice {
 public:
  explicit OnDevice(std::vector<T> values)
      : values_(std::move(values)), memory_(cuda::allocate(bytes())) {
    cuda::upload(memory_, values_.data(), bytes());
  }
  ~OnDevice() { cuda::free(memory_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* data() const { return reinterpret_cast<T*>(memory_); }
  std::vector<T> get() {
    cuda::download(values_.data(), memory_, bytes());
    return values_;
  }

 private:
  int64_t bytes() const { return static_cast<int64_t>(values_.size() * sizeof(T)); }
  std::vector<T> values_;
  std::byte* memory_;
};

template <class T> __global__ void block_sum_kernel(T* x) {
  const T sum = gpu::block_sum(x[threadIdx.x]), max = gpu::block_max(x[threadIdx.x]);
  x[threadIdx.x] = sum + max;
}

TEST(EmulatedBlocks, SumAndMaximumOfABlock) {
  for (int threads : {32, 64, 256, 1024}) {
    std::vector<double> values(threads);
    std::iota(values.begin(), values.end(), 1);
    OnDevice<double> x(values);
    launch<block_sum_kernel<double>>({1, threads}, x.data());
    for (double v : x.get()) EXPECT_EQ(v, threads * (threads + 1) / 2 + threads);
  }
}

// Elements of shared memory stand for numbers, on either side.
template <class T> __global__ void reduce_elements_kernel(T* x) {
  HEED_SHARED(T, tile, 32);
  const int t = static_cast<int>(threadIdx.x);
  const T mine = x[t];
  tile[t] = mine;
  __syncwarp();
  x[4 * t] = gpu::Sum::apply(mine, tile[t ^ 1]);
  x[4 * t + 1] = gpu::Max::apply(tile[t ^ 1], mine);
  x[4 * t + 2] = gpu::Sum::apply(tile[t], tile[t ^ 1]);
  x[4 * t + 3] = gpu::Max::apply(tile[t], tile[t ^ 1]);
}

template <class T> void expect_sums_and_maxima_of_elements() {
  std::vector<float> values(128);
  std::iota(values.begin(), values.end(), 0.0f);
  OnDevice<float> x(values);
  launch<reduce_elements_kernel<T>>({1, 32}, reinterpret_cast<T*>(x.data()));
  const std::vector<float> got = x.get();
  for (int t = 0; t < 32; ++t) {
    const auto sum = static_cast<float>(t + (t ^ 1)), max = static_cast<float>(t | 1);
    EXPECT_EQ(std::vector<float>(got.begin() + 4 * t, got.begin() + 4 * (t + 1)),
              (std::vector<float>{sum, max, sum, max}))
        << t;
  }
}

TEST(EmulatedBlocks, SumAndMaximumOfElementsOfSharedMemory) {
  expect_sums_and_maxima_of_elements<float>();
  expect_sums_and_maxima_of_elements<emulator::Watched<float>>();
}

}  // namespace
}  // namespace heed
