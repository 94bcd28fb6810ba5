// Which way do distractions do their harm, and what does training with them change? Structures,
// each trained in four ways, and every test dialogue read five times (dialog/respond/mediation.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/task.h"
#include "experiments/experiment.h"

namespace heed::mediation {

// How a model is trained.
enum class Condition {
  kNone,           // on the dialogues as they are
  kInsertion,      // with distractions inserted, and no attention loss
  kInsertionLoss,  // with both
  kPlacebo,        // with the loss on utterances of the dialogue itself, and nothing inserted
};

struct Variant {
  Structure structure;
  Condition condition = Condition::kNone;
};
// Seed by seed the folder is filled in this order: static-ui first, non-hier, the slowest, last.
const std::vector<Variant>& variants();
const std::vector<VariantName>& variant_names();  // "static-ui-insertion-loss"
// What a variant is compared with, of its structure: insertion and placebo with none, the loss with
// insertion alone.
std::optional<size_t> baseline_of(size_t variant);

constexpr const char* kSets[] = {"random:1.0",   "random:0.7",  "frequent:middle",
                                 "frequent:end", "rare:middle", "rare:end"};

// The harm that is left of "unread" less the one that is left of "unseen" (kReadings).
constexpr char kUnreadLessUnseen[] = "unread less unseen";

// Its tables: one for each test set (DAS ratio, and the harm of each reading), changes, responses
// (BLEU with and without distractions), runs.
const Showing<>& showing();
Experiment mediation_experiment();

}  // namespace heed::mediation
