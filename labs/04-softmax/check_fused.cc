// Lab 4, third part: the loss over chunks of rows, which never holds all logits.
#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "labs/04-softmax/by_loops.h"
#include "labs/04-softmax/chunked.h"
#include "labs/support/check.h"
#include "tensor/allocator.h"

namespace heed::lab {
namespace {

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
  fused(x, w, targets, 0, drawn);  // what stops this has nothing to do with what is left out below
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
        const std::string how = with_smoothing(smoothing) + (weighted ? ", weighted" : "") +
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
  const int64_t one_more = kChunk + 1;
  const Result got_one =
      fused(x.rows(0, one_more), w, {targets.begin(), targets.begin() + one_more}, kSmoothing,
            weights.rows(0, one_more));
  const char* const last_row = "a last chunk of one row is a chunk as the others";
  expect_close("nll of a last chunk of one row", got_one.nll.to(DType::f64).rows(kChunk, one_more),
               by_loops.nll(targets).rows(kChunk, one_more), {.tolerance = f32, .law = last_row});
  expect_close("dx of a last chunk of one row", gathered(got_one.dx, {kChunk}),
               by_loops.dx({kChunk}), {.tolerance = f32, .law = last_row});
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
