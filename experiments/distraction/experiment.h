// The experiment of Xing & Gulla (2022): do distractions in training teach a model where to look?
#pragma once

#include "experiments/distraction/results.h"

namespace heed {

Experiment distraction_experiment();
const Showing<DistractionFound>& distraction_showing();

// ---- what the report shows

// Those of report.json, with a row for the human responses.
std::vector<Table> all_tables(const DistractionFound& found);

// The paper's Figure 2: DAS ratios of static-ui without distractions in training, with them but
// without the attention loss, and with both (p = 0.7), on the nine sets. Bars with 95 % intervals;
// the paper's values as diamonds.
std::string bars_figure(const DistractionFound& found);
// Validation perplexity by epoch, a panel a structure, a line a run.
std::string learning_figure(const DistractionFound& found);
// DAS ratio by insertion probability, a panel a test set, a line a structure, with 95 % intervals.
std::string probability_figure(const DistractionFound& found);
// Each variant's DAS ratio on each set in the paper and here, and how well the two orders agree.
std::string agreement_figure(const DistractionFound& found);
// The sample dialogues with attention as a heat map, and what the models answer.
std::string dialogues_html(const DistractionFound& found);

}  // namespace heed
