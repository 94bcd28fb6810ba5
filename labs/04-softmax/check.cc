// Lab 4, first part: softmax and its logarithm. Kernels are called directly; check_losses.cc and
// check_fused.cc have the rest.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

#include "labs/04-softmax/by_loops.h"
#include "labs/support/check.h"
#include "tensor/kernels/softmax.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

template <class T> Tensor softmax_of(const Tensor& x) {
  const Tensor y = unwritten(x.shape(), x.dtype());
  const int64_t cols = x.shape().back();
  cpu::softmax_forward(y.data<T>(), x.data<T>(), x.numel() / cols, cols);
  return y;
}

// ---- task: softmax

// y = exp(x - max) / (sum + little), where `y` are those without it.
Tensor more_below(const Tensor& y, const Tensor& x, double little) {
  const Tensor found = y.clone();
  for (int64_t r = 0; r < x.shape()[0]; ++r) {
    const std::vector<double> row = x[r].to_vector();
    const double max = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const double v : row) sum += std::exp(v - max);
    for (int64_t i = 0; i < std::ssize(row); ++i) {
      found.data<double>()[r * std::ssize(row) + i] *= sum / (sum + little);
    }
  }
  return found;
}

LAB_CHECK(Softmax) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), want = softmax_by_loops(x);
  const Tensor powers = map(x, x, [](double v, double) { return std::exp(v); });
  const Tensor of_all = softmax_by_loops(x.reshape({1, x.numel()})).reshape(x.shape());
  Suspects suspects = {{"exp(x), not divided by the sum of the row", powers},
                       {"exp(x) divided by the mean of the row, not its sum",
                        times(static_cast<double>(size.cols), want)},
                       {"exp(x) divided by the sum of all rows", of_all},
                       {"softmax(-x): a sign is wrong", softmax_by_loops(times(-1, x))},
                       {"ln softmax(x)", log_softmax_by_loops(x)}};
  for (const double little : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12}) {
    suspects.emplace_back(
        "divided by a little more than the sum: nothing is to be added to it, as one of its terms "
        "is exp(0) = 1",
        more_below(want, x, little));
  }
  expect_close(
      "softmax(x)", softmax_of<double>(x), want,
      {.tolerance = {.relative = 1e-13, .absolute = 0},
       .suspects = suspects,
       .law = "y_i = exp(x_i) / sum_j exp(x_j): all are positive, and each row adds up to 1"});
}

LAB_CHECK(ConstantsDoNotMatter) {
  LAB_AFTER(Softmax);
  Draw draw;
  const Tensor small = Tensor::of({{0, -draw.uniform(25, 40), -300}}, DType::f64);
  expect_close("softmax of numbers of which the first is by far the largest",
               softmax_of<double>(small), softmax_by_loops(small),
               {.tolerance = {.relative = 1e-11, .absolute = 0},
                .law = "a probability of 10^-12 is small, and no 0: it is exp(x_i - max) over the "
                       "sum, as all are. It is not rounded to a bound, and not 1 less the others, "
                       "which has no digits of it"});
  if (testing::Test::HasFailure()) return;
  const Tensor many = Tensor::zeros({1, draw.between(1100, 1300)}, DType::f64);
  for (int64_t i = 1; i < many.numel(); ++i) many.data<double>()[i] = draw.uniform(-20, -17);
  expect_close("softmax of many small numbers, and one large one", softmax_of<double>(many),
               softmax_by_loops(many),
               {.tolerance = {.relative = 1e-11, .absolute = 0},
                .law = "each row adds up to 1: every exponential is in the sum, also a small one"});
  if (testing::Test::HasFailure()) return;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}, DType::f32), moved = x.clone();
  for (int64_t i = 0; i < x.numel(); ++i) {  // so that x + 10^4 is exact in f32
    x.data<float>()[i] = std::round(x.data<float>()[i] * 64) / 64;
  }
  for (const float constant : {1.0f, -100.0f, 100.0f, 1e4f, -1e4f}) {
    for (int64_t i = 0; i < x.numel(); ++i) moved.data<float>()[i] = x.data<float>()[i] + constant;
    expect_close("softmax(x + " + std::to_string(static_cast<int>(constant)) + ") in f32",
                 softmax_of<float>(moved), softmax_by_loops(x).to(DType::f32),
                 {.tolerance = {.relative = 2e-6, .absolute = 1e-12},
                  .law = "adding the same number to a whole row changes nothing: exp(x + c) = "
                         "exp(x) exp(c). Which c makes every exponent safe?"});
  }
  if (testing::Test::HasFailure()) return;
  const Tensor apart = far_apart(draw);
  expect_close("softmax of numbers that are 1500 apart", softmax_of<double>(apart),
               softmax_by_loops(apart),
               {.tolerance = {.relative = 1e-11, .absolute = 1e-12},
                .law = kLargest,
                .not_finite = kLargest});
  if (testing::Test::HasFailure()) return;
  expect_close("softmax of rows of one number", softmax_of<double>(draw.normal({3, 1})),
               Tensor::full({3, 1}, 1, DType::f64), {.law = "each row adds up to 1"});
}

