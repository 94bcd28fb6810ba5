// Slot carryover: the claims of Chen et al. 2019 on Schema-Guided Dialogue.
// docs/carryover.md#the-experiment
#pragma once

#include "experiments/experiment.h"

namespace heed {

// Decoders in this order; the first is the baseline of all changes.
const std::vector<VariantName>& carryover_variants();
namespace decoders {
enum Place : size_t { kAlone, kUnordered, kByTurn, kInOrder, kAverage, kAttention };
}  // namespace decoders

// What each run's evaluation.json has: F1 over these candidates, by the names of
// dialog/carry/rules.h, with two series over dialogues, KEY_top and KEY_bottom, whose sums have it
// as their quotient.
struct CarryoverMeasure {
  const char *key, *group;
};
constexpr CarryoverMeasure kCarryoverMeasures[] = {
    {"f1_carried", "both/>=1"}, {"f1_far", "both/>=6"}, {"f1_same", "same/>=1"},
    {"f1_cross", "cross/all"},  {"f1_new", "both/new"}, {"f1_seen", "both/seen"}};
// The same of "both/>=6" on part of the items, with so many turns of other dialogues inserted.
constexpr int kInserted[] = {0, 4, 16};

Experiment carryover_experiment();
const Showing<>& carryover_showing();

}  // namespace heed
