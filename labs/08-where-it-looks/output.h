// What a model could have put out for drawn dialogues, and what that has to be measured as.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "labs/07-attention/dialogues.h"
#include "labs/08-where-it-looks/by_loops.h"
#include "labs/support/check.h"

namespace heed::lab {

inline const Tolerance kExact = {.relative = 1e-11, .absolute = 1e-12};

inline Tensor numbers(const std::vector<double>& values) {
  return Tensor::from(values, {std::ssize(values)});
}

// Dialogues: a long utterance before short ones, all as long, a single word, one that says nothing
// in between, many utterances, and drawn ones.
inline std::vector<Example> dialogues_of_all_shapes(Draw& draw) {
  std::vector<Example> all = draw_examples(draw, 8);
  all[0].context = {{5, 6, 7}, {8}, {9}};
  all[1].context = {{5, 6}, {7, 8}, {9, 10}};
  all[2].context = {{5}};
  all[3].context = {{5}, {}, {6}};
  all[4].context.assign(300, {5, 6});
  return all;
}

using NamedNumbers = std::vector<std::pair<std::string, std::optional<double>>>;

// Two numbers, each of which may be undefined.
inline void expect_number(const std::string& what, const std::optional<double>& got,
                          const std::optional<double>& want, const NamedNumbers& suspects = {},
                          const std::string& law = "") {
  if (got.has_value() != want.has_value()) {
    return expect(false,
                  text(what, got ? text(" is ", *got) : std::string(" is undefined"),
                       want ? text(", expected ", *want)
                            : std::string(": where there is nothing to take a mean of, or to "
                                          "divide by, it is undefined, and not 0"),
                       law.empty() ? "." : ". ", law));
  }
  if (!want) return;
  if (*got == 0 && *want != 0) {
    return expect(false, text(what, " is 0, expected ", *want, law.empty() ? "." : ". ", law));
  }
  Expected expected = {.tolerance = kExact, .law = law};
  for (const auto& [name, value] : suspects) {
    if (value) expected.suspects.emplace_back(name, numbers({*value}));
  }
  expect_close(what, numbers({*got}), numbers({*want}), expected);
}

// What a model could have put out for a batch of drawn dialogues: in each step weights that add up
// to 1.
struct Output {
  enum Layout : uint8_t { kSame, kStepByStep, kDialogueByDialogue };
  std::vector<Example> examples;
  MemoryOf of;
  Batch batch;
  std::vector<Rows> weights;  // of each dialogue in batch order
  Taught taught;

  Output(Draw& draw, MemoryOf of, Layout layout, bool even = false, int64_t more_steps = 0)
      : examples(with_flagged_query(draw_examples(draw, draw.between(3, 6)), more_steps)),
        of(of),
        batch(make_batch(pointers(examples), {.memory = of})) {
    draw_weights(draw, layout, even);
    taught.nll = draw.normal({batch.response.packing.rows()});
    taught.attention = trace(layout);
  }
  static std::vector<Example> with_flagged_query(std::vector<Example> drawn, int64_t more_steps) {
    drawn[0].response.insert(drawn[0].response.end(), more_steps, kSpecialTokens);
    drawn[0].context[0].insert(drawn[0].context[0].end(), 10 * more_steps, kSpecialTokens);
    drawn[1].distraction.back() = 1;  // no data has that; flags and the loss are of any mask
    return drawn;
  }
  void draw_weights(Draw& draw, Layout layout, bool even = false) {
    weights.assign(batch.size, {});
    for (int64_t b = 0; b < dialogues(); ++b) {
      const auto rows = static_cast<size_t>(batch.memory.segments.length(b));
      for (int64_t t = 0; t < steps(b); ++t) {
        if (layout == kSame && t > 0) {
          weights[b].push_back(weights[b][0]);
          continue;
        }
        auto& w = weights[b].emplace_back(rows);
        for (double& x : w) x = even ? 1 : draw.uniform(0.1, 1);
        const double sum = sum_of(w);
        for (double& x : w) x /= sum;
      }
    }
  }
  int64_t dialogues() const { return batch.size; }
  int64_t steps(int64_t b) const { return batch.response.packing.length(b); }

