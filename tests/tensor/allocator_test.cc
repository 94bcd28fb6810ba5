#include "tensor/allocator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "tensor/tensor.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kCaches = false;  // so that every access outside of a tensor is seen
#else
constexpr bool kCaches = true;
#endif

TEST(Allocator, CountsWhatTensorsHold) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    release_cached(device);
    const MemoryStats before = memory_stats(device);
    reset_peak(device);
    {
      const Tensor a = Tensor::empty({1000}, DType::f32, device);
      const Tensor b = Tensor::empty({1 << 20}, DType::f32, device);
      const MemoryStats now = memory_stats(device);
      EXPECT_GE(now.bytes_in_use - before.bytes_in_use, a.bytes() + b.bytes());
      EXPECT_LE(now.bytes_in_use - before.bytes_in_use, (a.bytes() + b.bytes()) * 9 / 8);
      EXPECT_EQ(now.peak_bytes, now.bytes_in_use);
    }
    const MemoryStats after = memory_stats(device);
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
    EXPECT_GT(after.peak_bytes, before.bytes_in_use + (4 << 20));
    EXPECT_GE(after.bytes_cached, kCaches ? 4 << 20 : 0);
    reset_peak(device);
    EXPECT_EQ(memory_stats(device).peak_bytes, before.bytes_in_use);
    release_cached(device);
    EXPECT_EQ(memory_stats(device).bytes_cached, 0);
  }
}

TEST(Allocator, HandsTheSameMemoryOutAgain) {
  if (!kCaches) GTEST_SKIP() << "no cache with the address sanitizer";
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    release_cached(device);
    const std::byte* first = Tensor::empty({5000}, DType::f32, device).raw();
    const int64_t cached = memory_stats(device).bytes_cached;
    EXPECT_GE(cached, 20'000);
    const Tensor again = Tensor::empty({4990}, DType::f32, device);  // of the same size class
    EXPECT_EQ(again.raw(), first);
    EXPECT_EQ(memory_stats(device).bytes_cached, 0);
  }
}

// What was freed serves something smaller too, but nothing that would waste much more than half.
TEST(Allocator, FitsFreedBlocks) {
  if (!kCaches) GTEST_SKIP() << "no cache with the address sanitizer";
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    release_cached(device);
    const auto block = [&](int64_t bytes) { return allocate(bytes, device); };
    auto large = block(64'000), middle = block(48'000);
    const std::byte *at_large = large.get(), *at_middle = middle.get();
    large.reset(), middle.reset();
    const MemoryStats before = memory_stats(device);
    {
      const auto small = block(10'000), half = block(40'000), other_half = block(40'000);
      EXPECT_EQ(half.get(), at_middle);  // the smallest that is large enough
      EXPECT_EQ(other_half.get(), at_large);
      EXPECT_NE(small.get(), at_middle);
    }
    const MemoryStats after = memory_stats(device);
    EXPECT_EQ(after.bytes_in_use, before.bytes_in_use);
    EXPECT_GE(after.bytes_cached, before.bytes_cached + 10'000);
    EXPECT_LE(after.bytes_cached, before.bytes_cached + 11'250);
  }
}

// A block is never smaller than what was asked for, at every boundary of the size classes.
TEST(Allocator, BlocksAreLargeEnough) {
  for (int64_t power = 256; power <= (1 << 20); power *= 2) {
    for (int64_t eighth = 0; eighth < 8; ++eighth) {
      for (int64_t extra : {-1, 0, 1}) {
        const int64_t bytes = power + power / 8 * eighth + extra;
        release_cached();  // a larger block that was freed would do too
        const int64_t before = memory_stats().bytes_in_use;
        const auto block = allocate(bytes);
        const int64_t got = memory_stats().bytes_in_use - before;
        ASSERT_GE(got, bytes);
        ASSERT_LE(got, bytes + std::max<int64_t>(bytes / 8, 128)) << bytes;
        ASSERT_EQ(got % (kCaches ? 64 : 1), 0);
        block.get()[bytes - 1] = std::byte{1};
      }
    }
  }
}

TEST(Allocator, EmptyTensorsAreDefined) {
  const Tensor none = Tensor::zeros({0, 3});
  EXPECT_TRUE(none.defined());
  EXPECT_EQ(none.clone().to_vector(), std::vector<double>{});
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // these end the program instead
TEST(Allocator, ThrowsWhereThereIsNoMemory) {
  const int64_t before = memory_stats().bytes_in_use;
  for (int64_t elements : {int64_t{1} << 50, int64_t{1} << 59}) {
    const std::string text =
        error_of<DeviceError>([&] { (void)Tensor::empty({elements}, DType::f64); });
    EXPECT_EQ(text.find("out of memory: asked for " + std::to_string(elements >> 17) + " MiB"), 0u)
        << text;
  }
  EXPECT_EQ(memory_stats().bytes_in_use, before);
  EXPECT_EQ(Tensor::full({3}, 1).to_vector()[2], 1);  // and life goes on
}
#endif

TEST(Allocator, TakesCallsFromSeveralThreads) {
  const int64_t before = memory_stats().bytes_in_use;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int64_t k = 1; k < 500; ++k) (void)Tensor::full({k * (i + 1)}, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory_stats().bytes_in_use, before);
}

}  // namespace
}  // namespace heed
