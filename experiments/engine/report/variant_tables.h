// Tables with a row for each variant or run: an experiment gives the columns, by the names of their
// numbers.
#pragma once

#include <string>
#include <utility>
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

// What a paper prints.
struct PaperNumbers {
  VariantNumbers numbers;
  std::string source;  // the file that they are in
};
// The rows of variants in a table.
struct VariantRows {
  // One of each variant: its name, the file of its numbers, and what their keys have instead of
  // some part.
  struct Each {
    std::string name, file;
    std::vector<std::pair<std::string, std::string>> instead;
  };
  std::vector<Each> each = {};
  std::vector<std::string> groups = {};  // of the variants that have rows; none: all
  bool finished = false;                 // only those with a finished run have rows
  std::string in_full = {};              // the table that has more of ours than their values
};
// Adds these rows, with a paper's numbers in the columns that show them.
void add_rows(Table& table, const VariantRows& rows, const PaperNumbers& paper,
              const Findings& found);

// Adds a row for each variant that has a baseline: its numbers minus the baseline's, of the same
// seeds; with intervals and corrected p-values.
void add_changes(Table& table, const Results& results, const Inference& inference);

// The table with a row for each variant.
Table of_variants(Table table, const Findings& found);

// Puts `other` in the place of a part of a text, if it is there: in notes, and in names of numbers.
void replace_first(std::string& text, const std::string& part, const std::string& other);

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

}  // namespace heed
