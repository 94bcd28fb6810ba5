// Lab 4, second part: the loss of a row of logits, its gradient, both at once, and over chunks of
// rows.
#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "labs/04-softmax/by_loops.h"
#include "labs/04-softmax/chunked.h"
#include "labs/support/check.h"
#include "tensor/allocator.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

std::string with(double smoothing) {
  return smoothing > 0 ? ", smoothing " + std::to_string(smoothing).substr(0, 3) : "";
}

// ---- task: cross_entropy

template <class T = double>
Tensor losses_of(const Tensor& x, const std::vector<int32_t>& targets, T smoothing) {
  const Tensor loss = unwritten({x.shape()[0]}, x.dtype());
  cpu::cross_entropy_forward(loss.data<T>(), x.data<T>(), targets.data(), smoothing, x.shape()[0],
                             x.shape()[1]);
  return loss;
}

LAB_CHECK(CrossEntropy) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols});
  const std::vector<int32_t> targets = draw_targets(draw, size);
  for (const double smoothing : {0.0, draw.uniform(0.1, 0.4)}) {
    expect_close("the loss of each row" + with(smoothing), losses_of(x, targets, smoothing),
                 losses_by_loops(x, targets, smoothing),
                 {.tolerance = {.relative = 1e-11, .absolute = 1e-11},
                  .suspects = wrong_losses(x, targets, smoothing),
                  .law = "-ln softmax(x)_target, and smoothed() adds what smoothing asks for"});
  }
}

LAB_CHECK(CrossEntropyOfLargeLogits) {
  Draw draw;
  const Tensor x = Tensor::of({{2000, 0, -2000}, {-5000, -5010, -5020}}, DType::f64);
  const std::vector<int32_t> targets = {2, 0};
  expect_close("the loss of rows with logits in the thousands", losses_of(x, targets, 0.0),
               Tensor::of({4000, std::log1p(std::exp(-10) + std::exp(-20))}, DType::f64),
               {.suspects = wrong_losses(x, targets, 0),
                .law = "ln of a sum of exponentials: exp(2000) is infinite, exp(-5000) is 0. Which "
                       "number makes every exponent safe, and comes back where?"});
  if (testing::Test::HasFailure()) return;
  const Tensor apart = far_apart(draw);
  const std::vector<int32_t> any = draw.ids(apart.shape()[0], apart.shape()[0]);
  expect_close("the loss of rows with logits that are 1500 apart", losses_of(apart, any, 0.0),
               losses_by_loops(apart, any, 0), {.law = kLargest, .not_finite = kLargest});
  const Tensor near = near_10000(draw);
  const std::vector<int32_t> drawn = draw.ids(near.shape()[0], near.shape()[1]);
  expect_close("the loss of rows with logits near 10000, in f32",
               losses_of(near.to(DType::f32), drawn, 0.0f),
               losses_by_loops(near, drawn, 0).to(DType::f32), losses_near_10000(near, drawn));
}

LAB_CHECK(GradientOfCrossEntropy) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), dloss = draw.normal({size.rows});
  const std::vector<int32_t> targets = draw_targets(draw, size);
  for (const double smoothing : {0.0, draw.uniform(0.1, 0.4)}) {
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
    if (testing::Test::HasFailure()) return;
    expect_close("dx, all digits", run(unwritten(x.shape()), Write::assign),
                 gradient_by_loops(x, targets, smoothing, dloss),
                 {.tolerance = kDigits, .law = kAllDigits});
  }
  // Logits that are 1500 apart, and so many rows that threads share them.
  const Tensor apart = far_apart(draw),
               many = draw.normal({draw.between(600, 700), draw.between(18, 26)});
  for (const Tensor& logits : {apart, many}) {
    const int64_t rows = logits.shape()[0], cols = logits.shape()[1];
    const Tensor of_rows = draw.normal({rows}), dx = unwritten(logits.shape());
    const std::vector<int32_t> any = draw.ids(rows, cols);
    cpu::cross_entropy_backward(Out<double>(dx.data<double>()), logits.data<double>(), any.data(),
                                0.2, of_rows.data<double>(), rows, cols);
    const bool is_apart = logits.raw() == apart.raw();
    expect_close(is_apart ? "dx of logits that are 1500 apart" : "dx of many rows", dx,
                 gradient_by_loops(logits, any, 0.2, of_rows),
                 {.law = is_apart ? kLargest
                                  : "a thread has rows [begin, end), and r is counted from the "
                                    "first row of all, in x, dx, targets and dloss alike",
                  .not_finite = kLargest});
  }
}

// ---- task: in_place

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
  if (testing::Test::HasFailure()) return;
  expect_close("the gradient in the place of the logits, all digits" + how, x,
               gradient_by_loops(logits, targets, smoothing, weights),
               {.tolerance = kDigits, .law = kAllDigits});
}

