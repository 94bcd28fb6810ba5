#include "experiments/engine/report/variant_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dialog/text/format.h"

namespace heed {
namespace {

// Mean change of a number over the pairs of runs; empty if a run has none.
std::optional<double> mean_change(const std::vector<RunPair>& pairs, const std::string& name) {
  double sum = 0;
  for (const auto& [run, baseline] : pairs) {
    const auto ours = run->numbers.value(name), its = baseline->numbers.value(name);
    if (!ours || !its) return std::nullopt;
    sum += *ours - *its;
  }
  return pairs.empty() ? std::nullopt : std::optional(sum / static_cast<double>(pairs.size()));
}

// Puts a paper's numbers into the columns that show them. It prints no intervals: ours have none
// beside them; and nothing but values where another table has them in full.
void add_printed(const std::vector<Column>& columns, const PaperNumbers& paper, size_t variant,
                 bool in_full, Row& row) {
  if (std::ranges::all_of(columns, [](const Column& c) { return c.printed.empty(); })) return;
  row.sources.push_back(paper.source);
  for (size_t c = 0; c < columns.size(); ++c) {
    const std::string& key = columns[c].printed;
    row.cells[c].interval.reset();
    if (in_full) row.cells[c].deviation.reset();
    if (key.empty()) continue;
    row.cells[c] = {.value = paper.numbers.get(variant, key),
                    .doubtful = paper.numbers.is_doubtful(variant, key)};
    const auto variance = paper.numbers.get(variant, key + ".pm");
    if (columns[c].variance && variance) row.cells[c].deviation = std::sqrt(*variance);
  }
}

}  // namespace

Cell cell_over_seeds(const Results& results, size_t variant, const std::string& name) {
  std::vector<double> values;
  for (const RunResult* run : results.of(variant)) {
    const std::optional<double> number = run->numbers.value(name);
    if (!number) return {};
    values.push_back(*number);
  }
  return cell_of(spread(values));
}

Cell cell_of(const std::optional<Estimate>& estimate) {
  if (!estimate) return {};
  return {.value = estimate->value, .interval = estimate->interval};
}

Cell cell_of(const std::optional<Spread>& over_seeds) {
  if (!over_seeds) return {};
  return {.value = over_seeds->mean, .deviation = over_seeds->deviation};
}

Row variant_row(const Results& results, size_t variant) {
  const VariantName& name = results.variants[variant];
  Row row{name.group, name.label, {}, {}};
  for (const RunResult* run : results.of(variant)) row.sources.push_back(source_of(*run));
  return row;
}

void add_variants(Table& table, const Results& results, const Inference& inference) {
  for (size_t v = 0; v < results.variants.size(); ++v) {
    Row row = variant_row(results, v);
    for (const Column& column : table.columns) {
      Cell cell = cell_over_seeds(results, v, column.key);
      if (const auto& estimate = inference.value(column.key, v)) cell.interval = estimate->interval;
      for (const Column::Other& other : column.others) {
        cell.others.push_back(cell_over_seeds(results, v, other.key).value);
      }
      row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
}

void add_rows(Table& table, const VariantRows& rows, const PaperNumbers& paper,
              const Findings& found) {
  std::vector<Table> by_row;  // the table with one row a variant
  for (const VariantRows::Each& each : rows.each) {
    Table& one = by_row.emplace_back(table);
    for (Column& column : one.columns) {
      for (const auto& [part, other] : each.instead) {
        replace_first(column.key, part, other);
        replace_first(column.printed, part, other);
      }
    }
    add_variants(one, found.results, found.inference);
  }
  for (size_t v = 0; v < found.results.variants.size(); ++v) {
    const auto runs = found.results.of(v);
    const auto group = std::ranges::find(rows.groups, found.results.variants[v].group);
    if (!rows.groups.empty() && group == rows.groups.end()) continue;
    if (rows.finished && runs.empty()) continue;
    for (size_t r = 0; r < rows.each.size(); ++r) {
      const auto& [name, file, instead] = rows.each[r];
      Row& row = table.rows.emplace_back(std::move(by_row[r].rows[v]));
      if (!name.empty()) row.group = std::exchange(row.label, name);
      for (const RunResult* run : runs) {
        if (!file.empty()) row.sources.push_back(source_of(*run, file));
      }
      add_printed(by_row[r].columns, paper, v, !rows.in_full.empty(), row);
    }
  }
  for (Column& column : table.columns) {
    if (!column.printed.empty()) {
      column.key = paper.source;
    } else if (!rows.in_full.empty()) {
      column.key = rows.in_full;
    }
  }
  mark_best(table);
}

void add_changes(Table& table, const Results& results, const Inference& inference) {
  for (size_t v = 0; v < results.variants.size(); ++v) {
    const auto baseline = inference.comparison().baseline(v);
    if (!baseline) continue;
    const std::vector<RunPair> pairs = paired_runs(results, v, *baseline);
    Row row = variant_row(results, v);
    for (const RunPair& p : pairs) row.sources.push_back(source_of(*p.second));
    for (const Column& column : table.columns) {
      Cell cell{.value = mean_change(pairs, column.key)};
      for (const Column::Other& other : column.others) {
        cell.others.push_back(mean_change(pairs, other.key));
      }
      if (const auto& change = inference.change(column.key, v)) {
        cell.interval = change->interval;
        cell.p_value = inference.corrected_p(column.key, v);
      }
      row.cells.push_back(std::move(cell));
    }
    table.rows.push_back(std::move(row));
  }
}

Table of_variants(Table table, const Findings& found) {
  add_variants(table, found.results, found.inference);
  return table;
}

void replace_first(std::string& text, const std::string& part, const std::string& other) {
  const size_t at = text.find(part);
  if (at != text.npos) text.replace(at, part.size(), other);
}

std::string intervals_text(const Results& results, const std::string& noun,
                           const std::string& more) {
  return "95 % intervals over " + results.clusters_text(noun) + more + ". ";
}

std::string p_values_text(const Inference& inference) {
  if (inference.comparisons() == 0)
    return "No p-values: one seed does not say what another training would give.";
  return "p-values, of several seeds only, after Holm's correction for all " +
         counted(inference.comparisons(), "comparison") + ".";
}

std::string mixed_programs(const Results& results) {
  const auto programs = results.made_with();
  if (programs.size() < 2) return "";
  std::string text;
  for (const auto& [made_with, runs] : programs)
    text += (text.empty() ? "" : "; ") + made_with + ": " + counted(runs, "run");
  return "The runs were made by " + std::to_string(programs.size()) +
         " programs or kinds of machine, which may differ in the last digits (" + text + ").";
}

Table trainings_table(const Results& results, const std::string& metric, const std::string& name,
                      int digits, bool higher_is_better) {
  Table table{
      .id = "runs",
      .title = "The trainings",
      .note =
          std::string("The best epoch is the one with the ") +
          (higher_is_better ? "highest" : "lowest") + " validation " + name +
          "; its model is the one that is tested. Minutes: of one worker, as measured; epochs that "
          "were interrupted are not in them.",
      .rows_are = "run",
      .columns = {{"", "seed", "seed", 0, false},
                  {"", "epochs", "epochs", 0, false},
                  {"", "best epoch", "best_epoch", 0, false},
                  {"", "valid. " + name, metric, digits, false},
                  {"", "million parameters", "parameters", 2, false},
                  {"", "training, minutes", "times.json", 1, false},
                  {"", "tests, minutes", "times.json", 1, false}}};
  const std::string mixed = mixed_programs(results);
  if (!mixed.empty()) table.note += " " + mixed;
  for (const RunResult& run : results.runs) {
    double seconds = 0;
    for (double epoch : run.times.epochs) seconds += epoch;
    const auto get = [&](const std::string& key) { return run.numbers.value(key); };
    const auto parameters = get("parameters");
    const auto minutes = [](double of) { return of > 0 ? std::optional(of / 60) : std::nullopt; };
    Row row{results.variants[run.run.variant].group, run.run.name, {}, {source_of(run)}};
    for (const std::optional<double>& value :
         {std::optional(static_cast<double>(run.run.seed)), get("epochs"), get("best_epoch"),
          get(metric), parameters ? std::optional(*parameters / 1e6) : std::nullopt,
          minutes(seconds), minutes(run.times.evaluation)}) {
      row.cells.push_back({.value = value});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace heed
