// Lab 5, second part: one step, by its kernels, which are called directly.
#include <cstring>

#include "labs/05-lstm/one_step.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

// ---- task: step

LAB_CHECK(StepForward) {
  Draw draw;
  const int64_t rows = draw.between(2, 5), hidden = 2 * draw.between(1, 3) + 1;
  const Tensor a = draw.normal({rows, 4 * hidden}), c_prev = draw.normal({rows, hidden});
  const Tensor active = activated(a), c = cell(active, c_prev);
  const Tensor other = activated(exchanged(a));  // i, f, g, o of who takes g and o for each other
  const std::string order = "that of gates in the order i, f, o, g; here it is i, f, g, o";
  const Step got = run_step<double>(a, c_prev, hidden);
  expect_close("the gates afterwards", got.gates, active,
               {.tolerance = kExact,
                .suspects = {{"still the preactivations: the backward pass needs activations", a},
                             {order, exchanged(other)}},
                .blocks = {"i", "f", "g", "o"},
                .law = "i, f, o are sigmoids, g is a tanh"});
  // What is made of wrong gates tells nothing more, unless elements are missing or rows mixed up.
  const std::vector<double> written = got.c.to_vector();
  const bool all = std::count(written.begin(), written.end(), kUnwritten) == 0;
  const auto right = [&](int64_t first) {
    return mismatch(got.c.rows(0, first), c.rows(0, first), kExact).empty();
  };
  if (testing::Test::HasFailure() && all && (right(rows) || !right(1))) return;
  expect_close("the cell state c", got.c, c,
               {.tolerance = kExact,
                .suspects = {{order, cell(other, c_prev)},
                             {"c without the state before: f c_prev is missing",
                              cell(active, zeros_like(c_prev))}},
                .law = "c = f c_prev + i g"});
  expect_close("the state h, of your c", got.h, output(active, got.c),
               {.tolerance = kExact,
                .suspects = {{order, output(other, cell(other, c_prev))},
                             {"o tanh(c_prev): c is the new one here", output(active, c_prev)}},
                .law = "h = o tanh(c)"});
  if (testing::Test::HasFailure()) return;
  const auto large = [](const Tensor& of, int64_t together) {  // about 1000 and -1000, in turn
    std::vector<double> x = of.to_vector();
    for (int64_t i = 0; i < std::ssize(x); ++i) x[i] += i / together % 2 ? -1000 : 1000;
    return Tensor::from(x, of.shape());
  };
  const Tensor far = large(a, 4 * hidden), far_active = activated(far);  // by rows
  const Tensor far_before = large(c_prev, 1), far_c = cell(far_active, far_before);
  const Step at = run_step<double>(far, far_before, hidden);
  const Expected expected = {
      .tolerance = kExact,
      .law = "numbers of any size come in, and nothing is to be cut off",
      .not_finite =
          "e^1000 is infinite, and a quotient of two such is no number: math::sigmoid() "
          "and math::tanh() are right everywhere."};
  expect_close("c, where numbers are large", at.c, far_c, expected);
  expect_close("h, where numbers are large", at.h, output(far_active, far_c), expected);
  if (testing::Test::HasFailure()) return;
  const StepInputs more = draw_step(draw, /*large=*/true);
  const Tensor more_c = cell(more.active(), more.c_prev);
  const Step all_of_it = run_step<double>(more.a, more.c_prev, more_c.shape()[1]);
  expect_close("c of many rows and units", all_of_it.c, more_c,
               {.tolerance = kExact, .law = kLarge});
  expect_close("h of many rows and units", all_of_it.h, output(more.active(), more_c),
               {.tolerance = kExact, .law = kLarge});
}

