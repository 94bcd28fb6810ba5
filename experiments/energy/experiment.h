// The claims of Trinh, Ross & Kelleher, Energy-Based Modelling for Dialogue State Tracking (2019):
// an energy of all slots' values together against softmax heads on the same network of features.
// docs/tracking.md#the-experiment
#pragma once

#include "experiments/experiment.h"

namespace heed {

// All but the first two begin with the features of softmax heads that were trained before; the
// first is what the others are compared with.
const std::vector<VariantName>& energy_variants();

const Showing<>& energy_showing();
Experiment energy_experiment();

}  // namespace heed
