// Lab 4, second part: the loss of a row of logits, its gradient, and both at once; check_fused.cc
// has the loss over chunks of rows.
#include <cmath>

#include "labs/04-softmax/by_loops.h"
#include "labs/support/check.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

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
    expect_close("the loss of each row" + with_smoothing(smoothing),
                 losses_of(x, targets, smoothing), losses_by_loops(x, targets, smoothing),
                 {.tolerance = kNothingAdded,
                  .suspects = wrong_losses(x, targets, smoothing),
                  .law = "-ln softmax(x)_target, and smoothed() adds what smoothing asks for"});
  }
  if (testing::Test::HasFailure()) return;
  const Tensor any_length = long_rows(draw);
  const std::vector<int32_t> any = draw.ids(any_length.shape()[0], any_length.shape()[1]);
  expect_close("the loss of long rows, smoothing 0.2", losses_of(any_length, any, 0.2),
               losses_by_loops(any_length, any, 0.2), {.law = kAnyLength});
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
               losses_by_loops(apart, any, 0),
               {.law = kLargestOfLosses, .not_finite = kLargestOfLosses});
  const Tensor near = near_10000(draw);
  const std::vector<int32_t> drawn = draw.ids(near.shape()[0], near.shape()[1]);
  expect_close("the loss of rows with logits near 10000, in f32",
               losses_of(near.to(DType::f32), drawn, 0.0f),
               losses_by_loops(near, drawn, 0).to(DType::f32), losses_near_10000(near, drawn));
}

