// The 23 variants of the experiment (Xing & Gulla 2022, section 4): five structures, each trained
// with insertion probability 0, 0.5, 0.7 and 1.0; and static-ui without the attention loss
// ("Non-atten-loss") at 0.5, 0.7 and 1.0. And the test sets that each is measured on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/structure.h"
#include "experiments/engine/runs/results.h"

namespace heed {

// The five of the paper, in its order.
const std::vector<Structure>& paper_structures();

struct Variant {
  VariantName
      name;  // "static-ui-p0.7-no-loss"; in tables "p = 0.7", "static-ui, no attention loss"
  Structure structure;
  double insert_prob = 0;
  bool attention_loss = true;
};
// In the order of the paper's tables: by probability, then structure, no-loss last.
const std::vector<Variant>& all_variants();
// The place in all_variants(), if there is one of these settings.
std::optional<size_t> find_variant(std::string_view structure, double insert_prob,
                                   bool attention_loss);
// The same structure without distractions; nothing for those that are it.
std::optional<size_t> baseline_of(size_t variant);

// ---- test sets

constexpr size_t kSets = 1 + kTestSets.size();  // the original test set, then the distracting ones
// Names of the sets, as in the files: "none", "random:0.5", ...
std::string set_name(size_t set);
// "random:0.5" -> "random" and "p = 0.5"; "rare:end" -> "rare" and "end".
std::string kind_of(size_t set);
std::string place_of(size_t set);
// A number of a set, as evaluation.json has it: "test_sets.random:0.5.das_ratio".
std::string key_of(size_t set, const std::string& number);

}  // namespace heed
