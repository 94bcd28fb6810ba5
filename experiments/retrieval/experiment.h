// The claims of three papers on choosing responses: Henderson et al. (repository), Swanson et al.
// (production), Gunasekara et al. (DSTC7), all 2019. docs/retrieval.md#the-experiment
#pragma once

#include "experiments/experiment.h"

namespace heed {

// The first is the baseline of all changes. The last two need --pretrained and are not trained: a
// frozen encoder, and a map on it.
const std::vector<VariantName>& retrieval_variants();
Experiment retrieval_experiment();
const Showing<>& retrieval_showing();

}  // namespace heed
