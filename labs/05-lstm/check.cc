// Lab 5: an LSTM through time. Kernels are called directly, the loops through the op; gradients are
// compared with central differences of an LSTM in plain loops.
#include "labs/05-lstm/batches.h"
#include "labs/05-lstm/one_step.h"
#include "tensor/allocator.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

const Tolerance kExact = {.relative = 1e-11, .absolute = 1e-12};
const Tolerance kDifferences = {.relative = 1e-5, .absolute = 1e-8};

// ---- task: packing

LAB_CHECK(RowsOfSteps) {
  Draw draw;
  const std::vector<int32_t> lengths = draw_lengths(draw);
  const Packing packing(lengths);
  expect(packing.steps() == lengths[0], "there are " + std::to_string(packing.steps()) +
                                            " steps; the longest sequence has " +
                                            std::to_string(lengths[0]) + ".");
  if (packing.steps() != lengths[0]) return;
  std::vector<int64_t> sizes, offsets, ends;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    sizes.push_back(packing.batch_size(t));
    offsets.push_back(packing.offset(t));
    ends.push_back(t == 0 ? 0 : ends.back() + sizes[t - 1]);
  }
  expect_close("batch_size(t) of lengths " + of_ints(lengths).str(), of_ints(sizes),
               still_running(lengths, 0),
               {.suspects = {{"that of sequences that go on one step too long: one of length n has "
                              "the steps 0 to n - 1",
                              still_running(lengths, 1)}},
                .law = "step t has a row for each sequence that is longer than t"});
  expect_close("offset(t)", of_ints(offsets), of_ints(ends),
               {.law = "a step begins where the one before it ends"});
  const int64_t words = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  expect(packing.rows() == words, "rows() is " + std::to_string(packing.rows()) +
                                      ", and the sequences have " + std::to_string(words) +
                                      " steps together.");
}

LAB_CHECK(NoRowIsPadding) {
  LAB_AFTER(RowsOfSteps);
  Draw draw;
  const std::vector<int32_t> lengths = draw_lengths(draw);
  const Packing packing(lengths);
  std::vector<int64_t> taken, all(packing.rows());
  for (int64_t b = 0; b < std::ssize(lengths); ++b) {
    expect(packing.length(b) == lengths[b], "length() is not what was given.");
    for (int64_t t = 0; t < std::min<int64_t>(lengths[b], packing.steps()); ++t) {
      taken.push_back(packing.row(t, b));
    }
  }
  std::sort(taken.begin(), taken.end());
  std::iota(all.begin(), all.end(), 0);
  expect(taken == all, "each of the " + std::to_string(all.size()) +
                           " rows belongs to one step of one sequence: here some belong to none "
                           "(padding), or to two, or are not there.");
}

// ---- task: reversed

LAB_CHECK(MirrorImage) {
  Draw draw;
  const std::vector<int32_t> lengths = draw_lengths(draw);
  const auto rows = rows_of(lengths);
  const Packing packing(lengths);
  const std::vector<int32_t> mirror = packing.reversed();
  std::vector<int64_t> want(rows.back().back() + 1), about_the_longest = want;
  for (int32_t t = 0; t < lengths[0]; ++t) {
    for (size_t b = 0; b < rows[t].size(); ++b) {
      want[rows[t][b]] = rows[lengths[b] - 1 - t][b];
      about_the_longest[rows[t][b]] = rows[lengths[0] - 1 - t][0] + static_cast<int64_t>(b);
    }
  }
  expect_close("reversed() of lengths " + of_ints(lengths).str(), of_ints(mirror), of_ints(want),
               {.suspects = {{"mirrored about the middle of the longest sequence, also where a "
                              "sequence is shorter",
                              of_ints(about_the_longest)}},
                .law = "the first step of a sequence and its last one change places; the mirror "
                       "image of the mirror image is what was there"});
}

// ---- task: step

