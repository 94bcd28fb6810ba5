#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "dialog/adversarial/run.h"

namespace heed {

// How a discriminator is trained, as options of a sub-command.
struct DiscriminatorFlags {
  std::string preset = "laptop";
  int context = adversarial::PassageOptions{}.context;
  size_t limit = 0;
  std::optional<int64_t> hidden, embed, vocab, batch;
  std::optional<int> epochs;
  std::optional<double> rate, dropout;

  void declare(CLI::App& command);
  // Random replacements. Throws UsageError.
  adversarial::Settings settings(uint64_t seed) const;
};

}  // namespace heed