  AttentionTrace trace(Layout layout) const {
    const Segments& memory = batch.memory.segments;
    std::vector<double> of_dialogues;
    std::vector<int64_t> all_steps;
    for (int64_t b = 0; b < dialogues(); ++b) {
      all_steps.push_back(steps(b));
      for (int64_t t = 0; t < (layout == kSame ? 1 : steps(b)); ++t) {
        of_dialogues.insert(of_dialogues.end(), weights[b][t].begin(), weights[b][t].end());
      }
    }
    if (layout == kSame) return AttentionTrace::same_in_all_steps(numbers(of_dialogues), memory);
    if (layout == kDialogueByDialogue) {
      return AttentionTrace::dialogue_by_dialogue(numbers(of_dialogues), memory, all_steps);
    }
    std::vector<Var> of_steps;
    for (int64_t t = 0; t < steps(0); ++t) {
      std::vector<double> running;
      for (int64_t b = 0; b < batch.response.packing.batch_size(t); ++b) {
        running.insert(running.end(), weights[b][t].begin(), weights[b][t].end());
      }
      of_steps.emplace_back(numbers(running));
    }
    return AttentionTrace::step_by_step(of_steps, memory);
  }

  // f(example, its weights) of all examples in their order, one behind the other.
  template <class F> Tensor in_order(F f) const {
    std::vector<std::vector<double>> parts(examples.size());
    for (int64_t b = 0; b < dialogues(); ++b) {
      parts[batch.order[b]] = f(examples[batch.order[b]], weights[b]);
    }
    std::vector<double> all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return numbers(all);
  }
  Tensor as(Mistake mistake = Mistake::kNone) const {
    return in_order(
        [&](const Example& e, const Rows& w) { return as_by_loops(e, of, w, mistake); });
  }
};

inline Output draw_output(Draw& draw, MemoryOf of = MemoryOf::kTokens, bool even = false) {
  return {draw, of, static_cast<Output::Layout>(draw.between(0, 2)), even};
}
// body(output) for memories of both kinds, and each way in which weights can stand.
template <class Body> void for_each_output(Draw& draw, Body body) {
  for (const MemoryOf of : {MemoryOf::kTokens, MemoryOf::kUtterances}) {
    for (const auto layout : {Output::kSame, Output::kStepByStep, Output::kDialogueByDialogue}) {
      body(Output(draw, of, layout));
      if (testing::Test::HasFailure()) return;
    }
  }
  body(Output(draw, MemoryOf::kTokens, Output::kStepByStep, /*even=*/false, /*more_steps=*/20));
}

inline std::vector<DialogueScore> scored(const Output& o, bool with_attention = false) {
  return score_output(o.taught, o.batch, pointers(o.examples), with_attention);
}

inline Tensor all_of(const std::vector<DialogueScore>& scores,
                     std::vector<double> DialogueScore::*member) {
  std::vector<double> all;
  for (const DialogueScore& s : scores) {
    all.insert(all.end(), (s.*member).begin(), (s.*member).end());
  }
  return numbers(all);
}

inline void check_loss_of_each_step(const Output& o) {
  const auto loss = [&](bool squares, bool over_distractions, bool first = false, bool all = true) {
    return o.in_order([&](const Example& e, const Rows& w) {
      const std::vector<int64_t> rows = rows_of_utterances(e, o.of);
      std::vector<double> of_steps;
      for (size_t t = 0; t < w.size(); ++t) {
        const std::vector<double>& step = w[first ? 0 : t];
        double sum = 0, flagged = 0;
        size_t j = 0;
        for (size_t k = 0; k < rows.size(); ++k) {
          for (const size_t end = j + static_cast<size_t>(rows[k]); j < end; ++j) {
            flagged += e.distraction[k];
            sum += e.distraction[k] * (squares ? step[j] * step[j] : step[j]);
          }
        }
        of_steps.push_back(sum / (over_distractions ? std::max(flagged, 1.0)
                                  : all             ? static_cast<double>(step.size())
                                                    : 1));
      }
      return of_steps;
    });
  };
  for (const bool with_attention : {false, true}) {
    expect_close(
        "the attention loss of each step",
        all_of(scored(o, with_attention), &DialogueScore::attention_loss), loss(true, false),
        {.tolerance = kExact,
         .suspects = {{"the mean of the weights, not of their squares", loss(false, false)},
                      {"the mean over the distractions: Eq. 9 divides by all rows",
                       loss(true, true)},
                      {"that of the first step in all", loss(true, false, true)},
                      {"the sum over the rows, not their mean", loss(true, false, false, false)}},
         .law = "mean over the memory rows of (weight x mask)^2"});
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace heed::lab
