// The tables and claims of the experiment, from its results.
#pragma once

#include "experiments/carryover/experiment.h"
#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/inference.h"

namespace heed {

struct CarryoverFound {
  Results results;
  Inference inference;
};

// Five rules, which read means over seeds (mean_numbers()).
const std::vector<ClaimRule>& carryover_claim_rules();
// Table 3 of the paper, by the same names: internal data, f1_far is that at distances from 3 on.
VariantNumbers carryover_paper_numbers();

}  // namespace heed
