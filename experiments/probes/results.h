// What the folder of this experiment holds.
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/report/inference.h"
#include "experiments/engine/runs/results.h"
#include "experiments/probes/evaluation.h"

namespace heed {

struct ProbesResults : Results {
  std::vector<std::string> tasks, readings;
  std::optional<ProbedEncoder> encoder = {};  // that others trained, with rows of its own

  bool has_reading(const std::string& reading) const;
  // How many dialogues of valid the epochs of chosen.json were chosen by; empty where there are
  // none.
  std::string setting_of_choice() const;
};

// Throws DataError as load_results() of the engine does.
ProbesResults load_probes_results(const std::string& folder);

// Of the best models' F1, over dialogues; compared with those of the transformer.
Inference infer_probes(const ProbesResults& results);

// Means over seeds by the names that the paper's numbers have (paper.h), so that the same rules
// apply to both. Logistic F1 are those of `reading`; a task counts for both corpora if both have
// one of its name, and BLEU too.
VariantNumbers claim_numbers(const ProbesResults& results, const std::string& reading);

}  // namespace heed
