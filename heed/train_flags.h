#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "dialog/run.h"

namespace heed {

// How a model is trained, as options of a sub-command: all but the structure, the insertion, the
// weight of the attention loss and the seed.
struct TrainFlags {
  std::string preset = "laptop", examples = "last";
  std::optional<int64_t> layers, embed, hidden, vocab, batch;
  std::optional<int> epochs, warm_up, halve_after;
  std::optional<double> dropout, rate, min_rate;
  std::optional<std::string> optimizer;
  double max_norm = 5, weight_decay = 0;
  size_t limit = 0;
  ExampleOptions bounds;
  int patience = 1;

  void declare(CLI::App& command);
  TrainSettings settings() const;
};

}  // namespace heed
