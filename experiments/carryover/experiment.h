// Slot carryover: the claims of Chen et al. 2019 on Schema-Guided Dialogue.
// docs/carryover.md#the-experiment
#pragma once

#include "experiments/experiment.h"

namespace heed {

// The first is the baseline of all changes.
const std::vector<VariantName>& carryover_variants();

Experiment carryover_experiment();
const Showing<>& carryover_showing();

}  // namespace heed