LAB_CHECK(StepForward) {
  Draw draw;
  const int64_t rows = draw.between(2, 5), hidden = draw.between(2, 6);
  const Tensor a = draw.normal({rows, 4 * hidden}), c_prev = draw.normal({rows, hidden});
  const Tensor active = activated(a), c = cell(active, c_prev);
  const Tensor other = activated(exchanged(a));  // i, f, g, o of who takes g and o for each other
  const std::string order = "that of gates in the order i, f, o, g; here it is i, f, g, o";
  const Step got = run_step<double>(a, c_prev, hidden);
  expect_close("the cell state c", got.c, c,
               {.tolerance = kExact,
                .suspects = {{order, cell(other, c_prev)},
                             {"c without the state before: f c_prev is missing",
                              cell(active, zeros_like(c_prev))}},
                .law = "c = f c_prev + i g"});
  expect_close("the state h", got.h, output(active, c),
               {.tolerance = kExact,
                .suspects = {{order, output(other, cell(other, c_prev))},
                             {"o tanh(c_prev): c is the new one here", output(active, c_prev)}},
                .law = "h = o tanh(c)"});
  expect_close("the gates afterwards", got.gates, active,
               {.tolerance = kExact,
                .suspects = {{"still the preactivations: the backward pass needs activations", a},
                             {order, exchanged(other)}},
                .blocks = {"i", "f", "g", "o"},
                .law = "i, f, o are sigmoids, g is a tanh"});
}

LAB_CHECK(NoStateBefore) {
  Draw draw;
  if_stopped(
      "c_prev is null in the first step of a sequence that begins with zeros: it must not "
      "be read then.");
  const int64_t rows = draw.between(2, 5), hidden = draw.between(2, 6);
  const Tensor a = draw.normal({rows, 4 * hidden}),
               zeros = Tensor::zeros({rows, hidden}, DType::f64);
  const Tensor active = activated(a), c = cell(active, zeros);
  const Step got = run_step<double>(a, Tensor(), hidden);
  const std::string law = "c_prev is null for zeros";
  expect_close("c without c_prev", got.c, c, {.tolerance = kExact, .law = law});
  expect_close("h without c_prev", got.h, output(active, c), {.tolerance = kExact, .law = law});
}

// ---- task: step_gradient

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
                              central_differences(by_c, c)},
                             {forgotten, step_differences(no_dy).c_prev}},
                .law = "c_prev reaches the loss through c only: dc times dc/dc_prev"});
  expect_close("the gradients of the preactivations", got.gates, want.gates,
               {.tolerance = kDifferences,
                .suspects = {{"that of the activations i, f, g, o: their own slopes are missing",
                              central_differences(by_activations, active)},
                             {forgotten, step_differences(no_dy).gates},
                             {"without the way from h through tanh(c) to the gates",
                              central_differences(past_h, in.a)}},
                .blocks = {"i", "f", "g", "o"},
                .law = "c gets a gradient from two sides, from the step behind and from h = o "
                       "tanh(c); every gate then the one of what it is in, times its own slope"});
}

