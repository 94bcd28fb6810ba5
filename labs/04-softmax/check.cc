// Lab 4: softmax and cross entropy. Kernels are called directly; the fused loss through the op.
#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "labs/04-softmax/by_loops.h"
#include "labs/04-softmax/chunked.h"
#include "labs/support/check.h"
#include "tensor/allocator.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/softmax.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

const Tolerance kRough = {.relative = 1e-5, .absolute = 1e-8};

std::string with(double smoothing) {
  return smoothing > 0 ? ", smoothing " + std::to_string(smoothing).substr(0, 3) : "";
}

struct Size {
  int64_t rows, cols;
};

// At least two rows have different ones.
std::vector<int32_t> draw_targets(Draw& draw, const Size& size) {
  std::vector<int32_t> targets = draw.ids(size.rows, size.cols);
  if (targets[1] == targets[0]) targets[1] = static_cast<int32_t>((targets[0] + 1) % size.cols);
  return targets;
}

Size draw_size(Draw& draw) {
  return {draw.between(2, 5), draw.between(3, 9)};
}

template <class T> Tensor softmax_of(const Tensor& x) {
  const Tensor y = unwritten(x.shape(), x.dtype());
  const int64_t cols = x.shape().back();
  cpu::softmax_forward(y.data<T>(), x.data<T>(), x.numel() / cols, cols);
  return y;
}

// ---- task: softmax

LAB_CHECK(Softmax) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), want = softmax_by_loops(x);
  const Tensor powers = map(x, x, [](double v, double) { return std::exp(v); });
  const Tensor of_all = softmax_by_loops(x.reshape({1, x.numel()})).reshape(x.shape());
  expect_close("softmax(x)", softmax_of<double>(x), want,
               {.tolerance = {.relative = 1e-12},
                .suspects = {{"exp(x), not divided by the sum of the row", powers},
                             {"exp(x) divided by the mean of the row, not its sum",
                              times(static_cast<double>(size.cols), want)},
                             {"exp(x) divided by the sum of all rows", of_all},
                             {"softmax(-x): a sign is wrong", softmax_by_loops(times(-1, x))},
                             {"ln softmax(x)", log_softmax_by_loops(x)}},
                .law = "all are positive, and each row adds up to 1"});
}

LAB_CHECK(ConstantsDoNotMatter) {
  LAB_AFTER(Softmax);
  Draw draw;
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
}

LAB_CHECK(RowsAndThreadsDoNotMatter) {
  LAB_AFTER(Softmax);
  Draw draw;
  const int64_t rows = draw.between(200, 300), cols = draw.between(90, 120);
  const Tensor x = draw.normal({rows, cols}, DType::f32);
  const int before = num_threads();
  set_num_threads(1);
  const Tensor alone = softmax_of<float>(x);
  set_num_threads(3);
  const Tensor together = softmax_of<float>(x);
  set_num_threads(before);
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
}

