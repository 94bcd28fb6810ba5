// What must not ask for memory, as it is done for every op.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tensor/tensor.h"

static int64_t allocations = 0;

// Not inlined, or GCC sees a delete of what new did not make.
[[gnu::noinline]] void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace heed {
namespace {

template <class F> int64_t allocations_of(F f) {
  const int64_t before = allocations;
  f();
  return allocations - before;
}

TEST(Allocations, TheyAreCounted) {
  EXPECT_EQ(allocations_of([] { delete new int(1); }), 1);
}

TEST(Allocations, AnUndefinedTensorNeedsNone) {
  EXPECT_EQ(allocations_of([] { const Tensor x, y = x; }), 0);
}

TEST(Allocations, ShapesAndChecksNeedNone) {
  EXPECT_EQ(allocations_of([] {
              const Shape a{2, 3}, b = a.with(0, 4).without(1).insert(0, 2);
              check_shape(b.rank() == 2, "allocations: shape ", a, " and ", b, " of ", 3, " axes");
            }),
            0);
}

TEST(Allocations, AViewNeedsNone) {
  const Tensor x = Tensor::zeros({4, 3});
  EXPECT_EQ(allocations_of([&] { (void)x.rows(1, 3).reshape({6}); }), 0);
}

}  // namespace
}  // namespace heed
