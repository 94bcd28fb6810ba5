// Do models that look less at distractions know more?
#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/stats/correlation.h"
#include "experiments/probes/report.h"

namespace heed {
namespace {

// Tasks whose F1 are averaged, and the name of a row.
struct Group {
  std::string name;
  std::vector<std::string> tasks;
};

// Each task, the means over those of a difficulty, and that over all.
std::vector<Group> groups_of(const std::vector<std::string>& measured) {
  std::vector<Group> groups;
  for (const std::string& task : measured) groups.push_back({task, {task}});
  for (const char* level : kLevels) {
    std::vector<std::string> tasks = tasks_of("MultiWOZ");
    std::erase_if(tasks, [&](const std::string& task) {
      return std::ranges::find(measured, task) == measured.end() || difficulty_of(task) != level;
    });
    if (!tasks.empty()) groups.push_back({level, tasks});
  }
  groups.push_back({"all", measured});
  for (size_t g = measured.size(); g < groups.size(); ++g) {
    groups[g].name += ", mean of " + std::to_string(groups[g].tasks.size());
  }
  return groups;
}

// The runs that have both, each as a pair; seeds of a model are a cluster. das: of each run.
std::vector<ClusteredPair> pairs_of(const Results& results, const Series& das,
                                    const std::string& reading,
                                    const std::vector<std::string>& tasks) {
  std::vector<ClusteredPair> pairs;
  std::vector<size_t> models;
  for (size_t r = 0; r < results.runs.size(); ++r) {
    const RunResult& run = results.runs[r];
    const auto ratio = das[r], f1 = mean_f1(run, reading, tasks);
    if (!ratio || !f1) continue;
    if (models.empty() || models.back() != run.run.variant) models.push_back(run.run.variant);
    pairs.push_back({*ratio, *f1, static_cast<int>(models.size()) - 1});
  }
  return pairs;
}

Table correlations_table(const Results& results, const std::string& reading) {
  Table table{.id = "das-" + reading,
              .title = "Correlation of DAS ratio and F1: " + reading_title(reading),
              .note = correlations_note(results),
              .rows_are = "task",
              .groups_are = "tasks",
              .columns = {{"", "models", "attention.json", 0}, {"", "runs", "attention.json", 0}},
              .intervals = true};
  std::vector<Series> ratios;
  std::vector<std::string> sources;
  for (const DasColumn& column : kDas) {
    Series& of_runs = ratios.emplace_back();
    for (const RunResult& run : results.runs) {
      of_runs.push_back(run.numbers.value(das_key(column.set)));
    }
    for (const char* kind : {"Spearman", "Pearson"}) {
      table.columns.push_back({column.name, kind, das_key(column.set), 2});
      table.columns.back().sign = true;
    }
  }
  for (const RunResult& run : results.runs) {
    sources.insert(sources.end(), {source_of(run), source_of(run, "attention.json")});
  }
  const std::vector<std::string> measured = measured_tasks(results);
  for (const Group& group : groups_of(measured)) {
    const bool mean = table.rows.size() >= measured.size();
    Row& row = table.rows.emplace_back(
        Row{.group = mean ? "means" : "tasks", .label = group.name, .sources = sources});
    for (const Series& of_runs : ratios) {
      const Correlation found = correlate(pairs_of(results, of_runs, reading, group.tasks));
      if (row.cells.empty()) {
        row.cells = {{.value = static_cast<double>(found.clusters)},
                     {.value = static_cast<double>(found.pairs)}};
      }
      row.cells.insert(row.cells.end(), {cell_of(found.spearman), cell_of(found.pearson)});
    }
  }
  return table;
}

}  // namespace

size_t attending_models(const Results& results) {
  size_t models = 0;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    models += mean_of(results, v, das_key(kDas[0].set)).has_value();
  }
  return models;
}

std::optional<double> mean_f1(const RunResult& run, const std::string& reading,
                              const std::vector<std::string>& tasks) {
  double sum = 0;
  for (const std::string& task : tasks) {
    const auto f1 = run.numbers.value(score_key("best", reading, task));
    if (!f1) return std::nullopt;
    sum += *f1;
  }
  return sum / static_cast<double>(tasks.size());
}

std::string correlations_note(const Results& results) {
  const size_t models = attending_models(results);
  std::string few = "There are too few models with attention for an interval. ";
  if (models >= 3) {
    few = "With " + std::to_string(models) +
          " models, numbers that have nothing to do with each other come out beyond " +
          decimal(std::min(1.0, 1.96 / std::sqrt(static_cast<double>(models) - 1)), 2) +
          " or below minus that about once in twenty rows, and rows are not independent. ";
  }
  return "Do structures with a lower DAS ratio know more? Then correlations are negative. A pair "
         "is a run (a model with attention, a seed): its DAS ratio, and its F1 at the best epoch; "
         "easy, medium and hard are the paper's. Intervals (95 %): bootstrap over models, all "
         "seeds of a model together, ranks taken anew; draws of fewer than three models are left "
         "out. " +
         few +
         "What this can show is a strong common order of these models. It cannot show that "
         "attention is the cause: the models also differ in their encoders, in what their memory "
         "holds (tokens or utterances) and in how many states are added up, and intervals of so "
         "few models are rather too short. Nor does a correlation near 0 show that there is none.";
}

std::vector<Table> correlation_tables(const Results& results) {
  std::vector<Table> tables;
  if (attending_models(results) == 0) return tables;
  for (const std::string& reading : measured_readings(results)) {
    tables.push_back(correlations_table(results, reading));
  }
  return tables;
}

}  // namespace heed
