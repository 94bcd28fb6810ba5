// The parts of the page, each as HTML.
#pragma once

#include <string>
#include <vector>

#include "experiments/distraction/paper.h"
#include "experiments/distraction/tables.h"

namespace heed {

// A table whose columns can be sorted. `intervals`: also shows them, under the values.
std::string table_html(const Table& table, bool intervals = false);

// The paper's claims: does each hold here, by each kind of DAS ratio?
std::string claims_html(const std::vector<Claim>& claims);

// The sample dialogues with attention as a heat map, and what the models answer.
std::string dialogues_html(const Results& results);

// For each table the key of each column, and the folder of each variant.
std::string sources_html(const std::vector<Table>& tables);

// How the experiment was made.
std::string settings_html(const Results& results);

}  // namespace heed