LAB_CHECK(RowsAndThreadsDoNotMatter) {
  LAB_AFTER(Softmax);
  Draw draw;
  const int64_t rows = draw.between(60, 90), cols = draw.between(1100, 1300);
  const Tensor x = draw.normal({rows, cols}, DType::f32);
  const int before = num_threads();
  set_num_threads(1);
  const Tensor alone = softmax_of<float>(x);
  set_num_threads(3);
  Tensor together = softmax_of<float>(x);
  // What threads share by mistake shows when they meet there: not in every call. A softmax by n^2
  // exponentials is slow and right, so only for a while.
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 2;
  for (int i = 0; i < 300 && std::clock() < end &&
                  std::memcmp(together.raw(), alone.raw(), alone.bytes()) == 0;
       ++i) {
    together = softmax_of<float>(x);
  }
  set_num_threads(before);
  expect_close("softmax of long rows in f32", alone.to(DType::f64),
               softmax_by_loops(x.to(DType::f64)),
               {.tolerance = {.relative = 1e-4}, .law = "each row adds up to 1, also a long one"});
  const Tolerance same = {.relative = 0, .absolute = 0};
  expect_close("softmax(x)", together, alone,
               {.tolerance = same,
                .law = "a result must not depend on the number of threads",
                .want = "yours by one thread",
                .got = "yours by three"});
  const int64_t row = draw.between(0, rows - 1);
  expect_close("softmax of one row alone", softmax_of<float>(x.rows(row, row + 1)),
               alone.rows(row, row + 1),
               {.tolerance = same,
                .law = "a row must not depend on its neighbours",
                .want = "yours, among others",
                .got = "yours, alone"});
}

// ---- task: softmax_gradient

LAB_CHECK(GradientOfSoftmax) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), dy = draw.normal(x.shape());
  const Tensor y = softmax_by_loops(x), dx = unwritten(x.shape());
  cpu::softmax_backward(Out<double>(dx.data<double>()), y.data<double>(), dy.data<double>(),
                        size.rows, size.cols);
  const Tensor want =
      central_differences([&](const Tensor& at) { return dot(dy, softmax_by_loops(at)); }, x);
  const Tensor parts = times(y, dy), sum = row_sums(parts);
  const double mean = 1 / static_cast<double>(size.cols);
  expect_close(
      "dx", dx, want,
      {.tolerance = kRough,
       .suspects = {{"y dy: the second term is missing. y_i also depends on the other x_j "
                     "of its row, through the sum below",
                     parts},
                    {"y (1 - y) dy: right for j = i only; y_i depends on the other x_j, too",
                     minus(parts, times(y, parts))},
                    {"right but for the sign of the second term", times(y, plus(dy, sum))},
                    {"made with a second term that has no factor y_i", minus(parts, sum)},
                    {"made without the factor y_i of both terms", minus(dy, sum)},
                    {"made with the sum of dy: each dy_j changes L through y_j, and counts so",
                     times(y, minus(dy, row_sums(dy)))},
                    {"made with a mean where the sum over the row belongs",
                     times(y, minus(dy, times(mean, sum)))}},
       .law = "write y_i = e_i / s and differentiate by x_j, first for j = i, then for "
              "j other than i"});
  if (testing::Test::HasFailure()) return;
  expect_close("dx, all digits", dx, times(y, minus(dy, sum)),
               {.tolerance = kDigits, .law = kAllDigits});
  if (testing::Test::HasFailure()) return;
  const Tensor long_y = softmax_by_loops(long_rows(draw)), d = draw.normal(long_y.shape());
  const Tensor of_long = unwritten(d.shape());
  long_y.data<double>()[0] = d.data<double>()[1] = 0;  // their gradients are written, too
  cpu::softmax_backward(Out<double>(of_long.data<double>()), long_y.data<double>(),
                        d.data<double>(), d.shape()[0], d.shape()[1]);
  expect_close("dx of long rows", of_long, times(long_y, minus(d, row_sums(times(long_y, d)))),
               {.tolerance = kDigits, .law = kAnyLength});
}

