// What the folder of this experiment holds.
#pragma once

#include <string>
#include <vector>

#include "experiments/adversarial/variant.h"
#include "experiments/engine/runs/results.h"

namespace heed {

struct AdversarialResults : Results {
  std::vector<JudgeVariant> judges;  // what the variants are
  std::vector<std::string> corpora, generators;
  std::vector<int> corpus_of;  // of each test passage

  // kRandomSet and the generators.
  std::vector<std::string> sets() const;
};

// Throws DataError as load_results() of the engine does.
AdversarialResults load_adversarial_results(const std::string& folder);

}  // namespace heed
