// Gradients that NCCL carries from GPU to GPU: as many ranks as there are GPUs, or, with the
// emulation, NCCL of tests/nccl and a device for each rank. This process itself uses no GPU, as the
// ranks are forked.
#include "tensor/cuda/communicator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "nn/init.h"
#include "tensor/cuda/runtime.h"
#include "tests/file_helpers.h"
#include "tests/train/gradients_helpers.h"
#include "tests/train/line_helpers.h"
#include "tests/train/ranks_helpers.h"
#include "train/loop.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// The device of a rank. The emulation has one, which is another one in every process.
Device device_of(int rank) {
#ifdef HEED_CUDA_EMULATED
  rank = 0;
#endif
  return {Device::Kind::cuda, rank};
}

// Numbers of ranks that have a GPU each.
std::vector<int> counts() {
  std::vector<int> found;
  for (const int count : {1, 2, 3, 4}) {
    try {
      on_ranks(1, [&](Ranks&) { cuda::check_device(device_of(count - 1).index); });
      found.push_back(count);
    } catch (const Error&) {
      break;
    }
  }
  return found;
}

struct Nccl : testing::Test {
  void SetUp() override {
    if (counts().empty()) GTEST_SKIP() << "no GPU";
    on_ranks(1, [](Ranks&) {
      if (!cuda::has_nccl()) throw Error("built with NCCL, but there is no libnccl.so.2");
    });
  }
  const TempDir dir;
};

TEST_F(Nccl, HasAVersion) {
  EXPECT_NE(cuda::nccl_version(), "");
}

TEST_F(Nccl, SumsHaveTheBitsOfOneRankAndOfTheHost) {
  for (const bool dense : {false, true}) {
    const auto expected = summed(nullptr, 8, dense);
    for (const int count : counts()) {
      on_ranks(count, [&](Ranks& ranks) {
        const Device device = device_of(ranks.rank());
        const std::unique_ptr<Carrier> nccl = make_carrier(ranks, device);
        EXPECT_EQ(nccl->memory(), device);
        for (int twice = 0; twice < 2; ++twice) {
          EXPECT_EQ(summed(nccl.get(), 8, dense, device), expected) << count;
        }
        EXPECT_EQ(ranks.bytes_from_gpu() > 0, count > 1);
        EXPECT_EQ(summed(host_carrier(ranks).get(), 8, dense, device), expected) << count;
      });
    }
  }
}

// More than sockets or buffers hold at a time, of several sizes.
TEST_F(Nccl, CarriesLargeBlocks) {
  on_ranks(counts().back(), [](Ranks& ranks) {
    const Device device = device_of(ranks.rank());
    const std::unique_ptr<Carrier> nccl = make_carrier(ranks, device);
    const auto size = [](int from, int to) { return 700'001 * (from + 1) + to; };
    std::vector<Carrier::Block> blocks(static_cast<size_t>(ranks.size()));
    std::vector<const Carrier::Block*> pointers;
    for (int to = 0; to < ranks.size(); ++to) {
      Carrier::Block& block = blocks[static_cast<size_t>(to)];
      block.head.put(size(ranks.rank(), to));
      block.tensors = {Tensor::full({size(ranks.rank(), to)}, ranks.rank() + 1, DType::f32, device),
                       Tensor::empty({0}, DType::f32, device),
                       Tensor::full({3}, to + 10, DType::f64, device)};
      pointers.push_back(&block);
    }
    std::map<int, std::vector<Tensor>> got;
    nccl->exchange(pointers, [&](int from, std::string_view head) {
      EXPECT_EQ(BytesIn(head).get<int>(), size(from, ranks.rank()));
      return got[from] = {Tensor::empty({size(from, ranks.rank())}, DType::f32, device),
                          Tensor::empty({0}, DType::f32, device),
                          Tensor::empty({3}, DType::f64, device)};
    });
    EXPECT_EQ(std::ssize(got), ranks.size() - 1);
    for (const auto& [from, tensors] : got) {
      const std::vector<double> values = tensors[0].to_vector();
      EXPECT_EQ(std::count(values.begin(), values.end(), from + 1), std::ssize(values));
      EXPECT_EQ(tensors[2].to_vector(), std::vector<double>(3, ranks.rank() + 10));
    }
  });
}

// The files of a training of three epochs.
std::map<std::string, std::string> trained(const TempDir& dir, const std::string& name, int count) {
  fs::create_directories(dir.path(name));
  on_ranks(count, [&](Ranks& ranks) {
    Line model;
    init(model, 1);
    move(model, device_of(ranks.rank()));
    TrainHooks hooks;
    hooks.ranks = &ranks;
    EXPECT_TRUE(train(dir.path(name),
                      {.batch_size = 6, .max_epochs = 3, .schedule = {.rate = 0.1}, .pieces = 8},
                      {fitting(model)}, hooks));
    EXPECT_EQ(ranks.bytes_from_gpu() > 0, count > 1);
  });
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(dir.path(name))) {
    const std::string file = entry.path().filename();
    files[file] = dir.read(name + "/" + file);
  }
  return files;
}

