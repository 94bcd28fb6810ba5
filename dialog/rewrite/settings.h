// The settings of a model of gaps and its training, one line each (train/setting.h).
#pragma once

#include <cstdint>
#include <string>

#include "dialog/rewrite/loss.h"
#include "dialog/runs_of.h"

namespace heed::rewrite {

struct Settings : ModelOptions<Config> {
  LossSettings loss = {};

  void check() const;  // throws UsageError
};

constexpr const char *kModel = "Model (instead of the preset's)", *kTexts = "Dialogues";

// Those of config.json.
template <class V> void visit_model_config(auto& m, V& v) {
  visit_sizes(m, v);
  pretrained::visit_encoder(m.words, v);
  visit_dropout(m.dropout, v);
  v(setting("positions", "positions",
            "on: words carry their distance from the end; off: they do not",
            {.group = kModel, .words = {"off", "on"}, .required = true, .of_variant = true}),
    Words{m.positions, "off", "on"});
  const auto bound = [&](const char* option, const char* key, const char* help, auto& value,
                         double least, double most) {
    v(setting(option, key, help,
              {.group = kTexts, .least = least, .most = most, .required = true, .of_data = true}),
      value);
  };
  bound("max-context", "max_context",
        "Read only the last N words of the context, counting the end of each turn as one; a "
        "Chinese character is a word",
        m.bounds.max_context, 2, 100'000);
  bound("max-turn-words", "max_turn", "Leave out turns of more words, or with a full form of more",
        m.bounds.max_turn, 1, 1000);
  bound("max-span", "max_span", "Most words that may fill a gap", m.bounds.max_span, 1, 100);
}

template <class V> void visit_loss(auto& loss, V& v) {
  v(setting("learn", "learn",
            "both: where gaps are and what fills them; detect, rank: only one of the two",
            {.group = kModel,
             .words = {"both", "detect", "rank"},
             .required = true,
             .of_variant = true}),
    loss.learn);
  v(setting("label-weight", "label_weight", "Weight of the labels' cross entropy (lambda)",
            {.group = kModel, .least = 0, .required = true})
        .only_with("learn", {"both", "detect"}),
    loss.label_weight);
  v(setting("size-weight", "size_weight", "Weight of the parameters' norm (mu)",
            {.group = kModel, .least = 0, .required = true}),
    loss.size_weight);
  v(setting("margin", "margin", "Margin of the hinge (delta)",
            {.group = kModel, .least = 0, .above = true, .required = true})
        .only_with("learn", {"both", "rank"}),
    loss.margin);
  v(setting(
        "hardest", "hardest",
        "Candidates that a filling is told from in a step, those with the highest scores; 0: all",
        {.group = kModel, .least = 0, .most = 100'000, .required = true})
        .only_with("learn", {"both", "rank"}),
    loss.hardest);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  visit_loss(s.loss, v);
  visit_run_options(s, v);
}

}  // namespace heed::rewrite
