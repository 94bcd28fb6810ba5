// What the tables are put together from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/distraction/inference.h"
#include "experiments/engine/table.h"

namespace heed {

// "random:0.5" -> "random" and "p = 0.5"; "rare:end" -> "rare" and "end". Set 0 is the original
// one.
std::string kind_of(size_t set);
std::string place_of(size_t set);

// "830 test dialogues, 1 seed. "
std::string of_dialogues(const Results& results);
// "95 % intervals over 744 conversations of 830 test dialogues. "
std::string of_intervals(const Results& results);

// "p = 0.7"
std::string group_of(const Variant& variant);
// What a row has of its own, for the rows of all variants: its names and its files.
Row variant_row(const Results& results, size_t variant);
// The file of a run that its numbers come from.
std::string source_of(const RunResult& run);

// Mean and deviation over a variant's seeds; nothing if a run has no such number or it is not
// finite.
using GetNumber = std::function<std::optional<double>(const Evaluation&)>;
Cell cell_over_seeds(const Results& results, size_t variant, const GetNumber& get);

// Tables that the paper does not have; see all_tables().
Table ratios_table(const Results& results);
Table changes_table(const Results& results, const Inference& inference);
Table quality_table(const Results& results);
Table trainings_table(const Results& results);
// The paper's Tables 3, 4 and 6 beside ours.
std::vector<Table> tables_beside(const Results& results);

}  // namespace heed
