// The experiment on adversarial evaluation.
#pragma once

#include "experiments/adversarial/tables.h"
#include "experiments/experiment.h"

namespace heed {

struct AdversarialFound {
  AdversarialResults results;
  ScoredRows rows = ScoredRows(results);
};
const Showing<AdversarialFound>& adversarial_showing();
Experiment adversarial_experiment();

}  // namespace heed
