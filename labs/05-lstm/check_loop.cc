// Lab 5, third part: all steps, through the op; gradients are compared with central differences of
// an LSTM in plain loops.
#include "labs/05-lstm/batches.h"
#include "tensor/allocator.h"

namespace heed::lab {
namespace {

// ---- task: forward

LAB_CHECK(SequenceBySequence) {
  if_stopped(
      "step t has layer.rows(t) rows, and not those of the whole batch: what lies behind them "
      "belongs to others. And in step 0 the states may be null.");
  Draw draw;
  const Inputs in = draw_inputs(draw);
  const auto check = [](const std::string& what, const Inputs& given, const Inputs& same) {
    Inputs forgetful = same, swapped = same, fresh = same;
    forgetful.w = zeros_like(same.w);
    swapped.c0 = same.h0;
    fresh.h0 = fresh.c0 = zeros_like(same.h0);
    const Outputs got = run(given), want = lstm_by_loops(same);
    const auto expected = [&](Tensor Outputs::*part) {
      return Expected{.tolerance = kExact,
                      .suspects = {{"that of steps that know nothing of h_{t-1}: a_t is gates_t + "
                                    "h_{t-1} W^T",
                                    lstm_by_loops(forgetful).*part},
                                   {"that of an LSTM that begins with zeros: h0 and c0, or the "
                                    "one that was given, are lost",
                                    lstm_by_loops(fresh).*part},
                                   {"that of an LSTM whose cell begins with h0 in the place of c0",
                                    lstm_by_loops(swapped).*part}},
                      .law =
                          "in step t the sequences 0 to batch_size(t) - 1 go on, each with its "
                          "own state of step t - 1: layer.rows(t) rows, and not those of the "
                          "whole batch"};
    };
    expect_close("y, " + what, got.y, want.y, expected(&Outputs::y));
    expect_close("the last h, " + what, got.h, want.h, expected(&Outputs::h));
    expect_close("the last c, " + what, got.c, want.c, expected(&Outputs::c));
  };
  check("begun with h0 and c0", in, in);
  if (testing::Test::HasFailure()) return;
  const Inputs many = draw_inputs(draw, /*many=*/true);
  check("of many sequences and steps", many, many);
  Inputs undefined = in, zeros = in;
  undefined.h0 = undefined.c0 = Tensor();
  zeros.h0 = zeros.c0 = zeros_like(in.h0);
  check("begun with nothing", undefined, zeros);
  for (Tensor Inputs::*one : {&Inputs::h0, &Inputs::c0}) {  // is undefined, the other is there
    Inputs given = in, same = in;
    given.*one = Tensor();
    same.*one = zeros_like(in.h0);
    check(one == &Inputs::h0 ? "begun with c0 alone" : "begun with h0 alone", given, same);
  }
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
                       "same numbers. A batch of one step is multiplied by the matrix that you "
                       "give to product(), W^T; over more steps it is packed before, and a wrong "
                       "one does not show",
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
  const Outputs all = draw_gradients(draw, in);
  const auto check = [](const std::string& what, const Inputs& given, const Inputs& same,
                        const Outputs& d, Wanted wanted) {
    const auto of_the_longest = [&](Tensor state) {
      if (!state.defined()) return state;
      state = state.clone();
      for (int64_t b = 0; b < std::ssize(same.lengths); ++b) {
        if (same.lengths[b] < same.lengths[0]) state[b].fill(0);
      }
      return state;
    };
    const Tensor h = of_the_longest(d.h), c = of_the_longest(d.c);
    const std::string ended =
        " of sequences that end before the last step: it comes in at their end";
    const auto without = [&](const Outputs& some) {
      return differences(same, some, &Inputs::gates);
    };
    expect_close(
        "dgates of a loss of " + what, by_op(given, d, wanted).gates,
        differences(same, d, &Inputs::gates),
        {.tolerance = kDifferences,
         .suspects = {{"without the given dh" + ended, without({d.y, h, d.c})},
                      {"without the given dc" + ended, without({d.y, d.h, c})}},
         .blocks = {"i", "f", "g", "o"},
         .law = "from the last step to the first: dh of step t - 1 is what h_{t-1} does in the "
                "preactivations of step t, and dy of step t - 1 is added there"});
  };
  for (const auto& [name, d] : losses(all)) check(name, in, in, d, {});
  if (testing::Test::HasFailure()) return;
  const Inputs many = draw_inputs(draw, /*many=*/true);
  check("all outputs, of many sequences and steps", many, many, draw_gradients(draw, many), {});
  check("all outputs, h0 a constant", in, in, all, {.h0 = false});
  check("all outputs, c0 a constant", in, in, all, {.c0 = false});
  Inputs undefined = in, zeros = in;
  undefined.h0 = undefined.c0 = Tensor();
  zeros.h0 = zeros.c0 = zeros_like(in.h0);
  check("all outputs, begun with nothing", undefined, zeros, all, {});
  for (Tensor Inputs::*one : {&Inputs::h0, &Inputs::c0}) {
    Inputs given = in, same = in;
    given.*one = Tensor();
    same.*one = zeros_like(in.h0);
    check(one == &Inputs::h0 ? "all outputs, begun with c0 alone"
                             : "all outputs, begun with h0 alone",
          given, same, all, {});
  }
}

LAB_CHECK(EndedSequencesStop) {
  Draw draw;
  const Inputs in = draw_inputs(draw);
  const Outputs d = draw_gradients(draw, in);
  const Tensor together = by_op(in, {d.y, {}, {}}).gates, want = unwritten(in.gates.shape());
  bool each_is_right = true;
  for (int64_t b = 0; b < std::ssize(in.lengths); ++b) {
    const std::vector<int64_t> rows = rows_of_sequence(in, b);
    const Outputs of_y = {take_rows(d.y, rows), {}, {}};
    const Tensor of_one = differences(alone(in, b), of_y, &Inputs::gates);
    each_is_right &= mismatch(by_op(alone(in, b), of_y).gates, of_one, kDifferences).empty();
    put_rows(want, rows, of_one);
  }
  expect_close(
      "dgates of a batch whose last states nobody uses", together, want,
      {.tolerance = kDifferences,
       .law = each_is_right ? "a sequence that ends at step t gets nothing from behind: only the "
                              "first batch_size(t + 1) rows of dh and dc do, unless gradients of "
                              "the last states were given"
                            : "a sequence alone has wrong gradients, too: it is not that some end "
                              "before others"});
}

LAB_CHECK(GradientOfTheStates) {
  Draw draw;
  const Inputs in = draw_inputs(draw);
  for (const auto& [name, d] : losses(draw_gradients(draw, in))) {
    const Tensor h0 = differences(in, d, &Inputs::h0), c0 = differences(in, d, &Inputs::c0);
    const Expected of_h0 = {.tolerance = kDifferences,
                            .suspects = {{"the gradient of c0", c0}},
                            .law =
                                "h0 is the h of the step before the first: its gradient comes "
                                "from the preactivations of the first step, and is wanted if "
                                "h0 is"};
    const Expected of_c0 = {.tolerance = kDifferences,
                            .suspects = {{"the gradient of h0", h0}},
                            .law = "c0 is the c of the step before the first"};
    const Gradients got = by_op(in, d);
    expect_close("dh0 of a loss of " + name, got.h0, h0, of_h0);
    expect_close("dc0 of a loss of " + name, got.c0, c0, of_c0);
    expect_close("dh0, c0 a constant", by_op(in, d, {.c0 = false}).h0, h0, of_h0);
    expect_close("dc0, h0 a constant", by_op(in, d, {.h0 = false}).c0, c0, of_c0);
    if (testing::Test::HasFailure()) return;
  }
  if_stopped("One of h0 and c0 is undefined here: the other one has a gradient all the same.");
  const Outputs d = draw_gradients(draw, in);
  for (Tensor Inputs::*one : {&Inputs::h0, &Inputs::c0}) {
    Inputs given = in, same = in;
    given.*one = Tensor();
    same.*one = zeros_like(in.h0);
    const bool of_c = one == &Inputs::h0;
    const Gradients got = by_op(given, d);
    expect_close(of_c ? "dc0, h0 undefined" : "dh0, c0 undefined", of_c ? got.c0 : got.h0,
                 differences(same, d, of_c ? &Inputs::c0 : &Inputs::h0),
                 {.tolerance = kDifferences,
                  .law = "one of h0 and c0 may be undefined: the other one has a gradient all the "
                         "same"});
    if (testing::Test::HasFailure()) return;
  }
  if_stopped("");
  Inputs one_step = in;
  one_step.lengths.assign(in.lengths.size(), 1);
  one_step.gates = in.gates.rows(0, std::ssize(in.lengths));
  const std::string law =
      "a batch of one step: what comes in goes through it once, and is multiplied by the matrix "
      "that you give to product(), W; over more steps it is packed before, and a wrong one does "
      "not show";
  for (const auto& [name, d] : losses(draw_gradients(draw, one_step))) {
    const Gradients got = by_op(one_step, d);
    expect_close("dh0 of a single step, of a loss of " + name, got.h0,
                 differences(one_step, d, &Inputs::h0), {.tolerance = kDifferences, .law = law});
    expect_close("dc0 of a single step, of a loss of " + name, got.c0,
                 differences(one_step, d, &Inputs::c0), {.tolerance = kDifferences, .law = law});
    if (testing::Test::HasFailure()) return;
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
        "dW_hh, " + what, by_op(given, d, {.w = true}).w, differences(same, d, &Inputs::w),
        {.tolerance = kDifferences,
         .suspects = {{"made of the h that a step gives: W meets the h that it starts from",
                       sum_over_steps(same, da, 0)},
                      {"without the first step: h0 is forgotten", sum_over_steps(same, da, 1)}},
         .law = "W stands in every step, so its gradient is a sum over all steps of all "
                "sequences; a row whose h is zero gives nothing"});
  };
  check("begun with h0", in, in);
  check("of a single step", one_step, one_step);
  check("of a single sequence", alone(in, 0), alone(in, 0));
  check("of a single step of a single sequence", alone(one_step, 0), alone(one_step, 0));
  check("of a single sequence, begun with nothing", alone(undefined, 0), alone(zeros, 0));
  const Inputs many = draw_inputs(draw, /*many=*/true);
  check("of many sequences and steps", many, many);
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
                        "it is; dx.add_outer() does, too, if dW is one product for all steps, and "
                        "copies the parts of several.");
}

}  // namespace
}  // namespace heed::lab
