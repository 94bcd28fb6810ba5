// The settings of a tracker and its training, a line each (train/setting.h).
#pragma once

#include "dialog/track/run.h"

namespace heed::track {

constexpr const char* kTracker = "Tracker (instead of the preset's)";

// Those of config.json.
template <class S, class V> void visit_config(S& m, V& v) {
  const auto size = [&](const char* option, const char* key, auto& value, const char* help) {
    v(setting(option, key, help,
              {.group = kTracker, .least = 1, .most = kMaxModelSize, .required = true}),
      value);
  };
  v(setting(
        "output", "output",
        "heads: a softmax for each slot; energy: all slots' values together, by --steps steps "
        "down the gradient of an energy",
        {.group = kTracker, .words = {"heads", "energy"}, .required = true, .of_variant = true}),
    m.output);
  v(setting("slots", "slots",
            "Slots to track, with commas, restaurant-* for all that begin so; dialogues without a "
            "value of them are left out. If not given: all that the training dialogues have",
            {.group = kTracker, .required = true, .of_data = true}),
    m.slots);
  v(setting("machine", "machine",
            "What is read of the system's turns: acts (labels), text (a second LSTM), or none",
            {.group = kTracker, .words = {"acts", "text", "none"}, .required = true}),
    m.machine);
  visit_sizes(m, v);
  size("act-size", "act_size", m.act_size, "Width of the layers that read acts");
  size("energy-size", "energy_size", m.energy_size, "Columns of W_1 of the energy");
  v(setting("steps", "steps", "Steps down the gradient of the energy",
            {.group = kTracker, .least = 1, .most = 10000, .required = true, .of_variant = true}),
    m.steps);
  v(setting("inner-rate", "inner_rate", "Rate of these steps in the beginning; they are learned",
            {.group = kTracker, .least = 0, .above = true, .required = true}),
    m.inner_rate);
  v(setting("independent", "independent",
            "An energy in which slots do not meet (w_2 = 0): logistic regression",
            {.group = kTracker, .required = true, .of_variant = true}),
    m.independent);
  visit_dropout(m.dropout, v);
  v({.key = "act_count", .required = true}, m.act_count);
  v({.key = "values", .required = true}, m.values);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  v({.option = "preset", .key = "preset"}, s.preset);
  v(setting("fixed-features", "fixed_features",
            "The network under the output stays as it was in --init",
            {.group = kTracker, .required = true, .of_variant = true}),
    s.fixed_features);
  v(setting("vocab", "vocabulary", "Vocabulary size, special tokens included",
            {.group = kSizes,
             .least = kSpecialTokens + 1,
             .most = Vocabulary::kMaxSize,
             .of_data = true}),
    s.vocabulary);
  v({.option = "init", .key = "init"}, s.init);
  visit_limit(s.limit, v);
  visit_settings(s.loop, v);
  v({.key = "data_fingerprint", .required = true}, s.data_fingerprint);
}

template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  s.fixed_features;
}
{
  visit_config(s.model, v);
  visit_training(s, v);
}

}  // namespace heed::track