LAB_CHECK(GradientAddsUpToZero) {
  LAB_AFTER(GradientOfSoftmax);
  Draw draw;
  const Size size = draw_size(draw);
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

Tensor log_softmax_of(const Tensor& x) {
  const Tensor y = unwritten(x.shape());
  cpu::log_softmax_forward(y.data<double>(), x.data<double>(), x.shape()[0], x.shape()[1]);
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
      {.tolerance = exact,
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
  const Tensor far = x.clone();  // one that is surely 2000 below the others of its row
  far.data<double>()[draw.between(0, x.numel() - 1)] -= 2000;
  expect_close("ln softmax(x), one logit 2000 below the others", log_softmax_of(far),
               log_softmax_by_loops(far),
               {.tolerance = exact,
                .law = "a probability of exp(-2000) is 0 in f64, its logarithm is -2000",
                .not_finite = "exp(-2000) is 0 in f64: is the logarithm taken of the softmax?"});
  const double spread = draw.uniform(1000, 3000);
  const Tensor large = times(spread, x);
  expect_close("ln softmax(x), x in the thousands", log_softmax_of(large),
               log_softmax_by_loops(large),
               {.tolerance = exact,
                .law = "ln of a sum of exponentials: exp(1000) is infinite, exp(-1000) is 0. Which "
                       "number makes every exponent safe, and comes back where?"});
}

LAB_CHECK(GradientOfLogSoftmax) {
  Draw draw;
  const Size size = draw_size(draw);
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
}

// ---- task: cross_entropy

Tensor losses_of(const Tensor& x, const std::vector<int32_t>& targets, double smoothing) {
  const Tensor loss = unwritten({x.shape()[0]});
  cpu::cross_entropy_forward(loss.data<double>(), x.data<double>(), targets.data(), smoothing,
                             x.shape()[0], x.shape()[1]);
  return loss;
}

LAB_CHECK(CrossEntropy) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols});
  const std::vector<int32_t> targets = draw_targets(draw, size);
  for (const double smoothing : {0.0, 0.1}) {
    expect_close("the loss of each row" + with(smoothing), losses_of(x, targets, smoothing),
                 losses_by_loops(x, targets, smoothing),
                 {.tolerance = {.relative = 1e-11, .absolute = 1e-11},
                  .suspects = wrong_losses(x, targets, smoothing),
                  .law = "-ln softmax(x)_target, and smoothed() adds what smoothing asks for"});
  }
}

LAB_CHECK(CrossEntropyOfLargeLogits) {
  const Tensor x = Tensor::of({{2000, 0, -2000}, {-5000, -5010, -5020}}, DType::f64);
  const std::vector<int32_t> targets = {2, 0};
  expect_close("the loss of rows with logits in the thousands", losses_of(x, targets, 0),
               Tensor::of({4000, std::log1p(std::exp(-10) + std::exp(-20))}, DType::f64),
               {.suspects = wrong_losses(x, targets, 0),
                .law = "ln of a sum of exponentials: exp(2000) is infinite, exp(-5000) is 0. Which "
                       "number makes every exponent safe, and comes back where?"});
}

LAB_CHECK(GradientOfCrossEntropy) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), dloss = draw.normal({size.rows});
  const std::vector<int32_t> targets = draw_targets(draw, size);
  for (const double smoothing : {0.0, 0.2}) {
    const Tensor want = central_differences(
        [&](const Tensor& at) { return loss_by_loops(at, targets, smoothing, dloss); }, x);
    const Expected expected = {
        .tolerance = kRough,
        .suspects = wrong_gradients(x, targets, smoothing, dloss),
        .law =
            "each row of dx adds up to 0. With smoothing e the target has 1 - e + e/C "
            "and all others e/C"};
    const auto run = [&](const Tensor& dx, Write write) {
      cpu::cross_entropy_backward(Out<double>(dx.data<double>(), write), x.data<double>(),
                                  targets.data(), smoothing, dloss.data<double>(), size.rows,
                                  size.cols);
      return dx;
    };
    expect_close("dx" + with(smoothing), run(unwritten(x.shape()), Write::assign), want, expected);
    const Tensor before = draw.normal(x.shape());
    expect_added("dx" + with(smoothing), run(before.clone(), Write::add), before, want, expected);
  }
}

// ---- task: in_place

// What smoothed() adds where it gets the logit of the target and a row of exponentials.
Tensor half_late(const Tensor& logits, const Tensor& powers, const std::vector<int32_t>& targets,
                 double smoothing) {
  std::vector<double> found;
  for (size_t r = 0; r < targets.size(); ++r) {
    const std::vector<double> row = powers[r].to_vector();
    const double mean =
        std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
    found.push_back(smoothing * (logits[r].to_vector()[targets[r]] - mean));
  }
  return Tensor::from(found, {std::ssize(found)});
}