TEST_F(Nccl, ATrainingHasTheSameBytesForAnyNumberOfRanks) {
  const auto one = trained(dir, "one", 1);
  EXPECT_TRUE(one.contains("model.safetensors"));
  for (const int count : counts()) {
    EXPECT_EQ(trained(dir, std::to_string(count), count), one) << count;
  }
}

TEST_F(Nccl, NeedsAGpuOfEachRank) {
  on_ranks(2, [&](Ranks& ranks) {
    const Device device = ranks.first() ? device_of(0) : Device{};
    EXPECT_EQ(make_carrier(ranks, device)->memory(), Device{});
  });
}

#ifdef HEED_CUDA_EMULATED

// What two ranks end with where NCCL fails on one of them as HEED_FAKE_NCCL wants it. The other one
// waits inside of NCCL for it, and it for the other one if it can.
std::string failure(const char* fault) {
  return error_of<Error>([&] {
    on_ranks(2, [&](Ranks& ranks) {
      ::alarm(60);
      if (ranks.rank() == 1) ::setenv("HEED_FAKE_NCCL", fault, 1);
      const std::unique_ptr<Carrier> nccl = make_carrier(ranks, device_of(0));
      const Carrier::Block block{.tensors = {Tensor::zeros({5}, DType::f32, device_of(0))}};
      nccl->exchange({&block, &block}, [](int, std::string_view) {
        return std::vector{Tensor::empty({5}, DType::f32, device_of(0))};
      });
      ranks.any(0);
    });
  });
}

TEST_F(Nccl, ThatFailsEndsAllWithOneLine) {
  const std::string rank = name_of_rank(1, 2) + ": NCCL: ";
  EXPECT_EQ(failure("init"), rank + "start: unhandled system error (of the tests)");
  EXPECT_EQ(failure("send"), rank + "exchange between GPUs: unhandled system error (of the tests)");
  EXPECT_EQ(failure("later"),
            rank +
                "exchange between GPUs: remote process exited or there was a network error (of the "
                "tests)");
}

// Though the others wait for it inside of NCCL, and NCCL would wait for them.
TEST_F(Nccl, ARankThatFailsEndsAll) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(
      error_of<Error>([] {
        on_ranks(2, [](Ranks& ranks) {
          const std::unique_ptr<Carrier> nccl = make_carrier(ranks, device_of(0));
          ::alarm(60);
          const Carrier::Block block{.tensors = {Tensor::zeros({5}, DType::f32, device_of(0))}};
          nccl->exchange({&block, &block}, [&](int, std::string_view) {
            if (ranks.rank() == 1) throw Error("no more paper");
            return std::vector{Tensor::empty({5}, DType::f32, device_of(0))};
          });
        });
      }),
      name_of_rank(1, 2) + ": no more paper");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

#endif

}  // namespace
}  // namespace heed
