#include "tensor/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

class Parallel : public testing::Test {
 protected:
  ~Parallel() override { set_num_threads(0); }
};

TEST_F(Parallel, CallsEveryIndexOnce) {
  for (int threads : {1, 2, 3, 8}) {
    set_num_threads(threads);
    EXPECT_EQ(num_threads(), threads);
    for (int64_t pieces : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> calls(pieces);
      parallel_for(pieces, [&](int64_t i) { ++calls.at(i); });
      for (const auto& count : calls) ASSERT_EQ(count, 1);
    }
  }
}

TEST_F(Parallel, ManySmallLoopsInARow) {
  for (int threads : {2, 4}) {
    set_num_threads(threads);
    std::atomic<int64_t> sum{0};
    for (int loop = 0; loop < 3000; ++loop) parallel_for(5, [&](int64_t i) { sum += i; });
    EXPECT_EQ(sum, 30'000);
  }
}

// After a pause the workers sleep and have to be woken up.
TEST_F(Parallel, WakesUpAfterAPause) {
  set_num_threads(3);
  for (int loop = 0; loop < 5; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> calls{0};
    parallel_for(10, [&](int64_t) { ++calls; });
    EXPECT_EQ(calls, 10);
  }
}

TEST_F(Parallel, UsesTheThreads) {
  set_num_threads(4);
  std::atomic<int> inside{0};
  std::atomic<bool> together{false};
  parallel_for(4, [&](int64_t) {  // each waits until all four are in here, or for a long time
    ++inside;
    for (int wait = 0; wait < 10'000 && inside < 4; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (inside == 4) together = true;
  });
  EXPECT_TRUE(together);
}

TEST_F(Parallel, NestedCallsStayOnTheirThread) {
  set_num_threads(4);
  std::vector<std::atomic<int>> calls(size_t{8} * 9);
  std::atomic<int> elsewhere{0};
  parallel_for(8, [&](int64_t i) {
    const auto self = std::this_thread::get_id();
    parallel_for(9, [&](int64_t j) {
      ++calls[i * 9 + j];
      elsewhere += std::this_thread::get_id() != self;
    });
  });
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Parallel, RangesCoverTheWholeOnce) {
  for (int threads : {1, 3}) {
    set_num_threads(threads);
    for (int64_t size : {0, 1, 9, 10, 11, 100}) {
      std::vector<std::atomic<int>> calls(size);
      std::atomic<int> wrong{0};
      parallel_ranges(size, 10, [&](int64_t begin, int64_t end) {
        wrong += begin % 10 != 0 || end - begin > 10 || begin >= end;
        for (int64_t i = begin; i < end; ++i) ++calls.at(i);
      });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
      EXPECT_EQ(wrong, 0);
    }
  }
}

// Whichever thread it happens on; the pool is as good as before afterwards.
TEST_F(Parallel, AnExceptionReachesTheCaller) {
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    for (int64_t bad = 0; bad < 64; ++bad) {
      EXPECT_THROW(parallel_for(64,
                                [&](int64_t i) {
                                  if (i >= bad) throw std::bad_alloc();
                                }),
                   std::bad_alloc);
      std::atomic<int> calls{0};
      parallel_for(64, [&](int64_t) { ++calls; });
      ASSERT_EQ(calls, 64);
    }
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need more themselves
// The stacks of 1000 threads do not fit; the work is done by those that do.
TEST_F(Parallel, FewerThreadsThanAskedFor) {
  const auto work_with_little_memory = [] {
    const rlimit limit{size_t{3} << 30, size_t{3} << 30};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
    set_num_threads(1000);
    std::atomic<int> calls{0};
    parallel_for(100, [&](int64_t) { ++calls; });
    _exit(calls == 100 ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: threads do not survive a fork
  EXPECT_EXIT(work_with_little_memory(), testing::ExitedWithCode(0), "");
}
#endif

TEST_F(Parallel, APieceMayBeLargerThanTheWhole) {
  int64_t calls = 0;
  parallel_ranges(10, INT64_MAX, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 10);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST_F(Parallel, PiecesHaveASize) {
  for (const int64_t grain : {0, -1}) {
    EXPECT_EQ(error_of<UsageError>([&] { parallel_ranges(10, grain, [](int64_t, int64_t) {}); }),
              "parallel_ranges: the grain must be positive, got " + std::to_string(grain));
  }
}

// With one thread and with one piece the loop runs without the pool, and is a loop all the same.
TEST_F(Parallel, TheThreadsAreNotSetWithinALoop) {
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    for (const int64_t pieces : {1, 5}) {
      EXPECT_EQ(
          error_of<UsageError>([&] { parallel_for(pieces, [](int64_t) { set_num_threads(2); }); }),
          "threads: not to be set from inside of a parallel loop");
    }
  }
  set_num_threads(2);  // the loop is over
  EXPECT_EQ(num_threads(), 2);
}

TEST_F(Parallel, RefusesAbsurdNumbers) {
  const int before = num_threads();
  for (int count : {-1, 1025}) {
    EXPECT_EQ(error_of<UsageError>([&] { set_num_threads(count); }),
              "threads: expected 0 (all cores) to 1024, got " + std::to_string(count));
  }
  EXPECT_EQ(num_threads(), before);
  set_num_threads(0);
  EXPECT_GE(num_threads(), 1);
}

}  // namespace
}  // namespace heed
