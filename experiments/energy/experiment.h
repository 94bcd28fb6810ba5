// The claims of Trinh, Ross & Kelleher, Energy-Based Modelling for Dialogue State Tracking (2019):
// an energy of all slots' values together against softmax heads on the same network of features.
// docs/tracking.md#the-experiment
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/inference.h"
#include "experiments/engine/runs/plan.h"
#include "experiments/experiment.h"

namespace heed {

// Trackers in this order. All but the first two begin with the features of softmax heads that were
// trained before; the first is what the others are compared with.
namespace trackers {
enum Place : size_t { kHeads, kAgain, kLogisticFixed, kEnergyFixed, kLogistic, kEnergy };
}  // namespace trackers
const std::vector<VariantName>& energy_variants();

struct EnergyFound {
  Results results;
  Inference inference;
};
const Showing<EnergyFound>& energy_showing();
const std::vector<ClaimRule>& energy_claim_rules();
VariantNumbers energy_paper_numbers();  // what the paper prints, by the same names

Experiment energy_experiment();

}  // namespace heed
