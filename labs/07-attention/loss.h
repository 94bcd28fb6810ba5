// The attention loss of weights that are made here, and what its mistakes look like.
#pragma once

#include <algorithm>
#include <map>

#include "dialog/respond/loss.h"
#include "labs/07-attention/dialogues.h"
#include "labs/07-attention/ragged.h"

namespace heed::lab {

inline Expected one_mistake(const Traced& t, const Tensor& weights) {
  Expected expected = {.tolerance = kExact,
                       .law =
                           "for each step of each dialogue: the mean over its memory rows of "
                           "(weight x mask)^2"};
  const auto add = [&](const char* name, Mistake mistake) {
    expected.suspects.emplace_back(name, Tensor::full({1}, t.loss(weights, mistake), DType::f64));
  };
  add("the mean over the distractions: it is over all rows of the dialogue's memory",
      Mistake::kMeanOverDistractions);
  add("divided by the rows of the whole batch: a dialogue's mean is over its own",
      Mistake::kMeanOverBatch);
  add("the sum over the rows of the memory, not their mean", Mistake::kNoMean);
  if (t.same) {
    add("what one step costs: weights that are the same in all steps count in each of them",
        Mistake::kStepsCountOnce);
  } else {
    add("the mean over the steps of a dialogue: the loss sums over them", Mistake::kMeanOverSteps);
    add("that of the first step alone", Mistake::kFirstStep);
  }
  add("the weights themselves, not their squares", Mistake::kNoSquare);
  add("that of the first dialogue alone", Mistake::kFirstDialogue);
  add("made with the mask of the first dialogue for all: that of b begins where its rows do",
      Mistake::kMaskOfTheFirst);
  add("the loss of all rows: only distractions cost something", Mistake::kNoMask);
  const auto add_number = [&](const char* name, double value) {
    expected.suspects.emplace_back(name, Tensor::full({1}, value, DType::f64));
  };
  add_number("the mean over the dialogues: training_loss() divides by their number",
             t.loss(weights) / static_cast<double>(t.batch.size));
  return expected;
}

// What a model put out, of which the loss reads the attention alone.
inline Taught looked(const AttentionTrace& attention) {
  return {.nll_total = {}, .nll = {}, .attention = attention};
}

// Whether each mistake gives a number of its own, and none of them nothing.
inline bool told_apart(const Expected& expected, double loss) {
  std::vector<double> values = {0, loss};
  for (const auto& [name, tensor] : expected.suspects) values.push_back(tensor.to_vector()[0]);
  std::sort(values.begin(), values.end());
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] - values[i - 1] < 1e-3) return false;
  }
  return true;
}

// What a model with these weights, one behind the other, put out.
inline Taught output_of(const Traced& t, const Var& w) {
  const Segments& memory = t.batch.memory.segments;
  if (t.same) return looked(AttentionTrace::same_in_all_steps(w, memory));
  std::vector<Var> steps;
  for (int64_t step = 0, at = 0; step < t.steps(); at += t.rows_of_step(step++)) {
    steps.push_back(rows(w, at, at + t.rows_of_step(step)));
  }
  return looked(AttentionTrace::step_by_step(steps, memory));
}

inline void check_loss_of_one(Draw& draw, MemoryOf of, bool same) {
  const Traced t(draw_examples(draw, 1), of, same);
  const Tensor weights = draw.normal({t.weights()});
  const Var loss = attention_loss(t.batch, output_of(t, weights));
  if (!loss.defined()) return expect(false, "the loss is undefined, but there are distractions.");
  expect_close("the attention loss of a batch of one dialogue", loss.value().reshape({1}),
               Tensor::full({1}, t.loss(weights), DType::f64), one_mistake(t, weights));
}