LAB_CHECK(NoStateBefore) {
  LAB_AFTER(StepForward);
  Draw draw;
  if_stopped(
      "c_prev is null in the first step of a sequence that begins with zeros: it must not "
      "be read then.");
  const int64_t rows = draw.between(2, 5), hidden = draw.between(200, 300);
  const Tensor a = draw.normal({rows, 4 * hidden}),
               zeros = Tensor::zeros({rows, hidden}, DType::f64);
  const Tensor active = activated(a), c = cell(active, zeros);
  const Step got = run_step<double>(a, Tensor(), hidden);
  const std::string law = "c_prev is null for zeros";
  expect_close("c without c_prev", got.c, c, {.tolerance = kExact, .law = law});
  expect_close("h without c_prev", got.h, output(active, c), {.tolerance = kExact, .law = law});
}

// ---- task: step_gradient

const char* const kStopped =
    "a batch may have any number of rows, and a state any number of units; each row is computed by "
    "one thread, and the memory that it uses is its own.";

LAB_CHECK(StepBackward) {
  Draw draw;
  const StepInputs in = draw_step(draw);
  const int64_t rows = in.c_prev.shape()[0];
  StepInputs no_dy = in;
  no_dy.dy = Tensor();
  const Tensor active = in.active(), c = cell(active, in.c_prev);
  const auto by_activations = [&](const Tensor& at) { return gain(in, at, cell(at, in.c_prev)); };
  const auto by_c = [&](const Tensor& at) { return gain(in, active, at); };
  const auto past_h = [&](const Tensor& at) {  // c in h stays what it is
    return dot(in.into_h(), output(activated(at), c)) + dot(in.dc, cell(activated(at), in.c_prev));
  };
  const std::string forgotten = "that of dh_next alone: dy is forgotten";
  const StepGradients got = step_gradients(in, rows, rows), want = step_differences(in);
  expect_close("dc of the step before", got.c_prev, want.c_prev,
               {.tolerance = kDifferences,
                .suspects = {{"dc of this step: the forget gate is missing on the way to the one "
                              "before",
                              precise_differences(by_c, c)},
                             {forgotten, step_differences(no_dy).c_prev}},
                .law = "c_prev reaches the loss through c only: dc times dc/dc_prev"});
  expect_close("the gradients of the preactivations", got.gates, want.gates,
               {.tolerance = kDifferences,
                .suspects = {{"that of the activations i, f, g, o: their own slopes are missing",
                              precise_differences(by_activations, active)},
                             {forgotten, step_differences(no_dy).gates},
                             {"without the way from h through tanh(c) to the gates",
                              precise_differences(past_h, in.a)}},
                .blocks = {"i", "f", "g", "o"},
                .law = "c gets a gradient from two sides, from the step behind and from h = o "
                       "tanh(c); every gate then the one of what it is in, times its own slope"});
  if (testing::Test::HasFailure()) return;
  if_stopped(kStopped);
  const int64_t many = draw.between(150, 200), units = draw.between(130, 150);
  const auto more = [&](const Tensor& x) { return tiled(x, many, units); };
  const StepInputs tiles = {tiled(in.a, many, units, 4), more(in.c_prev), more(in.dy), more(in.dh),
                            more(in.dc)};
  const StepGradients of_more = step_gradients(tiles, many, many);
  expect_close("dc of the step before, of many rows and units", of_more.c_prev, more(want.c_prev),
               {.tolerance = kDifferences, .law = kLarge});
  expect_close("the gradients of the preactivations, of many rows and units", of_more.gates,
               tiled(want.gates, many, units, 4), {.tolerance = kDifferences, .law = kLarge});
}

