// Observations from a close reading of the paper's numbers.
#include <algorithm>
#include <cmath>

#include "base/list.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"
#include "experiments/probes/report.h"

namespace heed {
namespace {

using Number = std::optional<double>;
using probed::kTransformer;

const VariantNumbers& paper() {
  return probe_paper().numbers.numbers;
}

std::string points(double share) {
  return decimal(100 * share, 1);
}

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : joined(names);
}

// The highest number of these, at least 0.
double highest_of(const std::vector<Number>& numbers) {
  double highest = 0;
  for (const Number& number : numbers) highest = std::max(highest, number.value_or(0));
  return highest;
}

// Calls a function with each cell of the paper's tables of logistic probes.
template <class Function> void for_each_paper_cell(Function function) {
  for (const PaperTable& table : probe_paper().tables) {
    if (table.probe != "logistic") continue;
    for (size_t v = 0; v < kPaperModels; ++v) {
      for (const std::string& row : table.rows()) {
        for (const std::string& task : table.tasks) {
          function(v, paper_key(table.probe, table.corpus, row, task));
        }
      }
    }
  }
}

// ---- deviations

std::string paper_deviations() {
  double largest = 0;
  for_each_paper_cell([&](size_t v, const std::string& key) {
    largest = std::max(largest, paper().get(v, key + kPlusMinus).value_or(0));
  });
  const std::string key = paper_key("logistic", "MultiWOZ", "best", "RecentTopic");
  const double spread = paper().get(kTransformer, key + kPlusMinus).value();
  return "the Transformer's RecentTopic, " + points(paper().get(kTransformer, key).value()) +
         " ± " + points(spread) + ", has a deviation of " + points(std::sqrt(spread)) +
         " points; the largest is " + points(std::sqrt(largest));
}

std::string our_deviations(const ProbesResults& results) {
  if (results.seeds() < 2) return "one seed: no deviation";
  double largest = 0;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    for (const std::string& reading : results.readings) {
      for (const std::string& task : results.tasks) {
        for (const char* checkpoint : kCheckpoints) {
          const Cell cell = cell_over_seeds(results, v, score_key(checkpoint, reading, task));
          largest = std::max(largest, cell.deviation.value_or(0));
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
  for_each_paper_cell([&](size_t v, const std::string& key) {
    const Number mean = paper().get(v, key), variance = paper().get(v, key + kPlusMinus);
    if (!mean || !variance) return;
    ++cells[v];
    fits[v] += looks_collapsed(*mean, *variance);
  });
  std::vector<std::string> of_models;
  for (size_t v = 0; v < kPaperModels; ++v) {
    of_models.push_back(probed_names()[v].name + " " + std::to_string(fits[v]) + " of " +
                        std::to_string(cells[v]));
  }
  return "cells with the variance of runs of which one or two score 0: " + listed(of_models);
}

// Whether a run has less than half the score of the best run of its variant, on most tasks.
bool has_collapsed(const ProbesResults& results, const RunResult& run, const std::string& reading) {
  size_t low = 0;
  for (const std::string& task : results.tasks) {
    const std::string key = score_key("best", reading, task);
    std::vector<Number> all;
    for (const RunResult* other : results.of(run.run.variant)) {
      all.push_back(other->numbers.value(key));
    }
    const double best = highest_of(all);
    low += best > 0 && run.numbers.value(key).value_or(0) < 0.5 * best;
  }
  return 2 * low > results.tasks.size();
}

std::string our_collapses(const ProbesResults& results) {
  if (results.seeds() < 2) return "one seed: cannot be told";
  std::vector<std::string> names;
  for (const RunResult& run : results.runs) {
    if (has_collapsed(results, run, results.readings[0])) names.push_back(run.run.name);
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
      const auto of = [&](size_t v, const char* checkpoint) {
        return paper().get(v, paper_key("logistic", corpus, checkpoint, task));
      };
      std::vector<Number> trained;
      for (size_t v = 0; v < kPaperModels; ++v) {
        trained.insert(trained.end(), {of(v, "last"), of(v, "best")});
      }
      const Number level = of(probed::kHred, "untrained");
      if (level && *level > 0.05 && highest_of(trained) <= *level + kNear) names.push_back(task);
    }
  }
  return listed(names);
}

std::string our_constants(const ProbesResults& results) {
  std::vector<std::string> names;
  for (const std::string& task : results.tasks) {
    std::vector<Number> trained;
    for (const RunResult& run : results.runs) {
      for (const std::string& reading : results.readings) {
        for (const char* checkpoint : {"last", "best"}) {
          trained.push_back(run.numbers.value(score_key(checkpoint, reading, task)));
        }
      }
    }
    const double constant = results.runs.back().numbers.value("constant." + task).value_or(0);
    if (constant > 0 && highest_of(trained) <= constant + kNear) names.push_back(task);
  }
  return listed(names);
}

// ---- the untrained Transformer, and how long its representations are

std::string untrained_transformer(const VariantNumbers& numbers) {
  size_t wins = 0, all = 0;
  for (const std::string& task : tasks_of("MultiWOZ")) {
    const std::string key = paper_key("logistic", "MultiWOZ", "untrained", task);
    const Number its = numbers.get(kTransformer, key);
    std::vector<Number> of_rnns;
    for (size_t rnn = 0; rnn < kRnnModels; ++rnn) of_rnns.push_back(numbers.get(rnn, key));
    all += its.has_value();
    wins += its && *its > highest_of(of_rnns);
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
std::string our_lengths(const ProbesResults& results) {
  const std::string length = "checkpoints.untrained.length";
  const Number its = mean_of(results, kTransformer, length), theirs = mean_of_rnns(results, length);
  if (!its || !theirs || !(*theirs > 0)) return "numbers are missing";
  std::string text = decimal(*its / *theirs, 1) +
                     " times as long; lead of the untrained "
                     "Transformer over the untrained RNN models' mean:";
  for (const std::string& reading : results.readings) {
    double lead = 0;
    for (const std::string& task : results.tasks) {
      const std::string key = score_key("untrained", reading, task);
      lead +=
          mean_of(results, kTransformer, key).value_or(0) - mean_of_rnns(results, key).value_or(0);
    }
    text += " " + reading + " " + points(lead / static_cast<double>(results.tasks.size()));
  }
  return text;
}

}  // namespace

Table doubts_table(const ProbesResults& results) {
  const VariantNumbers ours = claim_numbers(results, results.readings[0]);
  Table table{
      .id = "doubts",
      .title = "The printed numbers read closely, and ours",
      .note = "Ours by the first reading (" + results.readings[0] +
              ") unless it is said. 3.5 points above a constant prediction or less "
              "counts as its level.",
      .rows_are = "check",
      .groups_are = "of",
      .columns = {{"", "the paper", "data/probe-tasks.json"}, {"", "here", "evaluation.json"}}};
  const auto add = [&](const char* of, const char* check, const std::string& theirs,
                       const std::string& here) {
    Row row{of, check, {{.text = theirs}, {.text = here}}, {probe_paper().numbers.source}};
    for (const RunResult& run : results.runs) row.sources.push_back(source_of(run));
    table.rows.push_back(std::move(row));
  };
  add("seeds", "spread: a variance, printed as a deviation", paper_deviations(),
      our_deviations(results));
  add("seeds", "collapsed runs in the means", paper_collapses(), our_collapses(results));
  add("tasks", "at the level of a constant prediction", paper_constants(), our_constants(results));
  add("encoders", "a random projection of words is a strong encoder",
      untrained_transformer(paper()), untrained_transformer(ours));
  add("encoders", "length of the representation as capacity", paper_widths(), our_lengths(results));
  add("training", "learning rate", "0.004 for all models", results.setting("rates"));
  return table;
}

}  // namespace heed
