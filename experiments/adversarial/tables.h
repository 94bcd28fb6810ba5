#pragma once

#include <vector>

#include "experiments/adversarial/scores.h"
#include "experiments/engine/report/table.h"

namespace heed {

// "table1" and "table2", the paper's rows among them; "looks"; of generators "generators" and
// "das", their DAS ratios beside how often their responses pass; of scenarios "reliability";
// "runs".
std::vector<Table> adversarial_tables(const AdversarialResults& results, const ScoredRows& rows);

// What a row is called: "discriminator", "response-only, together".
std::string judge_label(const AdversarialResults& results, const ScoredRow& row);

}  // namespace heed