// With and without smoothing, weights, and a memory of its own for the loss.
void check_in_place(Draw& draw, double smoothing, bool weighted, bool same_memory) {
  const Size size = draw_size(draw);
  const Tensor logits = draw.normal({size.rows, size.cols}), x = logits.clone();
  const Tensor weights =
      weighted ? draw.normal({size.rows}) : Tensor::full({size.rows}, 1, DType::f64);
  const std::vector<int32_t> targets = draw_targets(draw, size);
  const Tensor nll = unwritten({size.rows}), loss = same_memory ? nll : unwritten({size.rows});
  const std::string how = with(smoothing) + (weighted ? "" : ", weights null") +
                          (same_memory ? ", loss and nll in the same memory" : "");
  if_stopped(weighted ? "" : "weights is null here, where each row counts once.");
  cpu::cross_entropy_in_place(nll.data<double>(), loss.data<double>(), x.data<double>(),
                              targets.data(), weighted ? weights.data<double>() : nullptr,
                              smoothing, size.rows, size.cols);
  // What is read late: exp(x - max) stands where the logits were.
  const Tensor powers = logits.clone(), late = zeros_like(nll), later = zeros_like(nll),
               want_nll = losses_by_loops(logits, targets, 0),
               plain = losses_by_loops(logits, targets, smoothing), extra = minus(plain, want_nll);
  for (int64_t r = 0; r < size.rows; ++r) {
    double* const row = powers.data<double>() + r * size.cols;
    const double max = *std::max_element(row, row + size.cols), t = row[targets[r]];
    double mean = 0;
    for (int64_t i = 0; i < size.cols; ++i) {
      mean += (row[i] = std::exp(row[i] - max)) / static_cast<double>(size.cols);
    }
    late.data<double>()[r] = want_nll.data<double>()[r] + t - row[targets[r]];
    later.data<double>()[r] = smoothing * (row[targets[r]] - mean);
  }
  const Tolerance exact = {.relative = 1e-11, .absolute = 1e-11};
  Suspects of_nll = wrong_losses(logits, targets, 0);
  of_nll.emplace_back(
      "made with an exponential for the logit of the target: the logits are gone "
      "once their exponentials are there, so it is read before",
      late);
  of_nll.emplace_back("the loss with smoothing, which nll is without", plain);
  of_nll.emplace_back("the weighted loss: nll has no weights", times(weights, want_nll));
  expect_close("nll" + how, nll, want_nll,
               {.tolerance = exact,
                .suspects = of_nll,
                .law = "-ln softmax(x)_target, without weights and smoothing"});
  if (testing::Test::HasFailure()) return;
  expect_close(
      "loss" + how, loss, times(weights, plain),
      {.tolerance = exact,
       .suspects =
           {{"the loss without the weights of the rows", plain},
            {"the loss without smoothing", times(weights, want_nll)},
            {"made with weights of the loss, but not of what smoothing adds",
             plus(times(weights, want_nll), extra)},
            {"made with what smoothing adds taken away", times(weights, minus(want_nll, extra))},
            {"made with smoothed() of exponentials: the logits are gone once their "
             "exponentials are there, so what it reads is read before",
             times(weights, plus(want_nll, later))},
            {"made with smoothed() of exponentials and the right target: the logits are "
             "gone once their exponentials are there, so what it reads is read before",
             times(weights, plus(want_nll, half_late(logits, powers, targets, smoothing)))}},
       .law = "the weight of a row times nll and what smoothed() adds"});
  Suspects of_x = wrong_gradients(logits, targets, smoothing, weights);
  of_x.emplace_back("still the logits", logits);
  of_x.emplace_back("exp(x - max), not yet the gradient", powers);
  expect_close(
      "the gradient in the place of the logits" + how, x,
      central_differences(
          [&](const Tensor& at) { return loss_by_loops(at, targets, smoothing, weights); }, logits),
      {.tolerance = kRough,
       .suspects = of_x,
       .law = "the logits of a row are gone once its exponentials are there: what is needed of "
              "them has to be read before"});
}

LAB_CHECK(LossAndGradientAtOnce) {
  Draw draw;
  for (const double smoothing : {0.0, 0.1}) {
    for (const bool weighted : {true, false}) check_in_place(draw, smoothing, weighted, false);
  }
  check_in_place(draw, 0, false, true);
}

// ---- task: fused

struct Result {
  Tensor total, nll, dx, dw;
};

enum class Wanted { kBoth, kX, kW };

