#pragma once

#include <CLI/App.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "dialog/respond/presets.h"

namespace heed {

// How a model is trained, as options of a sub-command: all but the seed.
struct TrainFlags {
  std::string structure = "static-ui";
  double insert_prob = 0;
  std::string preset = "laptop";
  std::optional<int64_t> layers, embed, hidden, heads, vocab, batch;
  std::optional<int> epochs, warm_up, halve_after, patience, keep_every;
  std::optional<int> max_turns, min_turns, max_utterance, max_response, max_context;
  std::optional<double> attention_weight, dropout, rate, min_rate, max_norm, weight_decay;
  std::optional<std::string> examples, speaker, optimizer, rate_decay, attention, embeddings,
      tokens;
  std::optional<bool> bidirectional, no_input_feeding;
  std::vector<std::string> groups;  // "NAME:RATE:DECAY"
  size_t limit = 0;

  // Declares --structure and --insert-prob, which an experiment has variants of.
  void declare_model(CLI::App& command);
  void declare(CLI::App& command);
  // Without what declare_model() declares.
  TrainSettings settings(const Structure& structure = {}) const;
  // With it. Throws UsageError.
  TrainSettings model_settings() const;

 private:
  void set_bounds(ExampleOptions& examples) const;  // where they were given
  void declare_sizes(CLI::App& command);
  void declare_form(CLI::App& command);
  void declare_examples(CLI::App& command);
  void declare_optimizer(CLI::App& command);
};

// What a run is trained with and may not change later, under the names of the options that say it;
// null where an older version did not keep it.
nlohmann::ordered_json as_options(const TrainSettings& settings);

}  // namespace heed
