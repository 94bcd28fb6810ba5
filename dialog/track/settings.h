// The settings of a tracker and its training, one line each (train/setting.h).
#pragma once

#include <cstdint>
#include <string>

#include "dialog/runs_of.h"
#include "dialog/track/model.h"

namespace heed::track {

// init: the tracker whose features it began with, or an encoder
struct Settings : ModelOptions<Config> {
  bool fixed_features = false;                     // the features of --init are frozen
  std::optional<int64_t> labels_fingerprint = {};  // of acts and values; older versions had none

  void check() const;  // throws UsageError
};

constexpr const char* kTracker = "Tracker (instead of the preset's)";

// Those of config.json.
template <class V> void visit_model_config(auto& m, V& v) {
  v(setting(
        "output", "output",
        "heads: a softmax for each slot; energy: all slots together, by --steps steps down the "
        "gradient of an energy",
        {.group = kTracker, .words = {"heads", "energy"}, .required = true, .of_variant = true}),
    m.output);
  v(setting("slots", "slots",
            "Slots to track, separated by commas; restaurant-* means all that begin so. Dialogues "
            "without a value of these slots are left out. If not given: all slots of the training "
            "dialogues",
            {.group = kTracker, .required = true, .of_data = true}),
    m.slots);
  v(setting("machine", "machine",
            "What is read of the system's turns: acts (labels), text (a second LSTM), or none",
            {.group = kTracker, .words = {"acts", "text", "none"}, .required = true}),
    m.machine);
  visit_sizes(m, v);
  pretrained::visit_encoder(m.words, v);
  v(size_of("act-size", "act_size", "Width of the layers that read acts", kTracker)
        .only_with("machine", {"acts"}),
    m.act_size);
  v(size_of("energy-size", "energy_size", "Columns of W_1 of the energy", kTracker)
        .only_with("output", {"energy"})
        .only_with("independent", {"false"}),
    m.energy_size);
  v(setting("steps", "steps", "Steps down the gradient of the energy",
            {.group = kTracker, .least = 1, .most = 10000, .required = true, .of_variant = true})
        .only_with("output", {"energy"}),
    m.steps);
  v(setting("inner-rate", "inner_rate", "Initial rate of these steps; training changes it",
            {.group = kTracker, .least = 0, .above = true, .required = true})
        .only_with("output", {"energy"}),
    m.inner_rate);
  v(setting("independent", "independent",
            "An energy in which slots do not interact (w_2 = 0): logistic regression",
            {.group = kTracker, .required = true, .of_variant = true}),
    m.independent);
  visit_dropout(m.dropout, v);
  v({.key = "act_count", .least = 0, .most = kMaxModelSize, .required = true}, m.act_count);
  v({.key = "values", .least = 1, .most = kMaxModelSize, .required = true}, m.values);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  v(setting("fixed-features", "fixed_features",
            "Keep the network below the output as it is in --init",
            {.group = kTracker, .required = true, .of_variant = true}),
    s.fixed_features);
  v({.key = kLabelsFingerprint}, s.labels_fingerprint);
  visit_run_options(s, v);
}

}  // namespace heed::track
