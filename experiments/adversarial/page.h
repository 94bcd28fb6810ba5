#pragma once

#include "experiments/adversarial/tables.h"
#include "experiments/experiment.h"

namespace heed {

struct AdversarialFound {
  AdversarialResults results;
  ScoredRows rows = ScoredRows(results);
};
const Showing<AdversarialFound>& adversarial_showing();

}  // namespace heed
