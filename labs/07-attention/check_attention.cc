// Lab 7, first part: attention over segments. Kernels are called directly. check_attend.cc has the
// op that is made of them.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

#include "labs/07-attention/ragged.h"
#include "labs/07-attention/two_heads.h"
#include "labs/support/check.h"

namespace heed::lab {
namespace {

// ---- task: scores

LAB_CHECK(Scores) {
  const OneThread alone;
  Draw draw;
  const Ragged r(draw, draw_segments(draw));
  std::vector<Look> first_query = looks(r.s), first_rows = looks(r.s);
  for (Look& look : first_query) look.query = 0;
  for (Look& look : first_rows) look.row -= r.s.memory_begin(look.query);
  expect_close(
      "scores", scores_of<double>(r), scores_by_loops(r.query, r.memory, looks(r.s)),
      {.tolerance = kExact,
       .suspects = {{"the first query in all segments",
                     scores_by_loops(r.query, r.memory, first_query)},
                    {"each query with the first rows of the memory, not with those of its segment",
                     scores_by_loops(r.query, r.memory, first_rows)}},
       .law = "score j of query b is the dot product of its memory row and query b"});
  if (testing::Test::HasFailure()) return;
  const Ragged wide = draw_wide(draw);
  expect_close("scores of a long segment with wide rows", scores_of<double>(wide),
               scores_by_loops(wide.query, wide.memory, looks(wide.s)),
               {.tolerance = kOfLarge, .law = kWide});
}

// The same segments with other numbers: the other head.
Ragged other_head(Draw& draw, Ragged r) {
  for (Tensor* x : {&r.query, &r.memory, &r.weights}) *x = draw.normal(x->shape());
  return r;
}

LAB_CHECK(SegmentsThatShareRows) {
  Draw draw;
  const Segments all = draw_segments(draw);
  const auto last = static_cast<int32_t>(all.count() - 1);
  const Ragged r(draw, all.select({last, last, 0}));
  std::vector<Look> first_look = looks(r.s), by_score = looks(r.s);
  for (Look& look : by_score) look.row = look.score;
  for (Look& look : first_look) {
    if (look.query == 1) look.query = 0;  // segments 0 and 1 look at the same rows
  }
  expect_close("scores of segments that were chosen from a memory", scores_of<double>(r),
               scores_by_loops(r.query, r.memory, looks(r.s)),
               {.tolerance = kExact,
                .suspects = {{"of the first query that looks at a row, for all that do",
                              scores_by_loops(r.query, r.memory, first_look)},
                             {"made with memory rows by the number of the score: a segment's rows "
                              "begin at `starts`",
                              scores_by_loops(r.query, r.memory, by_score)}},
                .law = "two hypotheses of a beam look at the same rows: they have scores of their "
                       "own, and one memory"});
  if (testing::Test::HasFailure()) return;
  const Ragged a(draw, all), b = other_head(draw, a);
  const Tensor scores = unwritten({2 * all.total()});
  cpu::pair_dots<double>(scores.data<double>(), beside(a.query, b.query).data<double>(),
                         beside(a.memory, b.memory).data<double>(), table_of(all), 2, a.width());
  expect_close("scores of two heads", scores,
               behind(scores_by_loops(a.query, a.memory, looks(all)),
                      scores_by_loops(b.query, b.memory, looks(all))),
               {.tolerance = kExact, .law = kHeads});
}

// ---- task: softmax

const char* const kLargest =
    "the exponential of a large number is infinite: is the largest score of its own segment taken "
    "from each exponent, wherever it stands?";
const char* const kLowest =
    "all scores are about -1e30: does your maximum begin with a number that is above all of them, "
    "or is it not the largest of the segment?";
const char* const kShared =
    "a thread has segments [begin, end), and their numbers count from the first of all; what "
    "belongs to a segment belongs to its thread alone";

// Of a call for all segments but the last one: its elements belong to somebody else.
void expect_last_untouched(const char* what, const Tensor& y, const Segments& s) {
  for (int64_t i = s.begin(s.count() - 1); i < s.total(); ++i) {
    if (y.data<double>()[i] == kUnwritten) continue;
    return expect(false, text(what, " of segment ", s.count() - 1, " were written, and there are ",
                              s.count() - 1, " segments: numbers 0 to ", s.count() - 2, "."));
  }
}

LAB_CHECK(SoftmaxOfEachSegment) {
  Draw draw;
  const Segments s = draw_segments(draw, 0);  // some may be empty
  const Tensor x = draw_scores(draw, s), whole = zeros_like(x), shifted = x.clone();
  softmax_by_loops(whole.data<double>(), x.data<double>(), 0, s.total());
  expect_close(
      "weights", softmax_of<double>(x, s), softmax_by_loops(x, s),
      {.tolerance = kExact,
       .suspects = {{"the softmax over the whole batch: dialogues must not see each other", whole}},
       .law = "the weights of each segment add up to 1: it begins at its offset"});
  for (const Look& look : looks(s)) {  // a constant of its own for each segment, up and down
    const int64_t up = look.query % 2 == 0 ? -look.query : look.query;
    shifted.data<double>()[look.score] += 1000.0 * static_cast<double>(up);
  }
  if (testing::Test::HasFailure()) return;
  expect_close("weights of scores + c in segment b, c = 0, 1000, -2000, 3000, ...",
               softmax_of<double>(shifted, s), softmax_by_loops(x, s),
               {.tolerance = {.relative = 1e-9, .absolute = 1e-12},
                .law = "a constant that is added to all scores of a segment changes nothing"});
  const auto check = [&](const std::string& which, const std::function<double(double)>& f,
                         double least, const Expected& expected) {
    if (testing::Test::HasFailure()) return;
    const Tensor scores = x.clone();
    for (int64_t i = 0; i < x.numel(); ++i) scores.data<double>()[i] = f(x.data<double>()[i]);
    Expected all = expected;
    all.tolerance = {.relative = 1e-9, .absolute = least};
    expect_close("weights of scores " + which, softmax_of<double>(scores, s),
                 softmax_by_loops(scores, s), all);
  };
  check("that are 20 times as large", [](double v) { return 20 * v; }, 0,
        {.law = "a weight may be as small as it is: nothing lifts or cuts it"});
  check("that are 100 000 times as large", [](double v) { return 1e5 * v; }, 1e-300,
        {.law = kLargest, .not_finite = kLargest});
  check("about -1e30", [](double v) { return -1e30 * (1 + std::fabs(v)); }, 0,
        {.law = kLowest, .not_finite = kLowest});
  if (testing::Test::HasFailure()) return;
  const Segments many = many_segments(draw);
  const Tensor more = draw.normal({many.total()}), y = unwritten(more.shape());
  expect_close("weights of many segments", softmax_of<double>(more, many),
               softmax_by_loops(more, many), {.tolerance = kExact, .law = kShared});
  cpu::segment_softmax_forward(y.data<double>(), more.data<double>(),
                               many.offsets().data<int32_t>(), many.count() - 1);
  expect_last_untouched("weights", y, many);
}

LAB_CHECK(GradientOfSegmentSoftmax) {
  Draw draw;
  const Segments s = draw_segments(draw, 0);
  const Tensor x = draw.normal({s.total()}), dy = draw.normal({s.total()});
  const Tensor y = softmax_by_loops(x, s), dx = unwritten(x.shape());
  cpu::segment_softmax_backward(Out<double>(dx.data<double>()), y.data<double>(), dy.data<double>(),
                                s.offsets().data<int32_t>(), s.count());
  const Tensor want =
      central_differences([&](const Tensor& at) { return dot(dy, softmax_by_loops(at, s)); }, x);
  // y_i (dy_i - sum of y dy over the whole batch)
  const double of_all = dot(y, dy);
  const Tensor batch = zeros_like(x);
  for (int64_t score = 0; score < x.numel(); ++score) {
    const double weight = y.data<double>()[score];
    batch.data<double>()[score] = weight * (dy.data<double>()[score] - of_all);
  }
  expect_close("dscores", dx, want,
               {.tolerance = kRough,
                .suspects = {{"made with a sum over the whole batch: the softmax of a segment "
                              "knows nothing of the others",
                              batch}},
                .law = "dscores adds up to 0 within each segment, and the destination of a segment "
                       "begins at its offset, as y and dy do"});
  if (testing::Test::HasFailure()) return;
  const Tensor before = draw.normal(x.shape()), added = before.clone();
  cpu::segment_softmax_backward(Out<double>(added.data<double>(), Write::add), y.data<double>(),
                                dy.data<double>(), s.offsets().data<int32_t>(), s.count());
  expect_added("dscores", added, before, want,
               {.tolerance = kRough,
                .law = "the destination of a segment begins at its offset, Out::from(), and what "
                       "is there before is no part of any sum"});
  if (testing::Test::HasFailure()) return;
  const Segments many = many_segments(draw);
  const Tensor p = softmax_by_loops(draw.normal({many.total()}), many), dp = draw.normal(p.shape()),
               slopes = p.clone(), got = unwritten(p.shape());
  const int64_t in_one = many.begin(1);  // the gradients of what is 0 are written, too
  p.data<double>()[in_one] = slopes.data<double>()[in_one] = dp.data<double>()[in_one + 1] = 0;
  for (int64_t b = 0; b < many.count(); ++b) {
    double sum = 0;
    for (int64_t i = many.begin(b); i < many.end(b); ++i) {
      sum += p.data<double>()[i] * dp.data<double>()[i];
    }
    for (int64_t i = many.begin(b); i < many.end(b); ++i) {
      slopes.data<double>()[i] *= dp.data<double>()[i] - sum;
    }
  }
  const auto run = [&](const Tensor& to, int64_t segments) {
    cpu::segment_softmax_backward(Out<double>(to.data<double>()), p.data<double>(),
                                  dp.data<double>(), many.offsets().data<int32_t>(), segments);
  };
  run(got, many.count());
  expect_close("dscores of many segments", got, slopes, {.tolerance = kExact, .law = kShared});
  if (testing::Test::HasFailure()) return;
  const Tensor there = draw.normal(p.shape()), more = there.clone();
  cpu::segment_softmax_backward(Out<double>(more.data<double>(), Write::add), p.data<double>(),
                                dp.data<double>(), many.offsets().data<int32_t>(), many.count());
  expect_added("dscores of many segments", more, there, slopes,
               {.tolerance = kExact,
                .law = "a thread has segments [begin, end) and no others: what another one adds, "
                       "too, is added twice"});
  const Tensor fewer = unwritten(p.shape());
  run(fewer, many.count() - 1);
  expect_last_untouched("dscores", fewer, many);
}

// ---- task: context

LAB_CHECK(Context) {
  const OneThread alone;
  Draw draw;
  const Ragged r(draw, draw_segments(draw, 0));  // some may have no row: their context is 0
  expect_close("context", context_of<double>(r), context_by_loops(r.weights, r.memory, r.s),
               {.tolerance = kExact,
                .law = "context b is the sum of the rows of segment b, each times its weight; of "
                       "no rows it is 0, and what stood there before does not count"});
  const Segments all = draw_segments(draw);
  const auto last = static_cast<int32_t>(all.count() - 1);
  const Ragged shared(draw, all.select({last, last, 0}));
  expect_close("context of segments that share rows", context_of<double>(shared),
               context_by_loops(shared.weights, shared.memory, shared.s),
               {.tolerance = kExact,
                .law = "weights stand at `offsets`, memory rows at `starts`, and the sum of every "
                       "query of a part begins at 0"});
  if (testing::Test::HasFailure()) return;
  const Ragged wide = draw_wide(draw);
  expect_close("context of a long segment with wide rows", context_of<double>(wide),
               context_by_loops(wide.weights, wide.memory, wide.s),
               {.tolerance = kOfLarge, .law = kWide});
  if (testing::Test::HasFailure()) return;
  const Ragged nothing(draw, all);
  nothing.weights.fill(0);
  nothing.memory.fill(NAN);
  const std::vector<double> made = context_of<double>(nothing).to_vector();
  expect(
      std::all_of(made.begin(), made.end(), [](double v) { return std::isnan(v); }),
      "the weights are 0, the rows NaN, and a context is a number: 0 times NaN is NaN. Who leaves "
      "out such products hides what went wrong before.");
  if (testing::Test::HasFailure()) return;
  const auto collected = [](const Ragged& r) {
    const Tensor sum = zeros_like(r.memory);
    for (const Look& look : looks(r.s)) {
      for (int64_t k = 0; k < r.width(); ++k) {
        sum.data<double>()[look.row * r.width() + k] +=
            r.weights.data<double>()[look.score] * r.query(look.query, k);
      }
    }
    return sum;
  };
  const auto expect_collected = [&](const std::string& what, const Ragged& r,
                                    const Expected& expected) {
    const Tensor before = draw.normal(r.memory.shape()), sum = before.clone();
    cpu::pair_collect<double>(sum.data<double>(), r.weights.data<double>(), r.query.data<double>(),
                              table_of(r.s), 1, r.width());
    expect_added(what, sum, before, collected(r), expected);
  };
  expect_collected("what rows collect", shared,
                   {.tolerance = kExact,
                    .law = "a row collects all queries that look at it, each times its weight"});
  if (testing::Test::HasFailure()) return;
  expect_collected("what wide rows of a long segment collect", wide,
                   {.tolerance = kOfLarge, .law = kWide});
  if (testing::Test::HasFailure()) return;
  const Ragged a(draw, shared.s), b = other_head(draw, a);
  const Tensor context = unwritten({a.s.count(), 2 * a.width()});
  cpu::pair_sums<double>(context.data<double>(), behind(a.weights, b.weights).data<double>(),
                         beside(a.memory, b.memory).data<double>(), table_of(a.s), 2, a.width());
  expect_close("context of two heads", context,
               beside(context_by_loops(a.weights, a.memory, a.s),
                      context_by_loops(b.weights, b.memory, b.s)),
               {.tolerance = kExact, .law = kHeads});
  const Tensor rows = Tensor::zeros({a.memory.shape()[0], 2 * a.width()}, DType::f64);
  cpu::pair_collect<double>(rows.data<double>(), behind(a.weights, b.weights).data<double>(),
                            beside(a.query, b.query).data<double>(), table_of(a.s), 2, a.width());
  expect_close("what rows of two heads collect", rows, beside(collected(a), collected(b)),
               {.tolerance = kExact, .law = kHeads});
}

// Gradients of a sum over looks: each segment alone, and two that look at the same rows.
LAB_CHECK(GradientOfScores) {
  Draw draw;
  const Segments all = draw_segments(draw, 0);
  const auto last = static_cast<int32_t>(all.count() - 1);
  for (const Segments& s : {all, all.select({last, last, 0})}) {
    const Ragged r(draw, s);
    const Tensor dy = draw.normal({r.s.total()});
    const auto slopes = [&](bool of_query, const std::vector<Look>& those) {
      return central_differences(
          [&](const Tensor& at) {
            return dot(dy,
                       scores_by_loops(of_query ? at : r.query, of_query ? r.memory : at, those));
          },
          of_query ? r.query : r.memory);
    };
    std::vector<Look> by_score = looks(r.s), first_query = looks(r.s);
    for (Look& look : by_score) look.row = look.score;
    for (Look& look : first_query) look.query = 0;
    const auto expected = [&](bool of_query, const char* law) {
      return Expected{
          .tolerance = kRough,
          .suspects = {{"made with memory rows by the number of the score: a segment's rows begin "
                        "at `starts`",
                        slopes(of_query, by_score)},
                       {"made with the first query for all", slopes(of_query, first_query)}},
          .law = law};
    };
    const std::string which = s.selected() ? " of segments that share rows" : "";
    expect_gradient(
        draw, "dquery" + which, slopes(true, looks(r.s)), r.memory,
        [&](const Tensor& dq, const Tensor& dm) { add_score_gradients<double>(r, dq, dm, dy); },
        expected(true,
                 "query b gives every row of its segment a score, so dquery_b is a sum over "
                 "these rows"));
    expect_gradient(
        draw, "dmemory" + which, slopes(false, looks(r.s)), r.query,
        [&](const Tensor& dm, const Tensor& dq) { add_score_gradients<double>(r, dq, dm, dy); },
        expected(false, "a row has a score with every query that looks at it"));
  }
}

LAB_CHECK(GradientOfContext) {
  Draw draw;
  const Segments all = draw_segments(draw, 0);
  const auto last = static_cast<int32_t>(all.count() - 1);
  for (const Segments& s : {all, all.select({last, last, 0})}) {
    const Ragged r(draw, s);
    const Tensor dy = draw.normal({r.s.count(), r.width()});
    const auto loss = [&](const Tensor& weights, const Tensor& memory) {
      return dot(dy, context_by_loops(weights, memory, r.s));
    };
    const std::string which = s.selected() ? " of segments that share rows" : "";
    expect_gradient(
        draw, "dweights" + which,
        central_differences([&](const Tensor& at) { return loss(at, r.memory); }, r.weights),
        r.memory,
        [&](const Tensor& dw, const Tensor& dm) { add_context_gradients<double>(r, dw, dm, dy); },
        {.tolerance = kRough,
         .law = "a weight moves its context vector in the direction of its memory row"});
    expect_gradient(
        draw, "dmemory" + which,
        central_differences([&](const Tensor& at) { return loss(r.weights, at); }, r.memory),
        r.weights,
        [&](const Tensor& dm, const Tensor& dw) { add_context_gradients<double>(r, dw, dm, dy); },
        {.tolerance = kRough,
         .law = "a row has a weight for every query that looks at it, and what it changes is the "
                "context of that query's segment"});
  }
}

LAB_CHECK(AloneEqualsTogether) {
  LAB_AFTER(Scores);
  LAB_AFTER(SoftmaxOfEachSegment);
  LAB_AFTER(Context);
  LAB_AFTER(GradientOfScores);
  LAB_AFTER(GradientOfContext);
  LAB_AFTER(GradientOfSegmentSoftmax);
  Draw draw;
  std::vector<int32_t> lengths = draw.ids(draw.between(1500, 2000), 12);
  for (int32_t& length : lengths) ++length;
  const Ragged r(draw, Segments(lengths), DType::f32);
  const Tolerance same = {.relative = 0, .absolute = 0};
  const int before = num_threads();
  set_num_threads(1);
  const auto alone = all_kernels(r);
  if_stopped("What belongs to a segment belongs to its thread alone: do threads share memory?");
  set_num_threads(3);
  auto together = all_kernels(r);  // what threads share shows when they meet there
  const auto differ = [&](const auto& of_alone) {
    const auto& [what, x] = of_alone;
    return std::memcmp(x.raw(), together.at(what).raw(), x.bytes()) != 0;
  };
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 2;
  while (std::none_of(alone.begin(), alone.end(), differ) && std::clock() < end) {
    together = all_kernels(r);
  }
  set_num_threads(before);
  for (const auto& [what, tensor] : alone) {
    expect_close(what, together.at(what), tensor,
                 {.tolerance = same,
                  .law = "a result must not depend on the number of threads: what belongs to a "
                         "segment belongs to its thread alone",
                  .want = "yours by one thread",
                  .got = "yours by three"});
  }
  const int64_t b = draw.between(1, r.s.count() - 1);
  for (const auto& [what, tensor] : all_kernels(r.alone(b))) {
    const bool of_query = what == "context" || what == "dquery";
    const Tensor part =
        of_query ? alone.at(what).rows(b, b + 1) : alone.at(what).rows(r.s.begin(b), r.s.end(b));
    expect_close(what + " of a dialogue", tensor, part,
                 {.tolerance = same,
                  .law = "a dialogue must not depend on those beside it",
                  .want = "yours, within a batch",
                  .got = "yours, alone"});
  }
}

}  // namespace
}  // namespace heed::lab