LAB_CHECK(GradientAddsUpToZero) {
  LAB_AFTER(GradientOfSoftmax);
  Draw draw;
  const Size size = {draw.between(2, 5), draw.between(18, 40)};  // longer than a block
  const Tensor y = softmax_by_loops(draw.normal({size.rows, size.cols})),
               dy = draw.normal(y.shape());
  const Tensor before = draw.normal(y.shape()), dx = before.clone();
  cpu::softmax_backward(Out<double>(dx.data<double>(), Write::add), y.data<double>(),
                        dy.data<double>(), size.rows, size.cols);
  const Tensor sums = Tensor::zeros({size.rows}, DType::f64);
  for (int64_t i = 0; i < y.numel(); ++i) {
    sums.data<double>()[i / size.cols] += dx.data<double>()[i] - before.data<double>()[i];
  }
  expect_close("the sum of what was added to dx, by row", sums, zeros_like(sums),
               {.tolerance = {.absolute = 1e-10},
                .suspects = {},
                .law = "each row of dx adds up to 0: adding a constant to x does not change y. And "
                       "dx.put() adds to what is there if it was told to"});
}

// ---- task: log_softmax

template <class T = double> Tensor log_softmax_of(const Tensor& x) {
  const Tensor y = unwritten(x.shape(), x.dtype());
  cpu::log_softmax_forward(y.data<T>(), x.data<T>(), x.shape()[0], x.shape()[1]);
  return y;
}

LAB_CHECK(LogSoftmax) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), want = log_softmax_by_loops(x),
               max = x.clone();
  for (int64_t i = 0; i < x.numel(); ++i) {
    const auto row = x[i / size.cols].to_vector();
    max.data<double>()[i] = *std::max_element(row.begin(), row.end());
  }
  const double log_cols = std::log(static_cast<double>(size.cols));
  const Tolerance exact = {.relative = 1e-12, .absolute = 1e-12};
  expect_close(
      "ln softmax(x)", log_softmax_of(x), want,
      {.tolerance = kNothingAdded,
       .suspects = {{"softmax(x), not its logarithm", softmax_by_loops(x)},
                    {"off by the maximum: what is taken out of the sum is taken from x, too",
                     plus(want, max)},
                    {"off by two maxima: the maximum has the wrong sign in one place",
                     plus(want, times(2, max))},
                    {"off by two maxima: the maximum has the wrong sign in one place",
                     minus(want, times(2, max))},
                    {"x less the maximum: the logarithm of the sum is missing", minus(x, max)},
                    {"made with the mean of the exponentials, not their sum",
                     map(want, want, [=](double v, double) { return v + log_cols; })},
                    {"right but for the sign of the logarithm",
                     minus(times(2, minus(x, max)), want)}},
       .law = "y_i = x_i - ln(sum of exp(x_j))"});
  if (testing::Test::HasFailure()) return;
  const Tensor any_length = long_rows(draw);
  expect_close("ln softmax of long rows", log_softmax_of(any_length),
               log_softmax_by_loops(any_length), {.tolerance = exact, .law = kAnyLength});
  if (testing::Test::HasFailure()) return;
  const Tensor far = x.clone();  // one that is surely far below the others of its row
  far.data<double>()[draw.between(0, x.numel() - 1)] -= 20000;
  expect_close(
      "ln softmax(x), one logit 20000 below the others", log_softmax_of(far),
      log_softmax_by_loops(far),
      {.tolerance = exact,
       .law = "a probability of exp(-20000) is 0 in f64, its logarithm is -20000",
       .not_finite =
           "exp(-20000) is 0 in f64, and exp(20000) is infinite: is the logarithm taken of the "
           "softmax, or is it not the largest number that is taken from each exponent?"});
  const double spread = draw.uniform(1000, 3000);
  const Tensor large = times(spread, x);
  expect_close("ln softmax(x), x in the thousands", log_softmax_of(large),
               log_softmax_by_loops(large),
               {.tolerance = exact,
                .law = "ln of a sum of exponentials: exp(1000) is infinite, exp(-1000) is 0. Which "
                       "number makes every exponent safe, and comes back where?"});
  if (testing::Test::HasFailure()) return;
  const Tensor apart = far_apart(draw);
  expect_close("ln softmax of numbers that are 1500 apart", log_softmax_of(apart),
               log_softmax_by_loops(apart),
               {.tolerance = exact, .law = kLargestOfLosses, .not_finite = kLargestOfLosses});
  const Tensor near = map(x, x, [](double v, double) { return 1e4 + std::round(v * 64) / 64; });
  const Tensor logs = log_softmax_by_loops(near), one_sum = near.to(DType::f32);
  for (int64_t i = 0; i < near.numel(); ++i) {  // max + ln s is x - y
    float& v = one_sum.data<float>()[i];
    v -= static_cast<float>(near.data<double>()[i] - logs.data<double>()[i]);
  }
  expect_close("ln softmax(x), x near 10000, in f32", log_softmax_of<float>(near.to(DType::f32)),
               logs.to(DType::f32),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-5},
                .suspects = {{"x - (max + ln s): in the sum of 10000 and ln s the smaller one "
                              "loses its digits, and x - max is exact",
                              one_sum}},
                .law = "x - max is exact, and small; ln s comes after it"});
}

