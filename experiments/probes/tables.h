#pragma once

#include "experiments/engine/table.h"
#include "experiments/probes/results.h"

namespace heed {

// Scores of every reading, the paper's tables beside ours, and what the paper does not have.
std::vector<Table> probe_tables(const ProbesResults& results, const Inference& inference);

// "logistic, raw" ... of a reading, for titles.
std::string reading_title(const std::string& reading);

}  // namespace heed
