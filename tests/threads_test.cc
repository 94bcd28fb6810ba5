// Several threads of a program use the library at the same time.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "autograd/anomaly.h"
#include "autograd/keep_packed.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "optim/optim.h"
#include "tensor/parallel.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

constexpr int kThreads = 4, kWords = 50;

// A small language model: what it learns from are numbers made up from a seed.
struct Words : Module {
  explicit Words(uint64_t seed) { init(*this, seed); }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("lstm", lstm);
    v("output", output);
  }
  Var loss(uint64_t seed, Device device = {}) const {
    const Packing packing({9, 9, 7, 4, 4, 1});
    Rng rng(seed, "threads test");
    std::vector<int32_t> ids, targets;
    for (int64_t i = 0; i < packing.rows(); ++i) {
      ids.push_back(static_cast<int32_t>(rng.below(kWords)));
      targets.push_back(static_cast<int32_t>(rng.below(kWords)));
    }
    const Var y = lstm(packing, embedding(Tensor::from(ids, device))).y;
    return linear_cross_entropy(y, output.weight, Tensor::from(targets, device)).total;
  }
  Embedding embedding{kWords, 40};
  Lstm lstm{40, 40};
  Linear output{40, kWords, /*with_bias=*/false};
};

// The losses of some training steps, and the parameters after them.
std::vector<double> train(uint64_t seed, Device device = {}, uint64_t steps = 12) {
  Words model(seed);
  move(model, device);
  Adam optimizer(model);
  std::vector<double> numbers;
  for (uint64_t step = 0; step < steps; ++step) {
    const Var loss = model.loss(seed + step, device);
    numbers.push_back(loss.value().item());
    loss.backward();
    optimizer.step();
    zero_grad(model);
  }
  for (const NamedParameter& p : parameters(model)) {
    const std::vector<double> values = p.var.value().to_vector();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

// Calls body(i) on thread i of several, which begin together.
void on_threads(const std::function<void(int)>& body) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class Threads : public testing::Test {
 protected:
  Threads() { set_num_threads(3); }
  ~Threads() override { set_num_threads(0); }
};

// While one thread's loop has the pool, another's goes its way.
TEST_F(Threads, ASecondLoopDoesNotWaitForTheFirst) {
  std::atomic<bool> begun{false}, second_done{false};
  std::atomic<int> first_calls{0}, in_time{0};
  std::thread first([&] {
    parallel_for(30, [&](int64_t) {
      begun = true;
      for (int wait = 0; wait < 5000 && !second_done; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      in_time += second_done;
      ++first_calls;
    });
  });
  while (!begun) std::this_thread::yield();
  std::vector<std::atomic<int>> calls(100);
  parallel_for(100, [&](int64_t i) { ++calls.at(i); });
  second_done = true;
  first.join();
  for (const auto& count : calls) EXPECT_EQ(count, 1);
  EXPECT_EQ(first_calls, 30);
  EXPECT_EQ(in_time, 30);
}

// A thread that loops alone takes the help of nobody, not even in the middle of its loop.
TEST_F(Threads, OneThatLoopsAloneLeavesTheOthersToTheRest) {
  std::atomic<bool> begun{false}, done{false};
  std::atomic<int> inside{0}, together{0}, elsewhere{0};
  std::thread alone([&] {
    loop_alone();
    const auto me = std::this_thread::get_id();
    parallel_for(30, [&](int64_t i) {
      elsewhere += std::this_thread::get_id() != me;
      begun = true;
      for (int wait = 0; i == 15 && wait < 5000 && !done; ++wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  });
  while (!begun) std::this_thread::yield();
  parallel_for(3, [&](int64_t) {  // one piece on each of the three threads
    ++inside;
    for (int wait = 0; wait < 5000 && inside < 3; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    together += inside == 3;
  });
  done = true;
  alone.join();
  EXPECT_EQ(elsewhere, 0);
  EXPECT_EQ(together, 3);
}

TEST_F(Threads, EveryLoopDoesItsOwnPiecesOnce) {
  std::atomic<int> wrong{0};
  on_threads([&](int i) {
    for (int loop = 0; loop < 500; ++loop) {
      std::vector<std::atomic<int>> calls(20 + i);
      parallel_for(20 + i, [&](int64_t k) { ++calls.at(k); });
      for (const auto& count : calls) wrong += count != 1;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, ModelsTrainAtTheSameTime) {
  for (const Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const uint64_t steps = device.is_cuda() ? 2 : 12;  // the emulation takes its time
    std::vector<std::vector<double>> alone, together(kThreads);
    for (int i = 0; i < kThreads; ++i) alone.push_back(train(i, device, steps));
    on_threads([&](int i) { together[i] = train(i, device, steps); });
    for (int i = 0; i < kThreads; ++i) EXPECT_EQ(together[i], alone[i]) << i;
    EXPECT_NE(alone[0], alone[1]);
  }
}

TEST_F(Threads, OneModelIsReadByAll) {
  const Words model(1);
  std::atomic<int> wrong{0};
  const double expected = model.loss(1).value().item();
  on_threads([&](int i) {
    const NoGrad guard;
    const KeepPacked keep;
    for (int k = 0; k < 20; ++k) wrong += model.loss(1).value().item() != expected;
    // With gradients the forward pass is the same; only backward() needs parameters of its own.
    wrong += i == 0 && model.loss(1).needs_grad();
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, NoGradAndDetectAnomalyAreOneThreadsOwn) {
  std::atomic<int> entered{0}, wrong{0};
  const auto meet = [&](int count) {
    ++entered;
    while (entered < count) std::this_thread::yield();
  };
  on_threads([&](int i) {
    const Words model(i);
    if (i % 2 == 0) {
      const NoGrad no_grad;
      const DetectAnomaly detect;
      meet(kThreads);
      wrong += model.loss(1).needs_grad() || !DetectAnomaly::active();
      meet(2 * kThreads);
    } else {
      meet(kThreads);
      wrong += !model.loss(1).needs_grad() || NoGrad::active() || DetectAnomaly::active() ||
               KeepPacked::active() != nullptr;
      meet(2 * kThreads);
    }
  });
  EXPECT_EQ(wrong, 0);
}

// One thread's loops fail, in one of the other threads' pieces too; the others notice nothing.
TEST_F(Threads, AnErrorIsItsOwnThreads) {
  const std::vector<double> expected = train(3);
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  on_threads([&](int i) {
    if (i == 0) {
      wrong += train(3) != expected;
      done = true;
      return;
    }
    for (int64_t loop = 0; !done; ++loop) {
      const std::string thrown = "thread " + std::to_string(i), text = error_of<DataError>([&] {
                                                                  parallel_for(8, [&](int64_t k) {
                                                                    if (k == loop % 8)
                                                                      throw DataError(thrown);
                                                                  });
                                                                });
      wrong += text != thrown;
      wrong += error_of<ShapeError>([] {
                 (void)matmul(Tensor::zeros({2, 3}), Tensor::zeros({4, 5}));
               }) != "matmul: inner axes differ, (2, 3) times (4, 5)";
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Threads, TheNumberOfThreadsMayChangeMeanwhile) {
  const std::vector<double> expected = train(3);
  std::atomic<int> wrong{0};
  std::atomic<bool> done{false};
  on_threads([&](int i) {
    if (i == 0) {
      wrong += train(3) != expected;
      done = true;
      return;
    }
    for (int count = 1; !done; count = count % 4 + 1) {
      set_num_threads(count);
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(wrong, 0);
  set_num_threads(2);
  EXPECT_EQ(error_of<UsageError>([] { parallel_for(2, [](int64_t) { set_num_threads(2); }); }),
            "threads: not to be set from inside of a parallel loop");
}

#if !defined(__SANITIZE_THREAD__)  // which starts no threads in a child of a program with threads
// Runs body in a child of fork(); 0 where it came back. A child that hangs is ended.
int in_child(const std::function<void()>& body, bool through_exit) {
  const pid_t id = fork();
  if (id == 0) {
    alarm(60);
    int code = 1;
    try {
      body();
      code = 0;
    } catch (...) {
    }
    if (through_exit) std::exit(code);
    _exit(code);
  }
  int status = -1;
  EXPECT_EQ(waitpid(id, &status, 0), id);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST_F(Threads, AChildOfForkHasThreadsOfItsOwn) {
  const std::vector<double> expected = train(5);
  for (const bool through_exit : {false, true}) {
    EXPECT_EQ(in_child(
                  [&] {
                    std::atomic<int> inside{0};  // both pieces at the same time: two threads
                    parallel_for(2, [&](int64_t) {
                      for (++inside; inside < 2;) std::this_thread::yield();
                    });
                    if (train(5) != expected) throw std::runtime_error("other numbers");
                  },
                  through_exit),
              0);
    EXPECT_EQ(in_child([] {}, through_exit), 0);  // the pool is there, and the child leaves it
  }
  EXPECT_EQ(train(5), expected);
}

// Whatever the others hold at that moment: the pool, or the lock of the allocator.
TEST_F(Threads, ForkWhileOthersCompute) {
#if defined(__SANITIZE_ADDRESS__)  // at exit() it takes what the others held for leaks
  constexpr int kForks = 4;
  constexpr bool kExit = false;
#else
  constexpr int kForks = 20;
  constexpr bool kExit = true;
#endif
  const std::vector<double> expected = train(5);
  std::atomic<bool> done{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&done, i] {
      while (!done) train(i);
    });
  }
  for (int k = 0; k < kForks; ++k) {
    EXPECT_EQ(in_child(
                  [&] {
                    if (train(5) != expected) throw std::runtime_error("other numbers");
                  },
                  /*through_exit=*/kExit && k % 2 == 0),
              0);
  }
  done = true;
  for (std::thread& other : others) other.join();
}
#endif

}  // namespace
}  // namespace heed