LAB_CHECK(OnlyWhatComesIn) {
  LAB_AFTER(StepBackward);
  Draw draw;
  const StepInputs in = draw_step(draw);
  const int64_t rows = in.c_prev.shape()[0], some = draw.between(1, rows - 1);
  for (const auto& given : {std::pair(some, rows), std::pair(rows, some), std::pair(some, some)}) {
    const int64_t dh_rows = given.first, dc_rows = given.second;
    const auto with_rest = [&](double value) {  // in the rows into which nothing comes
      StepInputs x = in;
      x.dh = in.dh.clone();
      x.dc = in.dc.clone();
      x.dh.rows(dh_rows, rows).fill(value);
      x.dc.rows(dc_rows, rows).fill(value);
      return x;
    };
    const StepInputs noisy = with_rest(50), clean = with_rest(0);  // 50 is no gradient
    StepInputs silent = clean;                                     // also without dy there
    silent.dy = clean.dy.clone();
    silent.dy.rows(some, rows).fill(0);
    const std::string name = dh_rows == dc_rows  ? "dh_next and dc_next"
                             : dh_rows < dc_rows ? "dh_next"
                                                 : "dc_next";
    const StepGradients got = step_gradients(noisy, dh_rows, dc_rows),
                        want = step_differences(clean);
    expect_close(
        "the gates' gradients, " + name + " for " + std::to_string(some) + " rows", got.gates,
        want.gates,
        {.tolerance = kDifferences,
         .suspects = {{"that of all rows of " + name + ", also of rows into which nothing comes",
                       step_differences(noisy).gates},
                      {"without dy in rows into which nothing else comes: dy counts in every row",
                       step_differences(silent).gates}},
         .law = "in rows into which nothing comes, those from dh_rows and dc_rows on, stands what "
                "happened to be there; but dy comes into every row"});
    if (testing::Test::HasFailure()) return;
    const Tensor some_rows = want.c_prev.clone();
    some_rows.rows(dc_rows, rows).fill(0);
    expect_close("dc of the step before, " + name + " for " + std::to_string(some) + " rows",
                 got.c_prev, want.c_prev,
                 {.tolerance = kDifferences,
                  .suspects = {{"0 where none came in: there, too, dc of the step before comes "
                                "from h",
                                some_rows}},
                  .law = "dc goes on to the step before in every row, also where none came in: "
                         "there it comes from h"});
    if (testing::Test::HasFailure()) return;
  }
  if_stopped("dy is null where no step's output is used: it must not be read then.");
  StepInputs no_dy = in;
  no_dy.dy = Tensor();
  expect_close("the gates' gradients, dy null", step_gradients(no_dy, rows, rows).gates,
               step_differences(no_dy).gates,
               {.tolerance = kDifferences, .law = "dy is null for zeros"});
}

LAB_CHECK(ThreadsDoNotMatter) {
  LAB_AFTER(StepBackward);
  if_stopped(kStopped);
  Draw draw;
  const int64_t rows = draw.between(150, 200), hidden = draw.between(60, 90);
  const Shape state{rows, hidden};
  const Tensor a = draw.normal({rows, 4 * hidden}, DType::f32), c = draw.normal(state, DType::f32);
  const Tensor dy = draw.normal(state, DType::f32), dh = draw.normal(state, DType::f32);
  const auto run = [&](int threads) {
    set_num_threads(threads);
    Step s = run_step<float>(a, c, hidden);
    const Tensor dc = c.clone(), gates = s.gates.clone();
    cpu::lstm_step_backward(gates.data<float>(), dc.data<float>(), dh.data<float>(),
                            dy.data<float>(), s.c.data<float>(), c.data<float>(), rows, rows / 2,
                            rows, hidden);
    return std::vector<Tensor>{s.h, s.c, gates, dc};
  };
  const std::vector<Tensor> alone = run(1);
  std::vector<Tensor> together = run(3);  // what threads share shows when they meet there
  const auto same = [&] {
    return std::equal(alone.begin(), alone.end(), together.begin(), [](auto& a, auto& b) {
      return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
    });
  };
  for (int i = 0; i < 500 && same(); ++i) together = run(3);
  const std::vector<std::string> names = {"h", "c", "the gates' gradients", "dc"};
  for (size_t i = 0; i < names.size(); ++i) {
    expect_close(names[i], together[i], alone[i],
                 {.tolerance = {.relative = 0, .absolute = 0},
                  .law = "each row is computed by one thread, and belongs to nobody else",
                  .want = "yours by one thread",
                  .got = "yours by three"});
  }
}

}  // namespace
}  // namespace heed::lab