LAB_CHECK(OnlyWhatComesIn) {
  Draw draw;
  const StepInputs in = draw_step(draw);
  const int64_t rows = in.c_prev.shape()[0], some = draw.between(1, rows - 1);
  for (const bool of_dh : {true, false}) {
    StepInputs noisy = in, clean = in;
    Tensor &more = of_dh ? noisy.dh : noisy.dc, &given = of_dh ? clean.dh : clean.dc;
    more = given.clone();
    given = given.clone();
    more.rows(some, rows).fill(50);  // is no gradient
    given.rows(some, rows).fill(0);
    const std::string name = of_dh ? "dh_next" : "dc_next";
    expect_close(
        "the gates' gradients, " + name + " for " + std::to_string(some) + " rows",
        step_gradients(noisy, of_dh ? some : rows, of_dh ? rows : some).gates,
        step_differences(clean).gates,
        {.tolerance = kDifferences,
         .suspects = {{"that of all rows of " + name + ", also of rows into which nothing comes",
                       step_differences(noisy).gates}},
         .law = "in rows into which nothing comes, those from dh_rows and dc_rows on, stands what "
                "happened to be there"});
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
  const std::vector<Tensor> alone = run(1), together = run(3);
  const std::vector<std::string> names = {"h", "c", "the gates' gradients", "dc"};
  for (size_t i = 0; i < names.size(); ++i) {
    expect_close(names[i], together[i], alone[i],
                 {.tolerance = {.relative = 0, .absolute = 0},
                  .law = "each row is computed by one thread, and belongs to nobody else",
                  .want = "yours by one thread",
                  .got = "yours by three"});
  }
}

// ---- task: forward

LAB_CHECK(SequenceBySequence) {
  if_stopped(
      "step t has layer.rows(t) rows, and not those of the whole batch: what lies behind them "
      "belongs to others. And in step 0 the states may be null.");
  Draw draw;
  const Inputs in = draw_inputs(draw);
  Inputs forgetful = in, swapped = in, fresh = in;
  forgetful.w = zeros_like(in.w);
  swapped.c0 = in.h0;
  fresh.h0 = fresh.c0 = zeros_like(in.h0);
  const auto check = [&](const std::string& what, const Outputs& got, const Outputs& want) {
    const auto expected = [&](Tensor Outputs::*part) {
      return Expected{.tolerance = kExact,
                      .suspects = {{"that of steps that know nothing of h_{t-1}: a_t is gates_t + "
                                    "h_{t-1} W^T",
                                    lstm_by_loops(forgetful).*part},
                                   {"that of an LSTM whose cell begins with h0 in the place of c0",
                                    lstm_by_loops(swapped).*part},
                                   {"that of an LSTM that begins with zeros: h0 and c0 are lost",
                                    lstm_by_loops(fresh).*part}},
                      .law =
                          "in step t the sequences 0 to batch_size(t) - 1 go on, each with its "
                          "own state of step t - 1"};
    };
    expect_close("y, " + what, got.y, want.y, expected(&Outputs::y));
    expect_close("the last h, " + what, got.h, want.h, expected(&Outputs::h));
    expect_close("the last c, " + what, got.c, want.c, expected(&Outputs::c));
  };
  check("begun with h0 and c0", run(in), lstm_by_loops(in));
  Inputs undefined = in;
  undefined.h0 = undefined.c0 = Tensor();
  check("begun with nothing", run(undefined), lstm_by_loops(fresh));
}

LAB_CHECK(StepByStep) {
  LAB_AFTER(SequenceBySequence);
  Draw draw;
  const Inputs in = draw_inputs(draw);
  const Packing packing(in.lengths);
  const Tensor y = unwritten({packing.rows(), in.w.shape()[1]});
  Tensor h = in.h0, c = in.c0;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    const int64_t running = packing.batch_size(t), begin = packing.offset(t);
    const LstmOutput out =
        lstm(Packing::single_step(running), in.gates.rows(begin, begin + running).clone(), in.w,
             h.rows(0, running), c.rows(0, running));
    y.rows(begin, begin + running).copy_from(out.y.value());
    h = out.h.value();
    c = out.c.value();
  }
  expect_close("y of all steps at once", run(in).y, y,
               {.tolerance = kExact,
                .law = "a loop outside, which hands on the states, and the loop inside give the "
                       "same numbers",
                .want = "yours, a step at a time",
                .got = "yours, all steps at once"});
}

LAB_CHECK(AloneOrInABatch) {
  LAB_AFTER(SequenceBySequence);
  Draw draw;
  const Inputs in = draw_inputs(draw);
  const Outputs together = run(in);
  const Tensor y = unwritten(together.y.shape()), h = unwritten(together.h.shape());
  for (int64_t b = 0; b < std::ssize(in.lengths); ++b) {
    const Outputs one = run(alone(in, b));
    put_rows(y, rows_of_sequence(in, b), one.y);
    h[b].copy_from(one.h[0]);
  }
  const Expected same = {.tolerance = kExact,
                         .law = "a sequence must not depend on its neighbours in the batch",
                         .want = "yours, each alone",
                         .got = "yours, in a batch"};
  expect_close("y", together.y, y, same);
  expect_close("the last h", together.h, h, same);
}

// ---- task: through_time

LAB_CHECK(GradientOfTheGates) {
  if_stopped(
      "step t has layer.rows(t) rows, and not those of the whole batch: what lies behind them "
      "belongs to others. And d.dy is null where nobody uses y.");
  Draw draw;
  const Inputs in = draw_inputs(draw);
  for (const auto& [name, d] : losses(draw_gradients(draw, in))) {
    expect_close(
        "dgates of a loss of " + name, by_op(in, d).gates, differences(in, d, &Inputs::gates),
        {.tolerance = kDifferences,
         .blocks = {"i", "f", "g", "o"},
         .law = "from the last step to the first: dh of step t - 1 is what h_{t-1} does in the "
                "preactivations of step t, and dy of step t - 1 is added there"});
  }
}