const char* const kOfThreads =
    "a thread has rows [begin, end): r is counted from the first row of all, in x, dx, targets and "
    "dloss alike, and what a row is computed in belongs to one thread alone";

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
        .suspects = wrong_gradients(x, targets, smoothing, dloss, "dloss"),
        .law =
            "each row of dx adds up to 0. With smoothing e the target has 1 - e + e/C "
            "and all others e/C"};
    const auto run = [&](const Tensor& dx, Write write) {
      cpu::cross_entropy_backward(Out<double>(dx.data<double>(), write), x.data<double>(),
                                  targets.data(), smoothing, dloss.data<double>(), size.rows,
                                  size.cols);
      return dx;
    };
    expect_close("dx" + with_smoothing(smoothing), run(unwritten(x.shape()), Write::assign), want,
                 expected);
    const Tensor before = draw.normal(x.shape());
    expect_added("dx" + with_smoothing(smoothing), run(before.clone(), Write::add), before, want,
                 expected);
    if (testing::Test::HasFailure()) return;
    expect_close("dx, all digits", run(unwritten(x.shape()), Write::assign),
                 gradient_by_loops(x, targets, smoothing, dloss),
                 {.tolerance = kDigits, .law = kAllDigits});
  }
  // Logits that are 1500 apart, long rows, and so many that threads share them, one without dloss.
  const Tensor apart = far_apart(draw), any_length = long_rows(draw), many = many_rows(draw);
  for (const auto& [name, logits, law] : {std::tuple("logits that are 1500 apart", apart, kLargest),
                                          std::tuple("long rows", any_length, kAnyLength),
                                          std::tuple("many rows", many, kOfThreads)}) {
    const int64_t rows = logits.shape()[0], cols = logits.shape()[1];
    const Tensor of_rows = draw.normal({rows});
    const bool shared = logits.raw() == many.raw();
    if (shared) of_rows.data<double>()[draw.between(1, rows - 2)] = 0;
    const std::vector<int32_t> any = draw.ids(rows, cols);
    const Tensor want_dx = gradient_by_loops(logits, any, 0.2, of_rows);
    set_num_threads(3);
    for (int i = 0; i < (shared ? 50 : 1); ++i) {
      const Tensor dx = unwritten(logits.shape());
      cpu::cross_entropy_backward(Out<double>(dx.data<double>()), logits.data<double>(), any.data(),
                                  0.2, of_rows.data<double>(), rows, cols);
      expect_close(text("dx of ", name), dx, want_dx,
                   {.law = law, .not_finite = shared ? kOfThreads : kLargest});
      if (testing::Test::HasFailure()) return;
    }
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
  const std::string how = with_smoothing(smoothing) + (weighted ? "" : ", weights null") +
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
  Suspects of_nll = wrong_losses(logits, targets, 0);
  of_nll.emplace_back(
      "made with an exponential for the logit of the target: the logits are gone "
      "once their exponentials are there, so it is read before",
      late);
  of_nll.emplace_back("the loss with smoothing, which nll is without", plain);
  of_nll.emplace_back("the weighted loss: nll has no weights", times(weights, want_nll));
  expect_close("nll" + how, nll, want_nll,
               {.tolerance = kNothingAdded,
                .suspects = of_nll,
                .law = "-ln softmax(x)_target, without weights and smoothing"});
  if (testing::Test::HasFailure()) return;
  expect_close(
      "loss" + how, loss, times(weights, plain),
      {.tolerance = kNothingAdded,
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
  Suspects of_x = wrong_gradients(logits, targets, smoothing, weights, "weight");
  of_x.emplace_back("still the logits", logits);
  of_x.emplace_back("exp(x - max), not yet the gradient", powers);
  expect_close(
      "the gradient in the place of the logits" + how, x,
      central_differences(
          [&](const Tensor& at) { return loss_by_loops(at, targets, smoothing, weights); }, logits),
      {.tolerance = kRough,
       .suspects = of_x,
       .law = "each row adds up to 0: the target loses 1 - e + e/C and all others e/C, times the "
              "weight of the row, as the softmax is"});
  if (testing::Test::HasFailure()) return;
  expect_close("the gradient in the place of the logits, all digits" + how, x,
               gradient_by_loops(logits, targets, smoothing, weights),
               {.tolerance = kDigits, .law = kAllDigits});
}

// A row that counts 0 times, among others.
void check_weight_0(Draw& draw) {
  const Tensor logits = draw.normal({3, draw.between(4, 9)}), x = logits.clone(),
               weights = draw.normal({3}), nll = unwritten({3}), loss = unwritten({3});
  weights.data<double>()[1] = 0;
  const std::vector<int32_t> targets = draw.ids(3, logits.shape()[1]);
  cpu::cross_entropy_in_place(nll.data<double>(), loss.data<double>(), x.data<double>(),
                              targets.data(), weights.data<double>(), 0.1, 3, logits.shape()[1]);
  const Expected expected = {
      .law = "a row of weight 0 has an nll like any other, and its loss and its gradient are 0"};
  expect_close("nll, row 1 with the weight 0", nll, losses_by_loops(logits, targets, 0), expected);
  expect_close("loss, row 1 with the weight 0", loss,
               times(weights, losses_by_loops(logits, targets, 0.1)), expected);
  expect_close("the gradient in the place of the logits, row 1 with the weight 0", x,
               gradient_by_loops(logits, targets, 0.1, weights), expected);
}

// So many rows that threads share them, several times: what they share by mistake does not show in
// every call.
const char* const kShared =
    "with few rows this is right: what do threads share, that each has to have alone?";
void check_in_threads(Draw& draw) {
  const Tensor logits = many_rows(draw);
  const int64_t rows = logits.shape()[0], cols = logits.shape()[1];
  const Tensor one = Tensor::full({rows}, 1, DType::f64);
  const std::vector<int32_t> targets = draw.ids(rows, cols);
  const Tensor want = gradient_by_loops(logits, targets, 0, one), nll = unwritten({rows}),
               want_nll = losses_by_loops(logits, targets, 0);
  set_num_threads(3);
  for (int i = 0; i < 50 && !testing::Test::HasFailure(); ++i) {
    const Tensor x = logits.clone();
    cpu::cross_entropy_in_place<double>(nll.data<double>(), nll.data<double>(), x.data<double>(),
                                        targets.data(), nullptr, 0, rows, cols);
    expect_close("the gradient of many rows, by three threads", x, want,
                 {.law = kShared, .not_finite = kShared});
    expect_close("nll of many rows, by three threads", nll, want_nll, {.law = kShared});
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
  check_weight_0(draw);
  if (testing::Test::HasFailure()) return;
  const Tensor apart = far_apart(draw), x = apart.clone();
  const int64_t n = apart.shape()[0];
  const Tensor weights = draw.normal({n}), nll = unwritten({n}), loss = unwritten({n});
  const std::vector<int32_t> any = draw.ids(n, n);
  cpu::cross_entropy_in_place(nll.data<double>(), loss.data<double>(), x.data<double>(), any.data(),
                              weights.data<double>(), 0.1, n, n);
  expect_close("nll of logits that are 1500 apart", nll, losses_by_loops(apart, any, 0),
               {.law = kLargestOfLosses, .not_finite = kLargestOfLosses});
  expect_close("the gradient of logits that are 1500 apart", x,
               gradient_by_loops(apart, any, 0.1, weights),
               {.law = kLargest, .not_finite = kLargest});
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

}  // namespace
}  // namespace heed::lab
