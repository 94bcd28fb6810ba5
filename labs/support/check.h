// What the checks of a lab are written with. One LAB_CHECK is one check: a GoogleTest test that the
// tool runs in a process of its own (labs/heed_lab/running.py).
//
//   LAB_CHECK(RowsAddUpToOne) {
//     Draw draw;
//     const Tensor x = draw.normal({draw.between(1, 9), draw.between(1, 40)});
//     expect_close("y", softmax(x).value(), by_loops(x), {.law = "each row adds up to 1"});
//   }
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "labs/support/diagnose.h"
#include "labs/support/not_done.h"
#include "tensor/random_tensor.h"

#define LAB_CHECK(name) LAB_TEST(Lab, name)
#define LAB_TEST(suite, name)                          \
  struct Check_##name {                                \
    static void body_of_check();                       \
  };                                                   \
  TEST(suite, name) {                                  \
    heed::lab::run_check(Check_##name::body_of_check); \
  }                                                    \
  void Check_##name::body_of_check()
// Goes on only if another check passes: code that computes nothing breaks no law and no limit. What
// would have stopped that one is no reason any more.
#define LAB_AFTER(name)          \
  Check_##name::body_of_check(); \
  heed::lab::if_stopped("");     \
  if (testing::Test::HasFailure()) return
// A check of a variation, which needs its numbers: only the tool runs it.
#define LAB_VARIATION(name) LAB_TEST(Variation, name)
// The numbers of the lab's figure: a function body that calls print_curves(); and those of its
// page, which not every lab has.
#define LAB_FIGURE() void heed::lab::figure()
#define LAB_SHOW() void heed::lab::show()

namespace heed::lab {

#ifdef __SANITIZE_ADDRESS__  // which catches crashes, and sees what lies behind a block, itself
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Of this run: --seed=N, else drawn.
uint64_t seed();

// Of the student's variation (docs/teaching.md): the numbers of --numbers=1.5,3 in their order.
double number(size_t index);

// Whether something stands behind each block of memory (memory.cc): not where memory is counted.
extern bool guards_blocks;
extern bool fenced;  // in the second run of a check
// Whether a check fails where each run leaves more memory behind: not where kernels are emulated.
extern bool judges_leaks;
// Calls of operator new, in the whole program; a sanitizer has its own, which does not count.
// Blocks of malloc() and the like, and so of operator new, that were not given back.
extern std::atomic<int64_t> allocations, held;
// Whether what `new[]` gave went by `delete`, or what `new` gave by `delete[]`.
extern std::atomic<bool> mixes_deletes;

// Inputs and their shapes, from the seed of the run and the name of the check: the next call gives
// other numbers. A grader's secret seed so brings shapes that a student has not seen.
class Draw {
 public:
  Draw();
  int64_t between(int64_t low, int64_t high);  // both included; sizes are drawn with it
  double uniform(double low, double high);
  Tensor normal(Shape shape, DType dtype = DType::f64);
  std::vector<int32_t> ids(int64_t count, int64_t below);
  Rng& rng() { return rng_; }

 private:
  Rng rng_;
};

// Full of kUnwritten. All other memory that an allocation gives is full of NaN, with some behind
// its end (fresh() in memory.cc), so that what adds to it, or reads past an end, shows, whoever has
// allocated it.
Tensor unwritten(Shape shape, DType dtype = DType::f64);
// Runs a check, and, if it passes, once more with memory that ends where a page begins that nobody
// may touch: so what writes past an end, or reads there and makes nothing of it, does not pass.
void run_check(void (*body)());

// A failure with an explanation unless `got` is close to `want`: diagnose() of both.
void expect_close(const std::string& what, const Tensor& got, const Tensor& want,
                  const Expected& expected = {});
// The same of what was added to `before`, a gradient that was not empty.
void expect_added(const std::string& what, const Tensor& got, const Tensor& before,
                  const Tensor& want, Expected expected = {});
// What expect_close() tells of its tensors, if the program was asked for pictures of them.
void compared(const std::string& what, const Tensor& got, const Tensor& want,
              const Expected& expected);
// A failure that says what is wrong, and why that matters.
void expect(bool ok, const std::string& what_is_wrong);

// What between() and uniform() gave since the last call, up to 16 numbers.
std::vector<double> take_drawn();

// What to say if this check crashes or does not end: the likeliest reason. To be called before.
void if_stopped(const std::string& reason);

// d sum(weights * f(x)) / dx by central differences, f64: (F(x + h) - F(x - h)) / 2h for each
// element of x. The labs have their own because check_gradient() is the subject of one.
Tensor central_differences(const std::function<double(const Tensor&)>& f, const Tensor& x,
                           double h = 1e-5);

// ---- the figure

void figure();              // defined by LAB_FIGURE() in the lab's figure.cc
[[gnu::weak]] void show();  // and by LAB_SHOW() in show.cc
// Curves over common x values, to be drawn by the tool, and numbers that belong to all of them.
void print_curves(const std::string& title, const std::string& x_label, const std::string& y_label,
                  const std::vector<double>& x,
                  const std::map<std::string, std::vector<double>>& lines,
                  const std::map<std::string, double>& facts = {});

}  // namespace heed::lab
