// How many turns before a question help to answer it, and which of them (Ohsugi et al. 2019, Tables
// 3 and 4). docs/comprehension.md#the-experiment
#pragma once

#include "experiments/experiment.h"

namespace heed {

Experiment comprehend_experiment();

}  // namespace heed
