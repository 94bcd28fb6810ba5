// Memory runs out, at every place of a training step: an error, nothing lost, and the library goes
// on as if nothing had happened.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "base/machine.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "optim/optim.h"
#include "tensor/allocator.h"
#include "tensor/matrix.h"
#include "tensor/parallel.h"
#include "tests/file_helpers.h"

namespace {

// Allocations until one fails, or 0 for never; then that one alone, or all from there on.
std::atomic<int64_t> left{0};
std::atomic<bool> once{true};
std::atomic<bool> system_only{false};  // counts posix_memalign() alone
std::atomic<int64_t> failures{0};

bool fails() {
  if (left == 0) return false;
  if (left > 1) {
    --left;
    return false;
  }
  if (once) left = 0;
  ++failures;
  return true;
}

}  // namespace

// What tensors and the blocks of products are made of.
extern "C" int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept {
  *memory =
      fails() ? nullptr : aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
  return *memory ? 0 : ENOMEM;
}

// And all else. Not inlined, or GCC sees a delete of what new did not make.
[[gnu::noinline]] void* operator new(size_t bytes) {
  void* memory = !system_only && fails() ? nullptr : std::malloc(bytes ? bytes : 1);
  return memory ? memory : throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace heed {
namespace {

struct Model : Module {
  Model() { init(*this, 1); }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("lstm", lstm);
    v("output", output);
  }
  Embedding embedding{30, 20};
  Lstm lstm{20, 20};
  Linear output{20, 30};
};

// A training step from beginning to end; the losses before and after it.
std::vector<double> train() {
  Model model;
  Adam optimizer(model);
  const Packing packing({5, 3, 3, 1});
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < packing.rows(); ++i) ids.push_back(static_cast<int32_t>(i * 7 % 30));
  const Tensor tokens = Tensor::from(ids);
  const auto loss = [&] {
    const Var y = model.lstm(packing, model.embedding(tokens)).y;
    return sum(cross_entropy(model.output(y), tokens));
  };
  const Var before = loss();
  before.backward();
  optimizer.step();
  return {before.value().item(), loss().value().item()};
}

// The text of the error where the n-th allocation of f fails (with `alone` false: and all after
// it);
// "" where there are fewer than n.
template <class F> std::string error_at(int64_t n, bool alone, F f) {
  failures = 0;
  once = alone;
  left = n;
  std::string text;
  try {
    f();
    left = 0;
  } catch (const DeviceError& e) {
    left = 0;
    text = e.what();
  } catch (const std::bad_alloc&) {
    left = 0;
    text = "bad_alloc";
  }
  return failures > 0 && text.empty() ? "no error" : text;
}

class OutOfMemory : public testing::TestWithParam<bool> {
 protected:
  ~OutOfMemory() override {
    left = 0;
    set_num_threads(0);
  }
};

TEST_P(OutOfMemory, AtEveryPlaceOfATrainingStep) {
  set_num_threads(2);
  const std::vector<double> expected = train();
  const int64_t in_use = memory_stats().bytes_in_use;
  int64_t n = 1, unnoticed = 0;
  for (;; ++n) {
    release_cached();  // or few tensors would ask the system
    const std::string error = error_at(n, /*alone=*/GetParam(), [] { (void)train(); });
    if (error.empty()) break;
    ASSERT_EQ(error.find('\n'), error.npos) << error;
    ASSERT_TRUE(error == "bad_alloc" || error == "no error" ||
                error.starts_with("out of memory: asked for "))
        << error;
    unnoticed += error == "no error";
    ASSERT_EQ(memory_stats().bytes_in_use, in_use) << n;
    if (n % 10 == 0) {
      ASSERT_EQ(train(), expected) << n;
    }
  }
  EXPECT_GT(n, 500);  // places
  // Some failures cost nothing: a freed block that cannot be kept is given back, a block that is
  // not there is asked for again when the cache is empty.
  EXPECT_LT(unnoticed, n / 2);
  EXPECT_EQ(train(), expected);
}
INSTANTIATE_TEST_SUITE_P(OneOrAllFromThere, OutOfMemory, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "One" : "All"; });

TEST(OutOfMemoryText, SaysWhatWasAskedForAndWhatThereIs) {
  release_cached();
  const int64_t before = memory_stats().bytes_in_use;
  const Tensor held = Tensor::empty({3 << 18});  // 3 MiB
  system_only = true;
  const std::string text = error_at(1, /*alone=*/false, [] { (void)Tensor::empty({5 << 18}); });
  system_only = false;
  EXPECT_EQ(text, "out of memory: asked for 5 MiB with 3 MiB of " + size_text(usable_memory()) +
                      " in tensors; try a smaller batch, vocabulary or hidden size");
  EXPECT_EQ(memory_stats().bytes_in_use, before + held.bytes());
}

// The scratch memory of a thread's products is asked for again by the next product.
TEST(OutOfMemoryText, ProductsAskForTheirBlocksAgain) {
  const Tensor a = Tensor::full({40, 40}, 1, DType::f64), c = Tensor::zeros({40, 40}, DType::f64);
  std::thread([&] {  // one that has had no product yet
    system_only = true;
    const std::string text = error_at(1, /*alone=*/true, [&] { gemm(c, a, a); });
    system_only = false;
    EXPECT_TRUE(text.starts_with("out of memory: asked for ")) << text;
    EXPECT_NE(text.find(" of " + size_text(usable_memory()) + " for the blocks of a product"),
              text.npos)
        << text;
    gemm(c, a, a);
  })
      .join();
  EXPECT_EQ(c.to_vector()[41], 40);
}

// A block that the cache cannot keep is given back, and leaves nothing behind.
TEST(OutOfMemoryText, ABlockThatCannotBeKeptIsGivenBack) {
  for (int64_t n = 1; n < 4; ++n) {
    release_cached();
    auto block = allocate(50'000);
    (void)error_at(n, /*alone=*/true, [&] { block.reset(); });
    const auto next = allocate(50'000), another = allocate(50'000);
    next.get()[49'999] = another.get()[49'999] = std::byte{1};
    EXPECT_NE(next, another);
  }
}

}  // namespace
}  // namespace heed
