// Observations from a close reading of the paper's numbers.
#include <algorithm>
#include <cmath>

#include "base/list.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/probes/report.h"

namespace heed {
namespace {

using probed::kTransformer;

const VariantNumbers& paper() {
  return probe_paper().numbers;
}

std::string points(double share) {
  return decimal(100 * share, 1);
}

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : joined(names);
}

// The higher number; 0 is the least one.
void raise(double& highest, std::optional<double> number) {
  highest = std::max(highest, number.value_or(0));
}

// A cell of the paper's tables of logistic probes.
struct PaperCell {
  size_t variant;
  double mean, variance;
};
std::vector<PaperCell> paper_cells() {
  std::vector<PaperCell> cells;
  for (const PaperTable& table : probe_paper().tables) {
    if (table.probe != "logistic") continue;
    for (size_t v = 0; v < kPaperModels; ++v) {
      for (const std::string& row : table.rows()) {
        for (const std::string& task : table.tasks) {
          const auto mean = f1_of(paper(), v, table.corpus, row, task),
                     variance = f1_of(paper(), v, table.corpus, row, task + kPlusMinus);
          if (mean && variance) cells.push_back({v, *mean, *variance});
        }
      }
    }
  }
  return cells;
}

// ---- deviations

std::string paper_deviations() {
  double largest = 0;
  for (const PaperCell& cell : paper_cells()) raise(largest, cell.variance);
  const std::string key = paper_key("logistic", "MultiWOZ", "best", "RecentTopic");
  const double spread = paper().get(kTransformer, key + kPlusMinus).value();
  return "the Transformer's RecentTopic, " + points(paper().get(kTransformer, key).value()) +
         " ± " + points(spread) + ", has a deviation of " + points(std::sqrt(spread)) +
         " points; the largest is " + points(std::sqrt(largest));
}

std::string our_deviations(const Results& results) {
  if (results.seeds() < 2) return "one seed: no deviation";
  double largest = 0;
  const std::vector<std::string> tasks = measured_tasks(results);
  for (const std::string& reading : measured_readings(results)) {
    for (const std::string& task : tasks) {
      for (const char* checkpoint : kCheckpoints) {
        const std::string key = score_key(checkpoint, reading, task);
        for (size_t v = 0; v < results.variants.size(); ++v) {
          raise(largest, cell_over_seeds(results, v, key).deviation);
        }
      }
    }
  }
  return "at most " + points(largest) + " points; as the paper prints it " +
         decimal(100 * largest * largest, 2);
}

// ---- collapsed runs

// Of three runs with this mean one or two score 0 and the others are equal: then the variance is
// 0.75 or 3 times the squared mean. To a tenth, because the others are only about equal.
bool looks_collapsed(double mean, double variance) {
  for (const double factor : {0.75, 3.0}) {
    const double expected = factor * mean * mean;
    if (mean > 0.02 && std::abs(variance - expected) <= 0.1 * expected) return true;
  }
  return false;
}

std::string paper_collapses() {
  std::vector<size_t> fits(kPaperModels), cells(kPaperModels);
  for (const auto& [v, mean, variance] : paper_cells()) {
    ++cells[v];
    fits[v] += looks_collapsed(mean, variance);
  }
  std::vector<std::string> of_models;
  for (size_t v = 0; v < kPaperModels; ++v) {
    of_models.push_back(probed_names()[v].name + " " + std::to_string(fits[v]) + " of " +
                        std::to_string(cells[v]));
  }
  return "cells with the variance of runs of which one or two score 0: " + listed(of_models);
}

std::string our_collapses(const Results& results) {
  if (results.seeds() < 2) return "one seed: cannot be told";
  const std::vector<std::string> tasks = measured_tasks(results);
  const std::string reading = measured_readings(results).front();
  std::vector<std::string> names;
  for (const RunResult& run : results.runs) {
    size_t low = 0;
    for (const std::string& task : tasks) {
      const std::string key = score_key("best", reading, task);
      double best = 0;
      for (const RunResult* other : results.of(run.run.variant)) {
        raise(best, other->numbers.value(key));
      }
      low += best > 0 && run.numbers.value(key).value_or(0) < 0.5 * best;
    }
    if (2 * low > tasks.size()) names.push_back(run.run.name);
  }
  return "runs with less than half of their model's best run on most tasks: " + listed(names);
}

// ---- tasks at the level of a constant prediction

constexpr double kNear = 0.035;

// An untrained HRED is nearly constant, so its F1 is about that of the most frequent labels.
std::string paper_constants() {
  std::vector<std::string> names;
  for (const char* corpus : kCorpora) {
    for (const std::string& task : tasks_of(corpus)) {
      double trained = 0;
      for (size_t v = 0; v < kPaperModels; ++v) {
        for (const char* row : {"last", "best"})
          raise(trained, f1_of(paper(), v, corpus, row, task));
      }
      const auto level = f1_of(paper(), probed::kHred, corpus, "untrained", task);
      if (level && *level > 0.05 && trained <= *level + kNear) names.push_back(task);
    }
  }
  return listed(names);
}

std::string our_constants(const Results& results) {
  std::vector<std::string> names;
  const std::vector<std::string> readings = measured_readings(results);
  for (const std::string& task : measured_tasks(results)) {
    double trained = 0;
    for (const std::string& reading : readings) {
      for (const char* row : {"last", "best"}) {
        const std::string key = score_key(row, reading, task);
        for (const RunResult& run : results.runs) raise(trained, run.numbers.value(key));
      }
    }
    const double constant = results.runs.back().numbers.value("constant." + task).value_or(0);
    if (constant > 0 && trained <= constant + kNear) names.push_back(task);
  }
  return listed(names);
}

// ---- the untrained Transformer, and how long its representations are

std::string untrained_transformer(const VariantNumbers& numbers) {
  size_t wins = 0, all = 0;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    const auto f1 = [&](size_t v) { return f1_of(numbers, v, "MultiWOZ", "untrained", task); };
    double rnns = 0;
    for (size_t rnn = 0; rnn < kRnnModels; ++rnn) raise(rnns, f1(rnn));
    const auto its = f1(kTransformer);
    all += its.has_value();
    wins += its && *its > rnns;
  }
  return all == 0 ? "numbers are missing"
                  : "best of all untrained on " + std::to_string(wins) + " of " +
                        std::to_string(all) + " tasks";
}

