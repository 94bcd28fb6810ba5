// The 23 variants of the experiment (Xing & Gulla 2022, section 4): five structures, each trained
// with insertion probability 0, 0.5, 0.7 and 1.0; and static-ui without the attention loss
// ("Non-atten-loss") at 0.5, 0.7 and 1.0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/structure.h"
#include "experiments/engine/runs/results.h"

namespace heed {

// The five of the paper, in its order.
const std::vector<Structure>& paper_structures();

struct Variant {
  Structure structure;
  double insert_prob = 0;
  bool attention_loss = true;

  // "static-ui-p0.7", "static-ui-p0.7-no-loss"
  std::string name() const;
  // "1.0", "0.7", "0"
  std::string probability() const;
};

// In the order of the paper's tables: by probability, then structure, no-loss last.
const std::vector<Variant>& all_variants();
// The place in all_variants(), if there is one of these settings.
std::optional<size_t> find_variant(std::string_view structure, double insert_prob,
                                   bool attention_loss);

// Their names, "static-ui-p0.7", and what tables call them: "p = 0.7", "static-ui".
const std::vector<VariantName>& variant_names();
// The same structure without distractions; nothing for those that are it.
std::optional<size_t> baseline_of(size_t variant);

}  // namespace heed