LAB_CHECK(GradientOfLogSoftmax) {
  Draw draw;
  const Size size = {draw.between(2, 5), 2 * draw.between(9, 12) + 1};  // longer than a block
  const Tensor x = draw.normal({size.rows, size.cols}), dy = draw.normal(x.shape());
  const Tensor y = log_softmax_by_loops(x), p = softmax_by_loops(x), sum = row_sums(dy);
  const Tensor want =
      central_differences([&](const Tensor& at) { return dot(dy, log_softmax_by_loops(at)); }, x);
  const Expected expected = {
      .tolerance = kRough,
      .suspects = {{"dy alone: the sum below the fraction depends on x, too", dy},
                   {"made with y for the softmax: y is its logarithm", minus(dy, times(y, sum))},
                   {"right but for the sign of the second term", plus(dy, times(p, sum))},
                   {"made with dy_i for the sum of dy: every y_j of the row depends on x_i",
                    minus(dy, times(p, dy))},
                   {"made without the sum of dy", minus(dy, p)},
                   {"made without the softmax in the second term", minus(dy, sum)},
                   {"made with the sum of y dy, as the gradient of softmax has it",
                    minus(dy, times(p, row_sums(times(y, dy))))},
                   {"made with the gradient of softmax: y is its logarithm here",
                    times(p, minus(dy, row_sums(times(p, dy))))},
                   {"made with a mean where the sum over the row belongs",
                    minus(dy, times(1 / static_cast<double>(size.cols), times(p, sum)))}},
      .law = "y_i = x_i - ln s. What is d ln s / dx_j?"};
  const auto run = [&](const Tensor& dx, Write write) {
    cpu::log_softmax_backward(Out<double>(dx.data<double>(), write), y.data<double>(),
                              dy.data<double>(), size.rows, size.cols);
    return dx;
  };
  expect_close("dx", run(unwritten(x.shape()), Write::assign), want, expected);
  const Tensor before = draw.normal(x.shape());
  expect_added("dx", run(before.clone(), Write::add), before, want, expected);
  if (testing::Test::HasFailure()) return;
  expect_close("dx, all digits", run(unwritten(x.shape()), Write::assign), minus(dy, times(p, sum)),
               {.tolerance = kDigits, .law = kAllDigits});
  if (testing::Test::HasFailure()) return;
  const Tensor long_y = log_softmax_by_loops(long_rows(draw)), d = draw.normal(long_y.shape());
  const Tensor of_long = unwritten(d.shape());
  d.rows(0, 1).fill(0);  // so is their gradient, and it is written, too
  cpu::log_softmax_backward(Out<double>(of_long.data<double>()), long_y.data<double>(),
                            d.data<double>(), d.shape()[0], d.shape()[1]);
  const Tensor powers = map(long_y, d, [](double v, double) { return std::exp(v); });
  expect_close("dx of long rows", of_long, minus(d, times(powers, row_sums(d))),
               {.tolerance = kDigits, .law = kAnyLength});
}

}  // namespace
}  // namespace heed::lab