// So many rows that threads share them, several times: what they share by mistake does not show in
// every call.
void check_in_threads(Draw& draw) {
  const int64_t rows = draw.between(600, 700), cols = draw.between(40, 60);
  const Tensor logits = draw.normal({rows, cols}), one = Tensor::full({rows}, 1, DType::f64);
  const std::vector<int32_t> targets = draw.ids(rows, cols);
  const Tensor want = gradient_by_loops(logits, targets, 0, one), nll = unwritten({rows});
  set_num_threads(3);
  for (int i = 0; i < 50 && !testing::Test::HasFailure(); ++i) {
    const Tensor x = logits.clone();
    cpu::cross_entropy_in_place<double>(nll.data<double>(), nll.data<double>(), x.data<double>(),
                                        targets.data(), nullptr, 0, rows, cols);
    expect_close(
        "the gradient of many rows, by three threads", x, want,
        {.law = "few rows are right: what do threads share, that each has to have alone?"});
  }
}

LAB_CHECK(LossAndGradientAtOnce) {
  Draw draw;
  for (const double smoothing : {0.0, draw.uniform(0.1, 0.4)}) {
    for (const bool weighted : {true, false}) check_in_place(draw, smoothing, weighted, false);
  }
  check_in_place(draw, 0, false, true);
  if (testing::Test::HasFailure()) return;
  if_stopped("");
  const Tensor apart = far_apart(draw), x = apart.clone();
  const int64_t n = apart.shape()[0];
  const Tensor weights = draw.normal({n}), nll = unwritten({n}), loss = unwritten({n});
  const std::vector<int32_t> any = draw.ids(n, n);
  cpu::cross_entropy_in_place(nll.data<double>(), loss.data<double>(), x.data<double>(), any.data(),
                              weights.data<double>(), 0.1, n, n);
  const Expected expected = {.law = kLargest, .not_finite = kLargest};
  expect_close("nll of logits that are 1500 apart", nll, losses_by_loops(apart, any, 0), expected);
  expect_close("the gradient of logits that are 1500 apart", x,
               gradient_by_loops(apart, any, 0.1, weights), expected);
  const Tensor near = near_10000(draw), logits = near.to(DType::f32);
  const Tensor small = unwritten({near.shape()[0]}, DType::f32), same = empty_like(small);
  const std::vector<int32_t> drawn = draw.ids(near.shape()[0], near.shape()[1]);
  cpu::cross_entropy_in_place<float>(small.data<float>(), same.data<float>(), logits.data<float>(),
                                     drawn.data(), nullptr, 0, near.shape()[0], near.shape()[1]);
  expect_close("nll of logits near 10000, in f32", small,
               losses_by_loops(near, drawn, 0).to(DType::f32), losses_near_10000(near, drawn));
  if (testing::Test::HasFailure()) return;
  check_in_threads(draw);
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
  const std::vector<int32_t> targets = draw_targets(draw, {rows, cols}), first = {targets[0]};
  if_stopped(
      "There are no weights here: the tensor is undefined, and what the kernel gets is null.");
  expect_close("nll of a single row", fused(x.rows(0, 1), w, first).nll,
               losses_by_loops(logits.rows(0, 1), first, 0),
               {.suspects = wrong_losses(logits.rows(0, 1), first, 0),
                .law = "what the kernel gives for the logits x W^T; here of one row"});
  if (testing::Test::HasFailure()) return;
  for (const double smoothing : {0.0, draw.uniform(0.1, 0.4)}) {
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

const char* const kLastChunk =
    "the last chunk has fewer rows than the others: end - at of them, in all that the kernel gets.";

// 520 to 640 rows of 33 000 logits: three chunks of at most 256. What is expected is the losses by
// loops, and how they change: of some rows of x, and of W the classes that are targets of some.
LAB_CHECK(ChunksAddUp) {
  LAB_AFTER(FusedEqualsParts);
  if_stopped(kLastChunk);
  Draw draw;
  constexpr int64_t kCols = 33000, kChunk = 256, kWidth = 2;
  constexpr double kSmoothing = 0.1;
  const int64_t count = draw.between(520, 640);
  const Tensor x = draw.normal({count, kWidth}, DType::f32),
               w = draw.normal({kCols, kWidth}, DType::f32),
               weights = draw.normal({count}, DType::f32);
  weights.data<float>()[0] = -30;  // of a gradient that shows if the next chunk's logits keep it
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
                .law = "each chunk has rows and targets of its own, and logits: what was in their "
                       "memory is the gradient of the chunk before"});
  expect_close("the total of all rows", got.total.to(DType::f64).reshape({1}),
               Tensor::full({1}, by_loops.total(), DType::f64),
               {.tolerance = {.relative = 1e-3, .absolute = 1e-2},
                .law = "a chunk begins at the same row in targets, weights, nll and loss"});
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
  if_stopped(kLastChunk);
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
  expect(share < 0.4, "the peak is " + text(share) +
                          " times the bytes of all logits: only one chunk of them may "
                          "exist at a time, and its gradient takes the same memory.");
}

}  // namespace
}  // namespace heed::lab
