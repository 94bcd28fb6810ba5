// Lab 4: softmax and cross entropy. Kernels are called directly; the fused loss through the op.
#include <cmath>

#include "autograd/ops.h"
#include "labs/04-softmax/by_loops.h"
#include "labs/support/check.h"
#include "tensor/allocator.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/softmax.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

struct Size {
  int64_t rows, cols;
};

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
  expect_close("softmax(x)", softmax_of<double>(x), want,
               {.tolerance = {.relative = 1e-12},
                .suspects = {{"exp(x), not divided by the sum of the row", powers},
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
                 softmax_of<float>(moved), softmax_of<float>(x),
                 {.tolerance = {.relative = 1e-6, .absolute = 1e-12},
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
  expect_close("softmax(x) by three threads", together, alone,
               {.tolerance = same, .law = "a result must not depend on the number of threads"});
  const int64_t row = draw.between(0, rows - 1);
  expect_close("softmax of one row alone", softmax_of<float>(x.rows(row, row + 1)),
               alone.rows(row, row + 1),
               {.tolerance = same, .law = "a row must not depend on its neighbours"});
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
  expect_close(
      "dx", dx, want,
      {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
       .suspects = {{"y dy: the second term is missing. y_i also depends on the other x_j "
                     "of its row, through the sum below",
                     map(y, dy, std::multiplies<>())},
                    {"y (1 - y) dy: right for j = i only; y_i depends on the other x_j, too",
                     map(map(y, y, [](double v, double) { return v * (1 - v); }), dy,
                         std::multiplies<>())}},
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

LAB_CHECK(LogSoftmax) {
  Draw draw;
  const Size size = draw_size(draw);
  const double spread = draw.uniform(300, 1000);
  const Tensor x =
      map(draw.normal({size.rows, size.cols}), Tensor::zeros({size.rows, size.cols}, DType::f64),
          [&](double v, double) { return spread * v; });
  const Tensor y = unwritten(x.shape());
  cpu::log_softmax_forward(y.data<double>(), x.data<double>(), size.rows, size.cols);
  expect_close("ln softmax(x), x up to " + std::to_string(static_cast<int>(3 * spread)), y,
               log_softmax_by_loops(x),
               {.tolerance = {.relative = 1e-12, .absolute = 1e-12},
                .law = "a probability of exp(-1000) is 0 in f64, its logarithm is -1000: the "
                       "exponential must not be taken first"});
}

LAB_CHECK(GradientOfLogSoftmax) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), dy = draw.normal(x.shape());
  const Tensor y = log_softmax_by_loops(x), dx = unwritten(x.shape());
  cpu::log_softmax_backward(Out<double>(dx.data<double>()), y.data<double>(), dy.data<double>(),
                            size.rows, size.cols);
  expect_close(
      "dx", dx,
      central_differences([&](const Tensor& at) { return dot(dy, log_softmax_by_loops(at)); }, x),
      {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
       .suspects = {{"dy alone: the sum below the fraction depends on x, too", dy}},
       .law = "y_i = x_i - ln s. What is d ln s / dx_j?"});
}

// ---- task: cross_entropy

LAB_CHECK(CrossEntropy) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), one = Tensor::full({1}, 1, DType::f64);
  const std::vector<int32_t> targets = draw.ids(size.rows, size.cols);
  for (const double smoothing : {0.0, 0.1}) {
    const Tensor loss = unwritten({size.rows}), want = zeros_like(loss);
    cpu::cross_entropy_forward(loss.data<double>(), x.data<double>(), targets.data(), smoothing,
                               size.rows, size.cols);
    for (int64_t r = 0; r < size.rows; ++r) {
      want.data<double>()[r] = loss_by_loops(x.rows(r, r + 1), {targets[r]}, smoothing, one);
    }
    expect_close("the loss of each row, smoothing " + text(smoothing), loss, want,
                 {.tolerance = {.relative = 1e-11, .absolute = 1e-11},
                  .law = "-ln softmax(x)_target, and smoothed() adds what smoothing asks for"});
  }
}

LAB_CHECK(CrossEntropyOfLargeLogits) {
  const Tensor x = Tensor::of({{2000, 0, -2000}, {-5000, -5010, -5020}}, DType::f64);
  const std::vector<int32_t> targets = {2, 0};
  const Tensor loss = unwritten({2});
  cpu::cross_entropy_forward(loss.data<double>(), x.data<double>(), targets.data(), 0.0, 2, 3);
  expect_close("the loss of rows with logits in the thousands", loss,
               Tensor::of({4000, std::log1p(std::exp(-10) + std::exp(-20))}, DType::f64),
               {.law = "ln of a sum of exponentials: take the maximum out first"});
}

LAB_CHECK(GradientOfCrossEntropy) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor x = draw.normal({size.rows, size.cols}), dloss = draw.normal({size.rows});
  const std::vector<int32_t> targets = draw.ids(size.rows, size.cols);
  const Tensor p = softmax_by_loops(x), hot = one_hot(targets, size.cols), scale = zeros_like(x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    scale.data<double>()[i] = dloss.data<double>()[i / size.cols];
  }
  for (const double smoothing : {0.0, 0.2}) {
    const Tensor dx = unwritten(x.shape());
    cpu::cross_entropy_backward(Out<double>(dx.data<double>()), x.data<double>(), targets.data(),
                                smoothing, dloss.data<double>(), size.rows, size.cols);
    const Tensor want = central_differences(
        [&](const Tensor& at) { return loss_by_loops(at, targets, smoothing, dloss); }, x);
    expect_close(
        "dx, smoothing " + text(smoothing), dx, want,
        {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
         .suspects = {{"dloss times softmax(x): the target has to lose what it got too much",
                       map(p, scale, std::multiplies<>())},
                      {"softmax(x) - [j = target]: each row has a dloss of its own",
                       map(p, hot, std::minus<>())}},
         .law = "each row of dx adds up to 0. With smoothing e the target has 1 - e + e/C "
                "and all others e/C"});
  }
}

// ---- task: in_place

LAB_CHECK(LossAndGradientAtOnce) {
  Draw draw;
  const Size size = draw_size(draw);
  const Tensor logits = draw.normal({size.rows, size.cols}), weights = draw.normal({size.rows});
  const std::vector<int32_t> targets = draw.ids(size.rows, size.cols);
  const double smoothing = draw.between(0, 1) ? 0.1 : 0.0;
  const Tensor nll = unwritten({size.rows}), loss = unwritten({size.rows}), x = logits.clone();
  cpu::cross_entropy_in_place(nll.data<double>(), loss.data<double>(), x.data<double>(),
                              targets.data(), weights.data<double>(), smoothing, size.rows,
                              size.cols);
  const Tensor want_nll = zeros_like(nll), plain = zeros_like(loss), want_loss = zeros_like(loss);
  const Tensor one = Tensor::full({1}, 1, DType::f64);
  for (int64_t r = 0; r < size.rows; ++r) {
    const Tensor row = logits.rows(r, r + 1);
    want_nll.data<double>()[r] = loss_by_loops(row, {targets[r]}, 0, one);
    plain.data<double>()[r] = loss_by_loops(row, {targets[r]}, smoothing, one);
    want_loss.data<double>()[r] =
        loss_by_loops(row, {targets[r]}, smoothing, weights.rows(r, r + 1));
  }
  const Tolerance exact = {.relative = 1e-11, .absolute = 1e-11};
  expect_close("nll", nll, want_nll,
               {.tolerance = exact, .law = "-ln softmax(x)_target, without weights and smoothing"});
  expect_close(
      "loss", loss, want_loss,
      {.tolerance = exact, .suspects = {{"the loss without the weights of the rows", plain}}});
  expect_close(
      "the gradient in the place of the logits", x,
      central_differences(
          [&](const Tensor& at) { return loss_by_loops(at, targets, smoothing, weights); }, logits),
      {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
       .suspects = {{"still the logits", logits}},
       .law = "the logits of a row are gone once its exponentials are there: what is needed of "
              "them has to be read before"});
}

// ---- task: fused

struct Result {
  Tensor total, nll, dx, dw;
};

Result fused(const Tensor& x, const Tensor& w, const std::vector<int32_t>& targets,
             double factor = 1) {
  const Var px = Var::parameter(x), pw = Var::parameter(w);
  const CrossEntropy loss = linear_cross_entropy(px, pw, Tensor::from(targets), 0.0, Tensor());
  (loss.total * factor).backward();
  return {loss.total.value(), loss.nll, px.grad(), pw.grad()};
}

LAB_CHECK(FusedEqualsParts) {
  Draw draw;
  const int64_t rows = draw.between(2, 5), cols = draw.between(3, 7), width = draw.between(2, 4);
  const Tensor x = draw.normal({rows, width}), w = draw.normal({cols, width});
  const std::vector<int32_t> targets = draw.ids(rows, cols);
  const auto loss = [&](const Tensor& left, const Tensor& right) {
    const Tensor logits = Tensor::zeros({rows, cols}, DType::f64);
    for (int64_t i = 0; i < rows * cols * width; ++i) {
      const int64_t r = i / (cols * width), c = i / width % cols, k = i % width;
      logits.data<double>()[r * cols + c] +=
          left.data<double>()[r * width + k] * right.data<double>()[c * width + k];
    }
    return loss_by_loops(logits, targets, 0, Tensor::full({rows}, 1, DType::f64));
  };
  const Result got = fused(x, w, targets);
  expect_close("the total", got.total.reshape({1}), Tensor::full({1}, loss(x, w), DType::f64));
  const Tolerance rough = {.relative = 1e-5, .absolute = 1e-8};
  expect_close("dx", got.dx, central_differences([&](const Tensor& at) { return loss(at, w); }, x),
               {.tolerance = rough, .law = "dx = P W, P the gradient of the logits"});
  expect_close("dW", got.dw, central_differences([&](const Tensor& at) { return loss(x, at); }, w),
               {.tolerance = rough, .law = "dW = P^T x, P the gradient of the logits"});
}

// 520 to 640 rows of 40 000 logits: three chunks of at most 256.
LAB_CHECK(ChunksAddUp) {
  LAB_AFTER(FusedEqualsParts);
  Draw draw;
  constexpr int64_t kCols = 40000;
  const int64_t count = draw.between(520, 640), width = draw.between(2, 3), step = 200;
  const Tensor x = draw.normal({count, width}, DType::f32),
               w = draw.normal({kCols, width}, DType::f32);
  const std::vector<int32_t> targets = draw.ids(count, kCols);
  const Result whole = fused(x, w, targets);
  const Tensor nll = Tensor::zeros({count}, DType::f64), dw = Tensor::zeros(w.shape(), DType::f64);
  for (int64_t at = 0; at < count; at += step) {
    const int64_t end = std::min(at + step, count);
    const Result part = fused(x.rows(at, end), w, {targets.begin() + at, targets.begin() + end});
    nll.rows(at, end).copy_from(part.nll.to(DType::f64));
    dw.copy_from(map(dw, part.dw, std::plus<>()));
  }
  const int64_t tail = count - count % 256;
  const Tensor last =
      fused(x.rows(tail, count), w, {targets.begin() + tail, targets.end()}).dw.to(DType::f64);
  const Tolerance f32 = {.relative = 1e-3, .absolute = 1e-4};
  expect_close("nll of all rows", whole.nll.to(DType::f64), nll,
               {.tolerance = f32, .law = "each chunk has its own targets"});
  expect_close(
      "dW over several chunks", whole.dw.to(DType::f64), dw,
      {.tolerance = f32,
       .suspects = {{"that of the last chunk alone: assigned where it has to be added", last}},
       .law = "the sum over all rows is the sum over the chunks"});
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
