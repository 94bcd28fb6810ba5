// How many turns before a question help to answer it, and which of them (Ohsugi et al. 2019, Tables
// 3 and 4). docs/comprehension.md#the-experiment
#pragma once

#include "dialog/comprehend/read.h"
#include "experiments/experiment.h"

namespace heed {

std::vector<VariantName> comprehend_variants();
// The last n of the turns before a question, oldest first; all if there are fewer.
std::vector<comprehend::TurnBefore> last_of(const std::vector<comprehend::TurnBefore>& before,
                                            int64_t n);

const Showing<>& comprehend_showing();
Experiment comprehend_experiment();

}  // namespace heed
