#include "experiments/probes/attention.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "dialog/text/format.h"
#include "experiments/engine/report/figures.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/engine/stats/correlation.h"
#include "experiments/probes/additions.h"
#include "experiments/probes/page.h"
#include "experiments/probes/paper.h"

namespace heed {
namespace {

// The subjects of DAS ratios: a test set, or the mean of the three places of its kind.
struct DasColumn {
  const char *name, *set;
};
constexpr DasColumn kDas[] = {{"random, p = 1.0", "random:1.0"},
                              {"random, p = 0.7", "random:0.7"},
                              {"random, p = 0.5", "random:0.5"},
                              {"frequent", "frequent:*"},
                              {"rare", "rare:*"}};

// Tasks whose F1 are averaged, and the name of a row.
struct Group {
  std::string name;
  std::vector<std::string> tasks;
};

std::vector<std::string> of_level(const ProbesResults& results, const std::string& level) {
  std::vector<std::string> found;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    const bool here =
        std::find(results.tasks.begin(), results.tasks.end(), task) != results.tasks.end();
    if (here && difficulty_of(task) == level) found.push_back(task);
  }
  return found;
}

// Each task, the means over those of a difficulty, and that over all.
std::vector<Group> groups_of(const ProbesResults& results) {
  std::vector<Group> groups;
  for (const std::string& task : results.tasks) groups.push_back({task, {task}});
  for (const char* level : kLevels) {
    const std::vector<std::string> tasks = of_level(results, level);
    if (!tasks.empty())
      groups.push_back({std::string(level) + ", mean of " + std::to_string(tasks.size()), tasks});
  }
  groups.push_back({"all, mean of " + std::to_string(results.tasks.size()), results.tasks});
  return groups;
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

// Of each run.
Series das_of(const ProbesResults& results, const std::string& set) {
  Series ratios;
  for (const RunResult& run : results.runs) ratios.push_back(run.numbers.value(das_key(set)));
  return ratios;
}

// The runs that have both, each as a pair; seeds of a model are a cluster.
std::vector<ClusteredPair> pairs_of(const ProbesResults& results, const Series& das,
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

size_t attending_models(const ProbesResults& results) {
  size_t models = 0;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    models += cell_over_seeds(results, v, das_key(kDas[0].set)).value.has_value();
  }
  return models;
}

Table das_table(const ProbesResults& results) {
  Table table{
      .id = "das",
      .title = "DAS ratio of the models",
      .note =
          "How much of their attention models give to utterances from elsewhere, over "
          "what they give to the original ones before the last (Xing & Gulla 2022; "
          "docs/paper.md): of the best epoch, ratio of means over the last examples of "
          "all test dialogues; below 1 they look less at them. Trained with --insert-prob " +
          results.setting("insert-prob") +
          ". frequent, rare: means over the three places. Mean, and standard "
          "deviation, over seeds. lstm has no attention.",
      .rows_are = "model",
      .groups_are = "models"};
  for (const DasColumn& column : kDas) {
    table.columns.push_back({"DAS ratio", column.name, das_key(column.set), 3});
  }
  for (size_t v = 0; v < probed_structures().size(); ++v) {
    Row row = variant_row(results, v);
    if (row.sources.empty()) continue;
    for (const RunResult* run : results.of(v)) {
      row.sources.push_back(source_of(*run, "attention.json"));
    }
    for (const DasColumn& column : kDas) {
      row.cells.push_back(cell_over_seeds(results, v, das_key(column.set)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table correlations_table(const ProbesResults& results, const std::string& reading) {
  Table table{.id = "das-" + reading,
              .title = "Correlation of DAS ratio and F1: " + reading_title(reading),
              .note = correlations_note(results),
              .rows_are = "task",
              .groups_are = "tasks",
              .columns = {{"", "models", "attention.json", 0}, {"", "runs", "attention.json", 0}},
              .intervals = true};
  std::vector<Series> ratios;
  for (const DasColumn& column : kDas) {
    ratios.push_back(das_of(results, column.set));
    for (const char* kind : {"Spearman", "Pearson"}) {
      table.columns.push_back({column.name, kind, das_key(column.set), 2});
      table.columns.back().sign = true;
    }
  }
  std::vector<std::string> sources;
  for (const RunResult& run : results.runs) {
    for (const char* file : {"evaluation.json", "attention.json"}) {
      sources.push_back(source_of(run, file));
    }
  }
  for (const Group& group : groups_of(results)) {
    Row row{.group = table.rows.size() < results.tasks.size() ? "tasks" : "means",
            .label = group.name,
            .sources = sources};
    for (const Series& of_runs : ratios) {
      const Correlation found = correlate(pairs_of(results, of_runs, reading, group.tasks));
      if (row.cells.empty()) {
        row.cells = {{.value = static_cast<double>(found.clusters)},
                     {.value = static_cast<double>(found.pairs)}};
      }
      row.cells.push_back(cell_of(found.spearman));
      row.cells.push_back(cell_of(found.pearson));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// There are no lines, which distinguish the paper's models elsewhere, so each model has its own
// shape and colour.
LegendEntry mark_of(size_t variant) {
  LegendEntry style = style_of(variant);
  if (variant >= kPaperModels) style.mark = variant < 2 * kPaperModels ? 5 : 4;
  return {style.mark, style.css, "", style.text};
}

}  // namespace

std::string correlations_note(const ProbesResults& results) {
  const size_t models = attending_models(results);
  std::string few = "There are too few models with attention for an interval. ";
  if (models >= 3) {
    few = "With " + std::to_string(models) +
          " models, numbers that have nothing to do with each other come out beyond " +
          decimal(std::min(1.0, 1.96 / std::sqrt(static_cast<double>(models) - 1)), 2) +
          " or below minus that about once in twenty rows, and rows are not independent. ";
  }
  return "Do structures with a lower DAS ratio know more? Then correlations are negative. A pair "
         "is "
         "a run (a model with attention, a seed): its DAS ratio, and its F1 at the best epoch; "
         "easy, medium and hard are the paper's. Intervals (95 %): bootstrap over models, all "
         "seeds of a model together, ranks taken anew; draws of fewer than three models are left "
         "out. " +
         few +
         "What this can show is a strong common order of these models. It cannot show that "
         "attention is the cause: the models also differ in their encoders, in what their memory "
         "holds (tokens or utterances) and in how many states are added up, and intervals of so "
         "few models are rather too short. Nor does a correlation near 0 show that there is none.";
}

std::vector<Table> attention_tables(const ProbesResults& results) {
  if (attending_models(results) == 0) return {};
  std::vector<Table> tables = {das_table(results)};
  for (const std::string& reading : results.readings) {
    tables.push_back(correlations_table(results, reading));
  }
  return tables;
}

std::string attention_figure(const ProbesResults& results) {
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;
  std::vector<double> ratios = {1}, scores = {0};
  for (const std::string& reading : results.readings) {
    Panel panel{reading, "F1, mean of all tasks, by DAS ratio: " + reading_title(reading)};
    for (const RunResult& run : results.runs) {
      const auto ratio = run.numbers.value(das_key(kDas[0].set)),
                 f1 = mean_f1(run, reading, results.tasks);
      if (!ratio || !f1) continue;
      ratios.push_back(*ratio);
      scores.push_back(*f1);
      const LegendEntry style = mark_of(run.run.variant);
      panel.lines.push_back({style.css,
                             "",
                             style.mark,
                             {{*ratio, *f1,
                               run.run.name + ": DAS ratio " + decimal(*ratio, 3) + ", F1 " +
                                   decimal(100 * *f1, 2)}}});
      const bool is_new = std::none_of(legend.begin(), legend.end(),
                                       [&](const LegendEntry& e) { return e.text == style.text; });
      if (is_new) legend.push_back(style);
    }
    panels.push_back(std::move(panel));
  }
  PanelAxes axes;
  std::tie(axes.x_low, axes.x_high) = range_around_one(ratios);
  axes.y_high = 1.05 * *std::max_element(scores.begin(), scores.end());
  for (const double at : ticks(axes.x_low, axes.x_high, 5)) {
    axes.x_ticks.emplace_back(at, decimal(at, 2));
  }
  axes.y_ticks = ticks(0, axes.y_high, 5);
  axes.y_digits = digits_of_ticks(axes.y_ticks);
  return panels_html(axes, panels, legend);
}

}  // namespace heed
