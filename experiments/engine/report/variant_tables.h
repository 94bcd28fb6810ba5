// Tables with a row for each variant or run: an experiment gives the columns, by the names of their
// numbers.
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/report/inference.h"
#include "experiments/engine/report/table.h"

namespace heed {

// Mean and deviation over a variant's seeds; nothing if a run has no such number.
Cell cell_over_seeds(const Results& results, size_t variant, const std::string& name);

// With its interval, or its deviation; empty if there is none.
Cell cell_of(const std::optional<Estimate>& estimate);
Cell cell_of(const std::optional<Spread>& over_seeds);

// A row without cells: the names of its variant, and its files.
Row variant_row(const Results& results, size_t variant);

// Adds a row for each variant to a table with columns: the numbers of their keys, with intervals if
// there is a measure of that key. Marks the best ones.
void add_variants(Table& table, const Results& results, const Inference& inference);

// Adds a row for each variant that has a baseline: its numbers minus the baseline's, of the same
// seeds; with intervals and corrected p-values.
void add_changes(Table& table, const Results& results, const Inference& inference);

// The table with a row for each variant.
Table of_variants(Table table, const Findings& found);

// For notes: "95 % intervals over 744 conversations, the largest of 4. ", or with `more` after it.
std::string intervals_text(const Results& results, const std::string& noun,
                           const std::string& more = "");
// How p-values are corrected, or why there are none.
std::string p_values_text(const Inference& inference);

// If several programs or kinds of machine made the runs: which, and how many runs each. Else empty.
std::string mixed_programs(const Results& results);

// How the training runs went, one row per run. `metric`: a number of every run, its title, and
// whether its highest value is the best.
Table trainings_table(const Results& results, const std::string& metric, const std::string& name,
                      int digits = 1, bool higher_is_better = false);

// A paper's numbers beside ours.
struct PaperNumbers {
  VariantNumbers numbers;
  std::string source;  // the file that they are in
};
// The table with two columns instead of each, the paper's and ours, and a row for each variant.
// `ours` names the table that has our numbers in full.
Table beside(Table table, const Results& results, const PaperNumbers& paper,
             const std::string& ours);

}  // namespace heed
