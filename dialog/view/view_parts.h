// The common part of the two pictures of attention.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "dialog/view/render.h"

namespace heed {

// "(4 earlier turns are not read)"
inline std::string earlier_turns_text(const DialogueView& dialogue) {
  const bool one = dialogue.earlier_turns == 1;
  return "(" + std::to_string(dialogue.earlier_turns) +
         (one ? " earlier turn is not read)" : " earlier turns are not read)");
}

// The attention score of a full bar: at least twice the average, so that an average bar never looks
// full, and the same for all bars of a dialogue.
inline double full_bar(const DialogueView& dialogue) {
  double full = 2;
  for (const ModelView& m : dialogue.models) {
    for (double as : m.as_scores) {
      if (std::isfinite(as)) full = std::max(full, as);
    }
  }
  return full;
}

// The attention score of an utterance; none for a model without attention.
inline std::optional<double> score_of(const ModelView& model, size_t utterance) {
  return model.as_scores.empty() ? std::nullopt : std::optional(model.as_scores[utterance]);
}

// "On random:1.0 the DAS ratio of trained is lower than that of baseline in 2900 of 3698 examples;
// these are the first ones, not chosen"
inline std::string lower_text(const AttentionView& view) {
  return "On " + view.test_set + " the DAS ratio of " + view.models.back().name +
         " is lower than that of " + view.models.front().name + " in " +
         std::to_string(view.lower.lower) + " of " + std::to_string(view.lower.all) + " examples" +
         (view.chosen ? "" : "; these are the first ones, not chosen");
}

inline void check_view(const DialogueView& dialogue, size_t models) {
  check_internal(dialogue.models.size() == models, "a view lacks a model");
  for (const ModelView& m : dialogue.models) {
    check_internal(m.as_scores.empty() || m.as_scores.size() == dialogue.context.size(),
                   "a view lacks attention scores");
  }
}

inline void check_view(const AttentionView& view) {
  for (const DialogueView& d : view.dialogues) check_view(d, view.models.size());
  for (const ResultView& r : view.results) {
    check_internal(r.models.size() == view.models.size(), "a view lacks results");
  }
}

}  // namespace heed
