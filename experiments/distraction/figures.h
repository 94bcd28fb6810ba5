// The figures of the report.
#pragma once

#include <string>

#include "experiments/distraction/results.h"

namespace heed {

// The paper's Figure 2: DAS ratios of static-ui without distractions in training, with them but
// without the attention loss, and with both (p = 0.7), on the nine sets. Bars with 95 % intervals;
// the paper's values as diamonds.
std::string bars_figure(const VariantNumbers& ours, const Inference& inference);

// Validation perplexity by epoch, a panel a structure, a line a run.
std::string learning_figure(const Results& results);

// DAS ratio by insertion probability, a panel a test set, a line a structure, with 95 % intervals.
std::string probability_figure(const VariantNumbers& ours, const Inference& inference);

// Each variant's DAS ratio on each set in the paper and here, and how well the two orders agree.
std::string agreement_figure(const VariantNumbers& ours);

}  // namespace heed