std::string paper_widths() {
  return "about " + decimal(paper().get(kTransformer, "width.untrained").value(), 0) +
         " times as wide, by construction: a sum over as many as 100 normalised vectors beside a "
         "sum of two; there is one reading, the raw one";
}

// The untrained Transformer's lead in points of F1, as a mean over tasks, for each reading.
std::string our_lengths(const Results& results) {
  const std::string length = "checkpoints.untrained.length";
  const auto its = mean_of(results, kTransformer, length), theirs = mean_of_rnns(results, length);
  if (!its || !theirs || !(*theirs > 0)) return "numbers are missing";
  std::string text = decimal(*its / *theirs, 1) +
                     " times as long; lead of the untrained "
                     "Transformer over the untrained RNN models' mean:";
  const std::vector<std::string> tasks = measured_tasks(results);
  for (const std::string& reading : measured_readings(results)) {
    double lead = 0;
    for (const std::string& task : tasks) {
      const std::string key = score_key("untrained", reading, task);
      lead +=
          mean_of(results, kTransformer, key).value_or(0) - mean_of_rnns(results, key).value_or(0);
    }
    text += " " + reading + " " + points(lead / static_cast<double>(tasks.size()));
  }
  return text;
}

}  // namespace

Table doubts_table(const Results& results) {
  const std::string reading = measured_readings(results).front();
  Table table{.id = "doubts",
              .title = "The printed numbers read closely, and ours",
              .note = "Ours by the first reading (" + reading +
                      ") unless it is said. 3.5 points above a constant prediction or less "
                      "counts as its level.",
              .rows_are = "check",
              .groups_are = "of",
              .columns = {{"", "the paper", kPaperFile}, {"", "here", "evaluation.json"}}};
  const auto add = [&](const char* of, const char* check, const std::string& theirs,
                       const std::string& here) {
    Row row{of, check, {{.text = theirs}, {.text = here}}, {kPaperFile}};
    for (const RunResult& run : results.runs) row.sources.push_back(source_of(run));
    table.rows.push_back(std::move(row));
  };
  add("seeds", "spread: a variance, printed as a deviation", paper_deviations(),
      our_deviations(results));
  add("seeds", "collapsed runs in the means", paper_collapses(), our_collapses(results));
  add("tasks", "at the level of a constant prediction", paper_constants(), our_constants(results));
  add("encoders", "a random projection of words is a strong encoder",
      untrained_transformer(paper()), untrained_transformer(claim_numbers(results, reading)));
  add("encoders", "length of the representation as capacity", paper_widths(), our_lengths(results));
  add("training", "learning rate", "0.004 for all models", results.setting("rates"));
  return table;
}

Table difficulty_table(const Results& results) {
  const std::vector<std::string> readings = readings_by(results, "logistic");
  Table table{.id = "paper8",
              .title = "The paper's Table 8 (means by difficulty) beside ours",
              .note = of_examples(results) +
                      "Best epochs; deviations are over tasks. Difficulty: the paper's untrained "
                      "RNN models' mean F1, above 50 (easy), above 25 (medium), else hard. From "
                      "6 and 7: computed here from the cells of Tables 6 and 7."};
  std::vector<VariantNumbers> ours;
  for (const std::string& reading : readings) ours.push_back(claim_numbers(results, reading));
  for (size_t v = 0; v < kPaperModels; ++v) {
    table.rows.push_back(variant_row(results, v));
    table.rows.back().sources.push_back(kPaperFile);
  }
  for (const char* level : kLevels) {
    table.columns.push_back({level, "paper", kPaperFile, 1, true});
    table.columns.push_back({level, "from 6 and 7", kPaperFile, 2, true});
    for (const std::string& reading : readings) {
      table.columns.push_back({level, reading, score_key("best", reading, "TASK"), 2, true});
    }
    for (size_t v = 0; v < kPaperModels; ++v) {
      std::vector<Cell>& cells = table.rows[v].cells;
      const std::string key = table8_key(level);
      cells.push_back(
          {.value = paper().get(v, key), .deviation = paper().get(v, key + kPlusMinus)});
      cells.push_back(cell_of(level_of(paper(), v, "best", level)));
      for (const VariantNumbers& its : ours) {
        cells.push_back(cell_of(level_of(its, v, "best", level)));
      }
    }
  }
  return table;
}

}  // namespace heed
