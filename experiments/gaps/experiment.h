// The claims of Yang et al. (2019) on gaps and pronouns, and whether a gap is still filled rightly
// where irrelevant turns stand between it and what fills it. docs/gaps.md#the-experiment
#pragma once

#include "dialog/data/dialogue.h"
#include "experiments/experiment.h"

namespace heed {

// The first is the baseline of all changes.
const std::vector<VariantName>& gap_variants();

// The dialogues with `inserted` first turns of others before each last turn, marked as
// distractions, the same ones for every model.
std::vector<Dialogue> with_inserted(std::vector<Dialogue> dialogues,
                                    const std::vector<Dialogue>& others, int inserted);

Experiment gaps_experiment();
const Showing<>& gaps_showing();

}  // namespace heed