Result fused(const Tensor& x, const Tensor& w, const std::vector<int32_t>& targets,
             double smoothing = 0, const Tensor& weights = {}, Wanted wanted = Wanted::kBoth) {
  const Var px = wanted == Wanted::kW ? Var(x) : Var::parameter(x),
            pw = wanted == Wanted::kX ? Var(w) : Var::parameter(w);
  const CrossEntropy loss = linear_cross_entropy(px, pw, Tensor::from(targets), smoothing, weights);
  loss.total.backward();
  return {loss.total.value(), loss.nll, wanted == Wanted::kW ? Tensor() : px.grad(),
          wanted == Wanted::kX ? Tensor() : pw.grad()};
}

Tensor logits_by_loops(const Tensor& x, const Tensor& w) {
  const int64_t rows = x.shape()[0], cols = w.shape()[0], width = x.shape()[1];
  std::vector<double> logits(rows * cols);
  const std::vector<double> left = x.to_vector(), right = w.to_vector();
  for (int64_t i = 0; i < rows * cols; ++i) {
    for (int64_t k = 0; k < width; ++k) {
      logits[i] += left[i / cols * width + k] * right[i % cols * width + k];
    }
  }
  return Tensor::from(logits, {rows, cols});
}

LAB_CHECK(FusedEqualsParts) {
  Draw draw;
  const int64_t rows = draw.between(2, 5), cols = draw.between(3, 7), width = draw.between(2, 4);
  const Tensor x = draw.normal({rows, width}), w = draw.normal({cols, width}),
               drawn = draw.normal({rows}), logits = logits_by_loops(x, w);
  const std::vector<int32_t> targets = draw_targets(draw, {rows, cols});
  for (const double smoothing : {0.0, 0.1}) {
    for (const bool weighted : {false, true}) {
      const Tensor weights = weighted ? drawn : Tensor::full({rows}, 1, DType::f64);
      const auto loss = [&](const Tensor& left, const Tensor& right) {
        return loss_by_loops(logits_by_loops(left, right), targets, smoothing, weights);
      };
      const auto total = [&](double e, const Tensor& of) {
        return Tensor::full({1}, loss_by_loops(logits, targets, e, of), DType::f64);
      };
      const auto dx = [&](double e, const Tensor& of) {
        return central_differences(
            [&](const Tensor& at) { return loss_by_loops(logits_by_loops(at, w), targets, e, of); },
            x);
      };
      const Tensor one = Tensor::full({rows}, 1, DType::f64), want_dx = dx(smoothing, weights),
                   want_dw = central_differences([&](const Tensor&at) { return loss(x, at); }, w);
      for (const Wanted wanted : {Wanted::kBoth, Wanted::kX, Wanted::kW}) {
        const std::string how = with(smoothing) + (weighted ? ", weighted" : "") +
                                (wanted == Wanted::kX   ? ", only dx wanted"
                                 : wanted == Wanted::kW ? ", only dW wanted"
                                                        : "");
        if_stopped(wanted == Wanted::kX   ? "dW is not wanted here: then dw1 is undefined."
                   : wanted == Wanted::kW ? "dx is not wanted here: then dx1 is undefined."
                   : !weighted            ? "There are no weights here: the tensor is undefined, "
                                            "and what the kernel gets is null."
                                          : "");
        const Result got = fused(x, w, targets, smoothing, weighted ? weights : Tensor(), wanted);
        expect_close("nll" + how, got.nll, losses_by_loops(logits, targets, 0),
                     {.suspects = wrong_losses(logits, targets, 0),
                      .law = "what the kernel gives for the logits x W^T"});
        expect_close(
            "the total" + how, got.total.reshape({1}), total(smoothing, weights),
            {.suspects = {{"the total without smoothing", total(0, weights)},
                          {"the total without the weights of the rows", total(smoothing, one)},
                          {"the total without weights and smoothing", total(0, one)}}});
        if (wanted != Wanted::kW) {
          expect_close("dx" + how, got.dx, want_dx,
                       {.tolerance = kRough,
                        .suspects = {{"made without smoothing", dx(0, weights)},
                                     {"made without the weights of the rows", dx(smoothing, one)}},
                        .law = "dx comes from the gradient of the logits, times W"});
        }
        if (wanted != Wanted::kX) {
          expect_close("dW" + how, got.dw, want_dw,
                       {.tolerance = kRough,
                        .law = "dW comes from the gradient of the logits, transposed, times x"});
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// 520 to 640 rows of 33 000 logits: three chunks of at most 256. What is expected is the losses by
// loops, and how they change: of some rows of x, and of W the classes that are targets of some.
LAB_CHECK(ChunksAddUp) {
  LAB_AFTER(FusedEqualsParts);
  Draw draw;
  constexpr int64_t kCols = 33000, kChunk = 256, kWidth = 2;
  constexpr double kSmoothing = 0.1;
  const int64_t count = draw.between(520, 640);
  const Tensor x = draw.normal({count, kWidth}, DType::f32),
               w = draw.normal({kCols, kWidth}, DType::f32),
               weights = draw.normal({count}, DType::f32);
  const std::vector<int32_t> targets = draw.ids(count, kCols);
  const Result got = fused(x, w, targets, kSmoothing, weights);
  const Chunked by_loops(x, w, targets, kSmoothing, weights);
  const Tolerance f32 = {.relative = 1e-3, .absolute = 1e-4};
  std::vector<int32_t> repeated = targets;
  for (int64_t r = kChunk; r < count; ++r) repeated[r] = targets[r % kChunk];
  expect_close("nll of all rows", got.nll.to(DType::f64), by_loops.nll(targets),
               {.tolerance = f32,
                .suspects = {{"made with the targets of the first chunk in all chunks",
                              by_loops.nll(repeated)}},
                .law = "each chunk has rows and targets of its own"});
  const std::vector<int64_t> rows = {0,
                                     kChunk - 1,
                                     kChunk,
                                     kChunk + 1,
                                     2 * kChunk - 1,
                                     2 * kChunk,
                                     count - 1,
                                     draw.between(1, count - 2)};
  expect_close("dx of rows on both sides of each chunk's end", gathered(got.dx, rows),
               by_loops.dx(rows),
               {.tolerance = f32, .law = "dx of a chunk belongs into the rows of this chunk"});
  std::vector<int64_t> classes;
  for (int64_t r = 0; r < count; r += 29) classes.push_back(targets[r]);
  const Tensor dw = by_loops.dw(classes, 0, count);
  expect_close(
      "dW of " + std::to_string(classes.size()) + " classes, over several chunks",
      gathered(got.dw, classes), dw,
      {.tolerance = f32,
       .suspects = {{"that of the last chunk alone: assigned where it has to be added",
                     by_loops.dw(classes, 2 * kChunk, count)},
                    {"that of the first chunk alone", by_loops.dw(classes, 0, kChunk)},
                    {"that of all chunks but the first", by_loops.dw(classes, kChunk, count)},
                    {"that of full chunks alone: the last one is shorter",
                     by_loops.dw(classes, 0, count - count % kChunk)}},
       .law = "dW is the sum over all rows, of all chunks"});
}

LAB_CHECK(MemoryStaysBelowTheLogits) {
  LAB_AFTER(FusedEqualsParts);
  Draw draw;
  constexpr int64_t kCols = 40000;
  const int64_t count = draw.between(1000, 1200);
  const Tensor x = draw.normal({count, 2}, DType::f32), w = draw.normal({kCols, 2}, DType::f32);
  const std::vector<int32_t> targets = draw.ids(count, kCols);
  release_cached();
  const int64_t before = memory_stats().bytes_in_use, logits = count * kCols * 4;
  reset_peak();
  fused(x, w, targets);
  const double share =
      static_cast<double>(memory_stats().peak_bytes - before) / static_cast<double>(logits);
  expect(share < 0.6, "the peak is " + text(share) +
                          " times the bytes of all logits: only one chunk of them may "
                          "exist at a time, and its gradient takes the same memory.");
}

}  // namespace
}  // namespace heed::lab
