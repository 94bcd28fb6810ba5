#include <algorithm>
#include <cmath>

#include "experiments/engine/report/variant_tables.h"
#include "experiments/sweep/sweep.h"

namespace heed {
namespace {

constexpr const char* kBits = "test_sets.none.bits_per_character";

// Perplexities over different tokens cannot be compared.
bool compares_tokens(const Sweep& sweep) {
  return std::any_of(sweep.grid.begin(), sweep.grid.end(),
                     [](const GridOption& option) { return option.name == "tokens"; });
}

ResultsLayout layout(const Sweep& sweep) {
  ResultsLayout layout{.kind = "sweep",
                       .format = kSweepFormat,
                       .variants = variants_of(sweep),
                       .made_by = "heed sweep",
                       .values = {"best_epoch", "epochs", "valid_perplexity", "parameters"}};
  for (const TestSet& set : sweep.tests) {
    layout.values.push_back(sweep_key(set.name));
    if (set.name == "none" && compares_tokens(sweep)) layout.values.emplace_back(kBits);
  }
  return layout;
}

// The options that have several values, then the numbers.
std::vector<Column> columns(const Sweep& sweep) {
  using Best = Column::Best;
  std::vector<Column> columns;
  for (const GridOption& option : sweep.grid) {
    if (option.values.size() > 1) columns.push_back({"", option.name, "settings." + option.name});
  }
  columns.push_back({"", "valid. perplexity", "valid_perplexity", 2, false, Best::kLowest});
  for (const TestSet& set : sweep.tests) {
    const bool original = set.name == "none";
    columns.push_back({"", original ? "test perplexity" : "DAS ratio, " + set.name,
                       sweep_key(set.name), original ? 2 : 3, false, Best::kLowest});
    if (original && compares_tokens(sweep)) {
      columns.push_back({"", "test bits per character", kBits, 3, false, Best::kLowest});
    }
  }
  columns.push_back({"", "best epoch", "best_epoch", 1});
  columns.push_back({"", "million parameters", "parameters", 3});
  return columns;
}

Cell cell_of(const Results& results, const SweepPoint& point, size_t variant,
             const Column& column) {
  for (const auto& [name, value] : point.grid.settings) {
    if (column.key == "settings." + name) return {.text = value};
  }
  Cell cell = cell_over_seeds(results, variant, column.key);
  if (column.key == "parameters" && cell.value) cell = {.value = *cell.value / 1e6};
  return cell;
}

}  // namespace

Table sweep_table(const std::string& out, const Sweep& sweep) {
  const Results results = load_results(out, layout(sweep));
  Table table{.id = "sweep",
              .title = "The sweep, the best first",
              .note =
                  "Mean, and standard deviation, over the seeds of a point that are finished. "
                  "Sorted by " +
                  sweep.best + ".",
              .rows_are = "runs",
              .groups_are = "seeds",
              .columns = columns(sweep)};
  std::vector<std::pair<double, Row>> sorted;
  for (size_t v = 0; v < sweep.points.size(); ++v) {
    Row row = variant_row(results, v);
    if (row.sources.empty()) continue;  // none of its seeds is finished
    row.group = std::to_string(row.sources.size());
    row.label = sweep.points[v].grid.name;
    for (const Column& column : table.columns) {
      row.cells.push_back(cell_of(results, sweep.points[v], v, column));
    }
    sorted.emplace_back(cell_over_seeds(results, v, sweep.best).value.value_or(INFINITY),
                        std::move(row));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [best, row] : sorted) table.rows.push_back(std::move(row));
  return table;
}

}  // namespace heed