inline void check_loss(Draw& draw, MemoryOf of, bool same) {
  std::vector<Example> examples = draw_examples(draw, draw.between(9, 12));
  examples[0].response.insert(examples[0].response.end(), 9, kSpecialTokens);  // many steps
  examples[0].distraction[0] = examples[0].distraction[1] = 1;  // one dialogue has two
  examples[1].distraction.back() = 1;  // no data has that; the loss is of any mask
  const Traced t(examples, of, same);
  const Tensor weights = draw.normal({t.weights()});
  if (!told_apart(one_mistake(t, weights), t.loss(weights))) return check_loss(draw, of, same);
  const Var w = Var::parameter(weights);
  const Taught taught = output_of(t, w);
  if_stopped(
      "Dialogue b has batch.response.packing.length(b) steps and memory.segments.length(b) rows of "
      "its own: an index went past these.");
  const Var loss = attention_loss(t.batch, taught);
  if (!loss.defined()) return expect(false, "the loss is undefined, but there are distractions.");
  expect_close("the attention loss", loss.value().reshape({1}),
               Tensor::full({1}, t.loss(weights), DType::f64), one_mistake(t, weights));
  if (testing::Test::HasFailure()) return;
  const char* const law =
      "the loss has to be made of ops of the weights, or no gradient comes back";
  if (!loss.node()) return expect(false, law);
  loss.backward();
  expect_close("its gradient", w.grad(),
               central_differences([&](const Tensor& at) { return t.loss(at); }, weights),
               {.tolerance = kRough, .law = law});
  if (testing::Test::HasFailure()) return;
  if_stopped("Weights are f32 in a model: what they meet has to have their type.");
  const Segments& memory = t.batch.memory.segments;
  const Tensor turned = empty_like(weights);
  expect_close("the attention loss of weights of f32",
               attention_loss(t.batch, output_of(t, weights.to(DType::f32))).value().reshape({1}),
               Tensor::full({1}, t.loss(weights), DType::f32),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-5}, .law = "the same in f32"});
  if (testing::Test::HasFailure()) return;
  check_loss_of_one(draw, of, same);
  if (same) return;
  std::vector<int64_t> steps_of;  // the same weights as a transformer has them
  int64_t to = 0;
  for (int64_t b = 0; b < t.batch.size; ++b) {
    steps_of.push_back(t.steps(b));
    for (int64_t step = 0; step < t.steps(b); ++step) {
      for (int64_t j = 0; j < memory.length(b); ++j) {
        turned.data<double>()[to++] = weights.data<double>()[taught.attention.at(b, step) + j];
      }
    }
  }
  expect_close("the attention loss of weights that stand dialogue by dialogue",
               attention_loss(t.batch, looked(AttentionTrace::dialogue_by_dialogue(
                                           Var(turned), memory, steps_of)))
                   .value()
                   .reshape({1}),
               Tensor::full({1}, t.loss(weights), DType::f64),
               {.tolerance = kExact,
                .law = "AttentionTrace::at(b, t) says where the weights of a step begin: not in "
                       "every model they stand step after step"});
}

// The share of the attention that distractions get, meaned over the dialogues that have some.
inline double share_of_distractions(const Batch& batch, const Tensor& weights) {
  double share = 0;
  std::map<int64_t, bool> dialogues;
  for (const Look& look : looks(batch.memory.segments)) {
    if (batch.memory.distraction[look.row] == 0) continue;
    share += weights.data<double>()[look.score];
    dialogues[look.query] = true;
  }
  return share / static_cast<double>(dialogues.size());
}

// What the distractions of the batch's only dialogue get, in times of even attention.
inline double what_distractions_get(const LstmResponder& model, const Batch& batch) {
  const NoGrad guard;
  const AttentionTrace trace = model.teach(batch).attention;
  const std::vector<double> w = trace.weights().value().to_vector();
  const int64_t steps = batch.response.packing.length(0), rows = batch.memory.segments.length(0);
  double sum = 0, distractions = 0;
  for (int64_t j = 0; j < rows; ++j) {
    distractions += batch.memory.distraction[j];
    for (int64_t t = 0; t < steps; ++t) sum += batch.memory.distraction[j] * w[trace.at(0, t) + j];
  }
  return sum / static_cast<double>(steps) / (distractions / static_cast<double>(rows));
}

}  // namespace heed::lab
