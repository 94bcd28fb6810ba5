// The tables and claims of the experiment, from its results.
#pragma once

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/inference.h"
#include "experiments/gaps/experiment.h"

namespace heed {

struct GapsFound {
  Results results;
  Inference inference;
};

// The paper's numbers, by the names of ours.
VariantNumbers gaps_paper_numbers();
// Its claims, and one of ours; they read means over seeds (mean_numbers()).
const std::vector<ClaimRule>& gap_claim_rules();

}  // namespace heed
