// The 23 variants of the experiment (Xing & Gulla 2022, section 4): five structures, each trained
// with insertion probability 0, 0.5, 0.7 and 1.0; and static-ui without the attention loss
// ("Non-atten-loss") at 0.5, 0.7 and 1.0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/structure.h"

namespace heed {

// The five of the paper, in its order.
const std::vector<Structure>& paper_structures();

struct Variant {
  Structure structure;
  double insert_prob = 0;
  bool attention_loss = true;

  // "static-ui-p0.7", "static-ui-p0.7-no-loss"
  std::string name() const;
  // The same structure, trained without distractions.
  Variant baseline() const { return {structure, 0, true}; }
  // "1.0", "0.7", "0"
  std::string probability() const;
};

// In the order of the paper's tables: by probability, then structure, no-loss last.
const std::vector<Variant>& all_variants();
// The place in all_variants(), if there is one of these settings.
std::optional<size_t> find_variant(std::string_view structure, double insert_prob,
                                   bool attention_loss);

// A variant that is trained with a seed: a directory of the experiment.
struct ExperimentRun {
  size_t variant = 0;  // place in all_variants()
  uint64_t seed = 1;

  const Variant& get() const { return all_variants()[variant]; }
  std::string name() const;  // "static-ui-p0.7-seed1"
};

// Which runs of an experiment to work on.
struct Selection {
  std::string only = "*";     // names of variants, with * and ? as in a shell
  int shard = 1, shards = 1;  // every shards-th one, from the shard-th on
};
// Seed after seed, each in the order of the variants. Throws UsageError for a pattern that no
// variant fits, and for a shard that there is not.
std::vector<ExperimentRun> select_runs(uint64_t first_seed, int seeds, const Selection& selection);

}  // namespace heed
