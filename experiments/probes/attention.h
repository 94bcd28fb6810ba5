// Do models that look less at distractions know more? Where they look (attention.json) beside what
// can be read off their encoders.
#pragma once

#include <vector>

#include "experiments/engine/report/table.h"
#include "experiments/probes/results.h"

namespace heed {

// What the correlations can show, and what they cannot.
std::string correlations_note(const ProbesResults& results);

// "das": the DAS ratios of the models; "das-raw" and so on: of each reading the correlations of
// DAS ratio and F1 by task. None where no run has attention.json.
std::vector<Table> attention_tables(const ProbesResults& results);

// F1, the mean over all tasks, by DAS ratio (random:1.0): a panel a reading, a mark a run.
std::string attention_figure(const ProbesResults& results);

}  // namespace heed
