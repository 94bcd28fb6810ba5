#include "experiments/engine/report/variant_tables.h"

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

Table beside(Table table, const Results& results, const PaperNumbers& paper,
             const std::string& ours) {
  const std::vector<Column> columns = std::move(table.columns);
  table.columns.clear();
  for (const Column& c : columns) {
    const std::string group = c.group.empty() ? c.name : c.group + ", " + c.name;
    table.columns.push_back({group, "paper", paper.source, c.digits, c.percent});
    table.columns.push_back({group, "ours", ours, c.digits, c.percent});
  }
  for (size_t v = 0; v < results.variants.size(); ++v) {
    Row row = variant_row(results, v);
    row.sources.push_back(paper.source);
    for (const Column& c : columns) {
      row.cells.push_back(
          {.value = paper.numbers.get(v, c.key), .doubtful = paper.numbers.is_doubtful(v, c.key)});
      row.cells.push_back({.value = cell_over_seeds(results, v, c.key).value});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace heed