LAB_CHECK(EndedSequencesStop) {
  Draw draw;
  const Inputs in = draw_inputs(draw);
  const Outputs d = draw_gradients(draw, in);
  const Tensor together = by_op(in, {d.y, {}, {}}).gates, want = unwritten(in.gates.shape());
  for (int64_t b = 0; b < std::ssize(in.lengths); ++b) {
    const std::vector<int64_t> rows = rows_of_sequence(in, b);
    put_rows(want, rows, differences(alone(in, b), {take_rows(d.y, rows), {}, {}}, &Inputs::gates));
  }
  expect_close("dgates of a batch whose last states nobody uses", together, want,
               {.tolerance = kDifferences,
                .law = "a sequence that ends at step t gets nothing from behind: only the first "
                       "batch_size(t + 1) rows of dh and dc do, unless gradients of the last "
                       "states were given"});
}

LAB_CHECK(GradientOfTheStates) {
  Draw draw;
  const Inputs in = draw_inputs(draw);
  for (const auto& [name, d] : losses(draw_gradients(draw, in))) {
    const Gradients got = by_op(in, d);
    const Tensor h0 = differences(in, d, &Inputs::h0), c0 = differences(in, d, &Inputs::c0);
    expect_close("dh0 of a loss of " + name, got.h0, h0,
                 {.tolerance = kDifferences,
                  .suspects = {{"the gradient of c0", c0}},
                  .law = "h0 is the h of the step before the first: its gradient comes from the "
                         "preactivations of the first step, and is wanted if h0 is"});
    expect_close("dc0 of a loss of " + name, got.c0, c0,
                 {.tolerance = kDifferences,
                  .suspects = {{"the gradient of h0", h0}},
                  .law = "c0 is the c of the step before the first"});
  }
}

// ---- task: weights

LAB_CHECK(GradientOfTheWeights) {
  Draw draw;
  const Inputs in = draw_inputs(draw);
  Inputs one_step = in, zeros = in, undefined = in;
  one_step.lengths.assign(in.lengths.size(), 1);
  one_step.gates = in.gates.rows(0, std::ssize(in.lengths));
  zeros.h0 = zeros.c0 = zeros_like(in.h0);
  undefined.h0 = undefined.c0 = Tensor();
  Inputs first_alone = one_step;  // a step with no h before it
  first_alone.h0 = first_alone.c0 = Tensor();
  const auto check = [&](const std::string& what, const Inputs& given, const Inputs& same) {
    const Outputs d = draw_gradients(draw, same);
    const Tensor da = differences(same, d, &Inputs::gates);
    expect_close(
        "dW_hh, " + what, by_op(given, d, /*with_w=*/true).w, differences(same, d, &Inputs::w),
        {.tolerance = kDifferences,
         .suspects = {{"made of the h that a step gives: W meets the h that it starts from",
                       sum_over_steps(same, da, 0)},
                      {"without the first step: h0 is forgotten", sum_over_steps(same, da, 1)}},
         .law = "W stands in every step, so its gradient is a sum over all steps of all "
                "sequences; a row whose h is zero gives nothing"});
  };
  check("begun with h0", in, in);
  check("of a single step", one_step, one_step);
  check("begun with nothing", undefined, zeros);
  zeros.lengths = one_step.lengths;
  zeros.gates = one_step.gates;
  check("of a single step, begun with nothing", first_alone, zeros);
}

LAB_CHECK(MemoryOfTheBackwardPass) {
  Draw draw;
  const std::vector<int32_t> lengths(draw.between(6, 10),
                                     static_cast<int32_t>(draw.between(40, 60)));
  const int64_t hidden = draw.between(48, 80), rows = std::ssize(lengths) * lengths[0];
  const int64_t bytes = rows * 4 * hidden * 4;
  const Var gates = Var::parameter(draw.normal({rows, 4 * hidden}, DType::f32));
  const Var w = Var::parameter(draw.normal({4 * hidden, hidden}, DType::f32));
  const Var loss = sum(lstm(Packing(lengths), gates, w).y);
  release_cached();
  const int64_t before = memory_stats().bytes_in_use;
  reset_peak();
  loss.backward();
  const double share =
      static_cast<double>(memory_stats().peak_bytes - before) / static_cast<double>(bytes);
  expect(share < 1, "the backward pass needs " + text(share) +
                        " times the memory of all gates on top of what was there: the gradients "
                        "stand where the gates stood, and were copied. dx.add() takes a tensor as "
                        "it is.");
}

}  // namespace
}  // namespace heed::lab
