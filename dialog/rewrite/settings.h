// The settings of a model of gaps and its training, one line each (train/setting.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dialog/rewrite/loss.h"
#include "dialog/runs_of.h"

namespace heed::rewrite {

struct Settings {
  Config model = {};
  Bounds bounds = {};
  LossSettings loss = {};
  LoopSettings loop = {};
  size_t limit = 0;               // dialogues to read of each part, 0: all
  uint32_t data_fingerprint = 0;  // of the data: a run is resumed only with the same data
  std::string init = {};          // the pretrained encoder that the run began with
  std::optional<std::string> preset = {};
  std::optional<int64_t> vocabulary = {};  // as requested

  void check() const;  // throws UsageError
  void check_model() const { model.check(), bounds.check(); }
};

constexpr const char *kModel = "Model (instead of the preset's)", *kTexts = "Dialogues";

template <class V> void visit_gap_model(auto& m, V& v) {
  visit_sizes(m, v);
  pretrained::visit_encoder(m.words, v);
  visit_dropout(m.dropout, v);
  v(setting("positions", "positions",
            "on: words carry their distance from the end; off: they do not",
            {.group = kModel, .words = {"off", "on"}, .required = true, .of_variant = true}),
    Words{m.positions, "off", "on"});
}
template <class V> void visit_bounds(auto& b, V& v) {
  const auto bound = [&](const char* option, const char* key, const char* help, auto& value,
                         double least, double most) {
    v(setting(option, key, help,
              {.group = kTexts, .least = least, .most = most, .required = true, .of_data = true}),
      value);
  };
  bound("max-context", "max_context",
        "Read only the last N words of the context, counting the end of each turn as one; a "
        "Chinese character is a word",
        b.max_context, 2, 100'000);
  bound("max-turn-words", "max_turn", "Leave out turns of more words, or with a full form of more",
        b.max_turn, 1, 1000);
  bound("max-span", "max_span", "Most words that may fill a gap", b.max_span, 1, 100);
}
// Those of config.json.
template <class S, class V> void visit_config(S& s, V& v) {
  visit_gap_model(s.model, v);
  visit_bounds(s.bounds, v);
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
  v({.option = "preset", .key = "preset"}, s.preset);
  visit_loss(s.loss, v);
  visit_asked(s, v);
}

}  // namespace heed::rewrite
