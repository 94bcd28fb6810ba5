// Lab 7, second part: attend().
#include <cmath>

#include "autograd/ops.h"
#include "labs/07-attention/ragged.h"
#include "labs/support/check.h"
#include "nn/attention.h"
#include "tensor/allocator.h"

namespace heed::lab {
namespace {

// ---- task: attend

LAB_CHECK(Attend) {
  Draw draw;
  const Segments s = draw_segments(draw);
  const Tensor query = draw.normal({s.count(), 3}), memory = draw.normal({s.total(), 3});
  const Attended got = attend(Var(query), Var(memory), s);
  const Tensor scores = scores_by_loops(query, memory, looks(s)),
               weights = softmax_by_loops(scores, s), minus = scores.clone(),
               scaled = scores.clone();
  for (int64_t i = 0; i < s.total(); ++i) {
    minus.data<double>()[i] *= -1;
    scaled.data<double>()[i] /= std::sqrt(3.0);
  }
  expect_close("weights", got.weights.value(), weights,
               {.tolerance = kExact,
                .suspects = {{"the scores, without a softmax", scores},
                             {"made of weights of -score", softmax_by_loops(minus, s)},
                             {"made of scores that are divided by the root of the width: here they "
                              "are not",
                              softmax_by_loops(scaled, s)}},
                .law = "the softmax of the scores of each segment"});
  expect_close(
      "context", got.context.value(), context_by_loops(weights, memory, s),
      {.tolerance = kExact,
       .suspects = {{"the sum with scores for weights", context_by_loops(scores, memory, s)}},
       .law = "score the rows, make weights of the scores, sum the rows with these weights"});
  if_stopped(
      "The weights are a part of the result, and losses are made of them: their gradient has to "
      "reach the query.");
  const Var q = Var::parameter(query);
  const Tensor dw = draw.normal({s.total()});
  sum(mul(attend(q, Var(memory), s).weights, Var(dw))).backward();
  expect_close("dquery of a loss that is made of the weights", q.grad(),
               central_differences(
                   [&](const Tensor& at) {
                     return dot(dw, softmax_by_loops(scores_by_loops(at, memory, looks(s)), s));
                   },
                   query),
               {.tolerance = kRough, .law = "through softmax and scores"});
  if (testing::Test::HasFailure()) return;
  if_stopped("Segments that were chosen from a memory look at some of its rows: they know which.");
  const auto last = static_cast<int32_t>(s.count() - 1);
  const Segments chosen = s.select({last, last, 0});
  const Tensor three = draw.normal({3, 3});
  expect_close(
      "context of segments that were chosen from a memory",
      attend(Var(three), Var(memory), chosen).context.value(),
      context_by_loops(softmax_by_loops(scores_by_loops(three, memory, looks(chosen)), chosen),
                       memory, chosen),
      {.tolerance = kExact,
       .law = "hypotheses of a beam look at rows that begin at `starts`: each of the three "
              "ops gets the segments and the memory as they are"});
}

LAB_CHECK(FewerDialoguesAreRunning) {
  Draw draw;
  const Segments all = draw_segments(draw), s = all.first(draw.between(1, all.count() - 1));
  const Tensor query = draw.normal({s.count(), 3}), memory = draw.normal({all.total(), 3});
  const Tensor dc = draw.normal({s.count(), 3});
  const Var q = Var::parameter(query), m = Var::parameter(memory);
  const Attended got = attend(q, m, s);
  expect(got.weights.shape() == Shape{s.total()},
         text("of a memory of ", all.total(), " rows ", s.total(),
              " belong to the dialogues that are still running, and have a weight; there are ",
              got.weights.shape(), " weights."));
  sum(mul(got.context, Var(dc))).backward();
  const auto loss = [&](const Tensor& x, const Tensor& rows) {
    const Tensor weights = softmax_by_loops(scores_by_loops(x, rows, looks(s)), s);
    return dot(dc, context_by_loops(weights, rows, s));
  };
  expect_close("dquery", q.grad(),
               central_differences([&](const Tensor& at) { return loss(at, memory); }, query),
               {.tolerance = kRough, .law = "through scores, softmax and sum"});
  expect_close("dmemory", m.grad(),
               central_differences([&](const Tensor& at) { return loss(query, at); }, memory),
               {.tolerance = kRough,
                .law = "a row is scored and summed, so two gradients meet in it; rows of nobody "
                       "get 0"});
}

LAB_CHECK(NothingIsPadded) {
  Draw draw;
  constexpr int64_t kShort = 1000, kLong = 4000, kWidth = 4;
  std::vector<int32_t> lengths(kShort, 1);
  lengths.push_back(kLong);
  const Segments s(lengths);
  const Var query = Var::parameter(draw.normal({s.count(), kWidth}, DType::f32)),
            memory = Var::parameter(draw.normal({s.total(), kWidth}, DType::f32));
  const int64_t before = memory_stats().bytes_in_use, padded = s.count() * kLong * 4;
  reset_peak();
  sum(attend(query, memory, s).context).backward();
  const double share =
      static_cast<double>(memory_stats().peak_bytes - before) / static_cast<double>(padded);
  expect(share < 0.1,
         text("one dialogue of ", kLong, " rows and ", kShort, " of one: the peak is ", share,
              " times the bytes of a score for every query and row. A "
              "dialogue costs what its own segment is long."));
}

}  // namespace
}  // namespace heed::lab
