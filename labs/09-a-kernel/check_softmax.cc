// Lab 9, tasks softmax, softmax_gradient and log_softmax.
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "labs/09-a-kernel/bench.h"

namespace heed::lab {
namespace {

using Forward = void (*)(Float*, const Float*, int64_t, int64_t);

// What a kernel makes of x (rows, cols); undefined if the emulation stopped it.
Tensor forward(Bench& bench, Forward kernel, const Values& x, Size size) {
  const Float* const in = bench.put("x", x);
  Float* const y = bench.unwritten("y", size.count());
  if (!bench.run([&] { kernel(y, in, size.rows, size.cols); })) return {};
  return tensor(bench.get("y"), size.shape());
}

// What softmax makes of x; undefined after a failure.
Tensor checked_softmax(Bench& bench, const Values& x, Size size) {
  const Tensor y = forward(bench, softmax, x, size);
  if (!y.defined()) return {};
  const Tensor want = by_loops(tensor(x, size.shape()), false), powers = want.clone();
  for (int64_t i = 0; i < size.count(); ++i) powers.data<double>()[i] = std::exp(x[i]);
  const Tensor even = Tensor::full(size.shape(), 1.0 / static_cast<double>(size.cols), DType::f64);
  expect_close("softmax(x)", y, want,
               {.tolerance = kFloat,
                .suspects = {{"exp(x), not divided by the sum of the row", powers},
                             {"1 over the length of the row, as if all its numbers were the same: "
                              "from each x comes the largest of the row, and not itself",
                              size.cols > 1 ? even : Tensor::zeros({0}, DType::f64)},
                             {"x itself", tensor(x, size.shape())}},
                .law = "all are positive, and each row adds up to 1"});
  return testing::Test::HasFailure() ? Tensor() : y;
}

LAB_CHECK(Softmax) {
  Draw draw;
  for (const Size& size : draw_sizes(draw)) {
    Bench bench;
    if (!checked_softmax(bench, draw_values(draw, size.count()), size).defined()) return;
  }
}

// Below all that a maximum could begin with: all exponents but that of the largest are far below 0.
Values draw_lowest(Draw& draw, const Size& size) {
  Values x = draw_values(draw, size.count(), 1, 2);
  for (float& v : x) v *= -1e30f;
  return x;
}
const char* const kLowest =
    "all numbers are about -1e30, and the largest of them is the maximum: with which number does "
    "your maximum begin?";

const char* const kAlike =
    "several numbers of a row may be the largest: each of them counts in the sum";

Values draw_alike(Draw& draw, const Size& size) {
  Values x = draw_values(draw, size.count());
  for (int64_t at = 0; at < size.count(); at += size.cols) x[at + 1] = x[at + size.cols - 1] = 3;
  return x;
}

// A row for which each thread has several elements, the largest of which is the last.
constexpr Size kLong{1, 1050};
Values draw_largest_last(Draw& draw) {
  Values x = draw_values(draw, kLong.count());
  x.back() += 150;
  return x;
}

void check_any_row(const std::string& what, const Values& x, Size size, const Expected& expected) {
  if (testing::Test::HasFailure()) return;
  Bench bench;
  const Tensor y = forward(bench, softmax, x, size);
  if (y.defined())
    expect_close("softmax of " + what, y, by_loops(tensor(x, size.shape()), false), expected);
}

const char* const kNothingAdded =
    "the sum of the row's exponentials is 1 here: nothing is to be added to it, as it is never 0";

// What becomes of the number of each row of far_apart() that is far above the others.
Tensor largest_of(const Tensor& y) {
  const int64_t rows = y.shape()[0];
  const Tensor largest = Tensor::zeros({rows}, DType::f64);
  for (int64_t r = 0; r < rows; ++r) largest.data<double>()[r] = y.data<double>()[r * rows + r];
  return largest;
}

// With one number far above the others.
void check_far_apart(Draw& draw) {
  if (testing::Test::HasFailure()) return;
  const FarApart far = far_apart(draw);
  Bench bench;
  const Tensor y = forward(bench, softmax, far.x, far.size);
  if (!y.defined()) return;
  expect_close("softmax of rows with one number far above the others, each in another place", y,
               by_loops(tensor(far.x, far.size.shape()), false),
               {.tolerance = kFloat, .law = kLargest, .not_finite = kLargest});
  if (testing::Test::HasFailure()) return;
  expect_close("softmax of these numbers alone", largest_of(y),
               Tensor::full({far.size.rows}, 1, DType::f64),
               {.tolerance = {.relative = 2e-7, .absolute = 0}, .law = kNothingAdded});
}

LAB_CHECK(AnyRow) {
  Draw draw;
  const Size size{3, draw.between(33, 200)};
  for (const double offset : {1e4, -1e4}) {
    Values x = draw_values(draw, size.count());
    for (float& v : x) v = std::round(v * 64) / 64 + static_cast<float>(offset);
    check_any_row(offset > 0 ? "a row of numbers about 10 000" : "a row of numbers about -10 000",
                  x, size,
                  {.tolerance = kFloat,
                   .law = "the largest of the row comes out of every exponent",
                   .not_finite = "exp(1e4) is infinite in f32, and exp(-1e4) is 0, as is a sum of "
                                 "such: the largest of the row comes out of every exponent."});
  }
  check_far_apart(draw);
  check_any_row("a long row whose last number is the largest", draw_largest_last(draw), kLong,
                {.tolerance = kFloat, .law = kLargest, .not_finite = kLargest});
  check_any_row("rows of numbers about -1e30", draw_lowest(draw, size), size,
                {.tolerance = kFloat, .law = kLowest, .not_finite = kLowest});
  check_any_row("rows of numbers from -80 to 0", draw_values(draw, size.count(), -80, 0), size,
                {.tolerance = {.relative = 1e-4, .absolute = 1e-38},
                 .law = "all are positive, also the small ones: e^-80 is a number of f32"});
  check_any_row("rows whose largest number comes twice", draw_alike(draw, size), size,
                {.tolerance = kFloat, .law = kAlike});
}

LAB_CHECK(Sectors) {
  Draw draw;
  for (const Size& size : draw_sizes(draw)) {
    Bench bench;
    if (!checked_softmax(bench, draw_values(draw, size.count()), size).defined()) return;
    bench.expect_coalesced("x");
    bench.expect_coalesced("y");
    bench.expect_shared_out("x", size.rows, size.cols);
    bench.expect_shared_out("y", size.rows, size.cols);
    bench.expect_barriers(4);
    const double reads =
        static_cast<double>(bench.of("x").lanes) / static_cast<double>(size.count());
    expect(reads < 3.5,
           "each x is read " + rounded(reads) + " times; three passes over the row are enough.");
    if (testing::Test::HasFailure()) return;
  }
}

// The gradient that a kernel makes, against central differences of the formula by loops.
void check_gradient(Draw& draw, Size size, bool log, bool adds) {
  Bench bench;
  const Tensor x = tensor(draw_values(draw, size.count()), size.shape());
  Values dy = draw_values(draw, size.count(), -1, 3);
  if (size.rows == 1) x.data<double>()[0] -= 200, dy[1] = 0;  // what is 0 has a gradient, too
  const Values y = floats(by_loops(x, log));
  const Values before = adds ? draw_values(draw, size.count()) : Values(size.count());
  const Float *const y_in = bench.put("y", y), *const dy_in = bench.put("dy", dy);
  Float* const dx = adds ? bench.put("dx", before) : bench.unwritten("dx", size.count());
  const bool ran = bench.run([&] {
    if (log) return log_softmax_gradient(dx, adds, y_in, dy_in, size.rows, size.cols);
    softmax_gradient(dx, adds, y_in, dy_in, size.rows, size.cols);
  });
  if (!ran) return;
  const Tensor gradient =
      central_differences([&](const Tensor& at) { return dot(dy, by_loops(at, log)); }, x, 1e-4);
  const Tensor want = gradient.clone(), first_term = gradient.clone(), sign = gradient.clone(),
               factor = gradient.clone(), alone = gradient.clone(), flat = gradient.clone();
  for (int64_t i = 0; i < size.count(); ++i) {
    want.data<double>()[i] += before[i];
    const double first = (log ? 1.0 : double{y[i]}) * dy[i];
    first_term.data<double>()[i] = first + before[i];
    sign.data<double>()[i] = 2 * first_term.data<double>()[i] - want.data<double>()[i];
    const double second = gradient.data<double>()[i] - first, exp = std::exp(double{y[i]});
    factor.data<double>()[i] =
        (log ? first + second * y[i] / exp : (first + second) / y[i]) + before[i];
    const auto row = dy.begin() + i / size.cols * size.cols;
    const double sum = std::accumulate(row, row + size.cols, 0.0);
    alone.data<double>()[i] = (log ? 1 - exp : 1.0 - y[i]) * first + before[i];
    flat.data<double>()[i] = y[i] * (dy[i] - sum) + before[i];
  }
  expect_close(
      adds ? "dx, added to what was there" : "dx", tensor(bench.get("dx"), size.shape()), want,
      {.tolerance = {.relative = 1e-3, .absolute = 2e-5},
       .suspects = {{log ? "dy alone: the sum below the fraction depends on x, too"
                         : "y dy alone: the second term is missing",
                     first_term},
                    {log ? "dy + e^y times the sum: a sign" : "y (dy + the sum of y dy): a sign",
                     sign},
                    {log ? "dy - y times the sum: the softmax is e^y"
                         : "dy minus the sum of y dy, not times y",
                     factor},
                    {log ? "dy (1 - e^y): the other dy of the row count, too"
                         : "y (1 - y) dy: the other dy of the row count, too",
                     alone},
                    {"made with the sum of dy, where the sum is of y dy",
                     log ? Tensor::zeros({0}, DType::f64) : flat},
                    {"right, but assigned: dx.put() adds where it has to", gradient}},
       .law = "each row of dx adds up to 0: adding a constant to x does not change y"});
  if (testing::Test::HasFailure()) return;
  for (const char* const array : {"dy", "dx"}) {
    bench.expect_coalesced(array);
    bench.expect_shared_out(array, size.rows, size.cols);
  }
}

void check_gradients(bool log) {
  Draw draw;
  for (const bool adds : {false, true}) {
    for (const int64_t cols :
         {draw.between(2, 31), draw.between(130, 150), int64_t{1}, 32 * draw.between(1, 4),
          draw.between(260, 300), draw.between(1030, 1100)}) {
      check_gradient(draw, {cols < 32 ? 3 : cols < 1000 ? 2 : 1, cols}, log, adds);
      if (testing::Test::HasFailure()) return;
    }
  }
}

LAB_CHECK(GradientOfSoftmax) {
  check_gradients(/*log=*/false);
}

// The mistake x - max + ln(sum), where x - max - ln(sum) is wanted.
Tensor with_a_sign(const Values& x, const Tensor& want, const Size& size) {
  const Tensor y = want.clone();
  for (int64_t at = 0; at < size.count(); at += size.cols) {
    const float max = *std::max_element(x.begin() + at, x.begin() + at + size.cols);
    for (int64_t i = at; i < at + size.cols; ++i) {
      y.data<double>()[i] = 2.0 * (x[i] - max) - want.data<double>()[i];
    }
  }
  return y;
}

void check_log_softmax(const Values& x, const Size& size, Expected expected) {
  Bench bench;
  const Tensor y = forward(bench, log_softmax, x, size);
  if (!y.defined()) return;
  expect_close("ln softmax(x)", y, by_loops(tensor(x, size.shape()), true), expected);
  for (const char* const array : {"x", "y"}) {
    if (testing::Test::HasFailure()) return;
    bench.expect_coalesced(array);
    bench.expect_shared_out(array, size.rows, size.cols);
  }
}

void check_largest_of_log(const FarApart& far) {
  Bench bench;
  const Tensor y = forward(bench, log_softmax, far.x, far.size);
  if (!y.defined()) return;
  const Tensor above = largest_of(y);  // 1 + y, as e^y nearly is
  for (int64_t r = 0; r < above.numel(); ++r) above.data<double>()[r] += 1;
  expect_close("1 + ln softmax of the largest number of each row", above,
               Tensor::full(above.shape(), 1, DType::f64),
               {.tolerance = {.relative = 2e-7, .absolute = 0}, .law = kNothingAdded});
}

LAB_CHECK(LogSoftmax) {
  Draw draw;
  const std::vector<Size> sizes = draw_sizes(draw);
  for (const Size& size : sizes) {
    if (size.cols == 1) continue;  // below
    const Values x = draw_values(draw, size.count());
    const Tensor want = by_loops(tensor(x, size.shape()), true);
    check_log_softmax(
        x, size,
        {.tolerance = kFloat,
         .suspects = {{"x - max + the logarithm of the sum: a sign", with_a_sign(x, want, size)}},
         .law = "x_i - max - ln of the sum of all e^(x_j - max) of its own row"});
    if (testing::Test::HasFailure()) return;
  }
  const std::string or_a_logarithm =
      text(kLargest, " Or is the logarithm of an exponential taken? ln 0 is -infinity.");
  const FarApart far = far_apart(draw);
  check_log_softmax(far.x, far.size,
                    {.tolerance = kFloat, .law = kLargest, .not_finite = or_a_logarithm});
  if (testing::Test::HasFailure()) return;
  check_largest_of_log(far);
  if (!testing::Test::HasFailure()) {
    check_log_softmax(draw_largest_last(draw), kLong,
                      {.tolerance = kFloat, .law = kLargest, .not_finite = or_a_logarithm});
  }
  for (const Size& size : sizes) {
    if (testing::Test::HasFailure()) return;
    // Of most rows some exponentials are 0 in f32.
    check_log_softmax(
        draw_values(draw, size.count(), -200, 200), size,
        {.tolerance = kFloat,
         .law = "x - max can be small where both are large: it is taken first, and no "
                "exponential whose logarithm is taken",
         .not_finite = "exp(-200) is 0 in f32, and ln 0 is -infinity, where -200 is right: no "
                       "exponential whose logarithm is taken."});
  }
  if (testing::Test::HasFailure()) return;
  const Size size{3, draw.between(33, 200)};
  check_log_softmax(draw_lowest(draw, size), size,
                    {.tolerance = kFloat, .law = kLowest, .not_finite = kLowest});
  if (testing::Test::HasFailure()) return;
  check_log_softmax(draw_alike(draw, size), size, {.tolerance = kFloat, .law = kAlike});
}

LAB_CHECK(GradientOfLogSoftmax) {
  check_gradients(/*log=*/true);
}

LAB_CHECK(SameBits) {
  Draw draw;
  const Size size{5, draw.between(130, 300)};
  const Values x = draw_values(draw, size.count());
  const auto bits = [&](const char* backwards) {
    ::setenv("EMULATOR_BACKWARDS", backwards, 1);
    Bench bench;
    const Tensor y = checked_softmax(bench, x, size);
    ::unsetenv("EMULATOR_BACKWARDS");
    return y;
  };
  const Tensor once = bits("0"), again = bits("1");
  if (!once.defined() || !again.defined()) return;
  expect_close("softmax(x), the blocks in the other order", again, once,
               {.tolerance = {.relative = 0, .absolute = 0},
                .law = "a result must not depend on which block is first",
                .want = "yours",
                .got = "yours, the blocks in the other order"});
}

}  // namespace
}  // namespace heed::lab
