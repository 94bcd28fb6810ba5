#include "experiments/probes/tables.h"

#include <algorithm>
#include <cmath>

#include "experiments/engine/report/variant_tables.h"
#include "experiments/probes/attention.h"
#include "experiments/probes/claims.h"

namespace heed {
namespace {

using Best = Column::Best;

std::string of_examples(const ProbesResults& results) {
  return std::to_string(results.items()) + " test examples of " +
         std::to_string(results.cluster_count()) + " dialogues, " +
         std::to_string(results.seeds()) + (results.seeds() == 1 ? " seed. " : " seeds. ");
}

// A column for each task; their keys are those of a checkpoint of this reading.
std::vector<Column> task_columns(const ProbesResults& results, const std::string& checkpoint,
                                 const std::string& reading) {
  std::vector<Column> columns;
  for (const std::string& task : results.tasks) {
    columns.push_back({"", task, score_key(checkpoint, reading, task), 2, true, Best::kHighest});
  }
  return columns;
}

// A baseline over the runs of the models that are trained, or else of the encoder that is not: its
// width is that of their representations.
Row baseline_row(const ProbesResults& results, const std::string& baseline,
                 const std::string& reading, bool trained = true) {
  Row row{.group = "baselines", .label = baseline, .reference = true};
  std::vector<const RunResult*> runs;
  for (const RunResult& run : results.runs) {
    if (results.variants[run.run.variant].trained != trained) continue;
    runs.push_back(&run);
    row.sources.push_back(source_of(run));
  }
  for (const std::string& task : results.tasks) {
    std::vector<double> values;
    for (const RunResult* run : runs) {
      const auto value = run->numbers.value(baseline_key(baseline, reading, task));
      if (value) values.push_back(*value);
    }
    const auto over_runs = spread(values);
    row.cells.push_back({.value = over_runs ? std::optional(over_runs->mean) : std::nullopt});
  }
  return row;
}

Table scores_table(const ProbesResults& results, const Inference& inference,
                   const std::string& reading) {
  Table table{
      .id = reading,
      .title = "Micro F1: " + reading_title(reading),
      .note = of_examples(results) +
              "Mean, and standard deviation, over seeds; 0 to 100. best: the epoch with the lowest "
              "validation perplexity. " +
              intervals_text(results, "dialogues", ", of the best") +
              "constant: always the labels that more than half of the training examples have; "
              "bag-of-words: the context's words through a random projection, mean over the runs.",
      .rows_are = "epoch",
      .groups_are = "model",
      .columns = task_columns(results, "CHECKPOINT", reading)};
  for (size_t v = 0; v < results.variants.size(); ++v) {
    const bool trained = results.variants[v].trained;
    for (const char* checkpoint : kCheckpoints) {
      Row row = variant_row(results, v);
      if (row.sources.empty() || (!trained && std::string(checkpoint) != "best")) continue;
      if (trained) {
        row.group = row.label;
        row.label = checkpoint;
      }
      for (const std::string& task : results.tasks) {
        const std::string key = score_key(checkpoint, reading, task);
        row.cells.push_back(cell_over_seeds(results, v, key));
        if (std::string(checkpoint) != "best") continue;
        if (const auto& e = inference.value(key, v)) row.cells.back().interval = e->interval;
      }
      table.rows.push_back(std::move(row));
    }
  }
  for (const char* baseline : kBaselines) {
    table.rows.push_back(baseline_row(results, baseline, reading));
  }
  if (results.encoder) {
    table.note += " " + results.encoder->name +
                  ": an encoder that others trained, as it is; each vector the mean of a layer's "
                  "states, of the length 1.";
    table.rows.push_back(baseline_row(results, "bag-of-words", reading, /*trained=*/false));
    table.rows.back().label += ", as wide as " + results.encoder->name;
  }
  return table;
}

Table selectivity_table(const ProbesResults& results) {
  Table table{.id = "selectivity",
              .title = "Selectivity: F1 minus F1 on the control task",
              .note = of_examples(results) + "Of the best epoch, by the last reading (" +
                      results.readings.back() +
                      "). In the control task every last utterance has labels drawn at random "
                      "(Hewitt & Liang 2019): what a probe scores on it is memory.",
              .rows_are = "model",
              .groups_are = "models"};
  for (const std::string& task : results.tasks) {
    table.columns.push_back({"", task, "selectivity." + task, 2, true});
  }
  add_variants(table, results, Inference(results, {}));
  return table;
}

Table changes_of(const ProbesResults& results, const Inference& inference,
                 const std::string& reading) {
  Table table{.id = "changes-" + reading,
              .title = "F1 minus the transformer's: " + reading_title(reading),
              .note = of_examples(results) + "Best epochs, same seeds and examples. " +
                      intervals_text(results, "dialogues") + p_values_text(inference),
              .rows_are = "model",
              .groups_are = "models",
              .columns = task_columns(results, "best", reading)};
  for (Column& column : table.columns) column.best = Best::kNone, column.sign = true;
  add_changes(table, results, inference);
  return table;
}

// ---- beside the paper's

Table beside_paper(const ProbesResults& results, const PaperTable& paper) {
  const std::string number = std::to_string(paper.number);
  std::vector<std::string> ours = {"mlp"};
  if (paper.probe == "logistic") ours = {"raw", "standardised"};
  std::erase_if(ours, [&](const std::string& reading) { return !results.has_reading(reading); });
  Table table{.id = "paper" + number,
              .title = "The paper's Table " + number + " (" + paper.corpus + ", " + paper.probe +
                       ") beside ours",
              .note = of_examples(results) + kPaperNote,
              .rows_are = "epoch",
              .groups_are = "model"};
  for (const std::string& task : paper.tasks) {
    table.columns.push_back({task, "paper", probe_paper().numbers.source, 2, true});
    for (const std::string& reading : ours) {
      table.columns.push_back({task, reading, score_key("CHECKPOINT", reading, task), 2, true});
    }
  }
  for (size_t v = 0; v < kPaperModels; ++v) {
    for (const char* checkpoint : kCheckpoints) {
      Row row = variant_row(results, v);
      row.sources.push_back(probe_paper().numbers.source);
      row.group = row.label;
      row.label = checkpoint;
      for (const std::string& task : paper.tasks) {
        row.cells.push_back(paper_cell(v, claim_key(paper.probe, paper.corpus, checkpoint, task)));
        for (const std::string& reading : ours) {
          row.cells.push_back(cell_over_seeds(results, v, score_key(checkpoint, reading, task)));
        }
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Cell level_cell(const std::optional<Spread>& level) {
  if (!level) return {};
  return {.value = level->mean, .deviation = level->deviation};
}

// Means over the tasks of each level: as printed, computed from Tables 6 and 7, and ours.
Table table8(const ProbesResults& results) {
  Table table{.id = "paper8",
              .title = "The paper's Table 8 (means by difficulty) beside ours",
              .note = of_examples(results) +
                      "Best epochs; deviations are over tasks. Difficulty: the paper's untrained "
                      "RNN models' mean F1, above 50 (easy), above 25 (medium), else hard. From "
                      "6 and 7: computed here from the cells of Tables 6 and 7.",
              .rows_are = "model",
              .groups_are = "models"};
  std::vector<std::pair<std::string, VariantNumbers>> ours;
  for (const std::string& reading : results.readings) {
    if (reading != "mlp") ours.emplace_back(reading, claim_numbers(results, reading));
  }
  const VariantNumbers& paper = probe_paper().numbers.numbers;
  for (const char* level : kLevels) {
    table.columns.push_back({level, "paper", probe_paper().numbers.source, 1, true});
    table.columns.push_back({level, "from 6 and 7", probe_paper().numbers.source, 2, true});
    for (const auto& [reading, numbers] : ours) {
      table.columns.push_back({level, reading, score_key("best", reading, "TASK"), 2, true});
    }
  }
  for (size_t v = 0; v < kPaperModels; ++v) {
    Row row = variant_row(results, v);
    row.sources.push_back(probe_paper().numbers.source);
    for (const char* level : kLevels) {
      row.cells.push_back({.value = paper.get(v, table8_key(level)),
                           .deviation = paper.get(v, table8_key(level) + kPrintedSpread)});
      row.cells.push_back(level_cell(level_of(paper, v, "logistic", "best", level)));
      for (const auto& [reading, numbers] : ours) {
        row.cells.push_back(level_cell(level_of(numbers, v, "logistic", "best", level)));
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table table4(const ProbesResults& results) {
  Table table{.id = "paper4",
              .title = "The paper's Table 4 (BLEU-2) and Table 3 (parameters) beside ours",
              .note = "Ours: greedy responses to " + results.setting("responses") +
                      " test examples at most, every model on its own words; taught: its most "
                      "probable word behind the human ones, which is what the authors' program "
                      "takes of the Transformer only.",
              .rows_are = "model",
              .groups_are = "models",
              .columns = {{"BLEU-2", "paper, MultiWOZ", "data/probe-tasks.json", 1, true},
                          {"BLEU-2", "paper, PersonaChat", "data/probe-tasks.json", 1, true},
                          {"BLEU-2", "ours", "responses.bleu2", 2, true},
                          {"BLEU-2", "ours, taught", "taught.bleu2", 2, true},
                          {"million parameters", "paper", "data/probe-tasks.json", 0},
                          {"million parameters", "ours", "parameters", 2}}};
  const VariantNumbers& paper = probe_paper().numbers.numbers;
  for (size_t v = 0; v < probed_structures().size(); ++v) {
    Row row = variant_row(results, v);
    row.sources.push_back(probe_paper().numbers.source);
    Cell parameters = cell_over_seeds(results, v, "parameters");
    if (parameters.value) parameters = {.value = *parameters.value / 1e6};
    row.cells = {{.value = paper.get(v, bleu_key("MultiWOZ"))},
                 {.value = paper.get(v, bleu_key("PersonaChat"))},
                 cell_over_seeds(results, v, "responses.bleu2"),
                 cell_over_seeds(results, v, "taught.bleu2"),
                 {.value = paper.get(v, "parameters")},
                 parameters};
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

// What the paper prints is the sample variance of the fraction, times 100.
Cell paper_cell(size_t variant, const std::string& key) {
  const VariantNumbers& numbers = probe_paper().numbers.numbers;
  const auto variance = numbers.get(variant, key + kPrintedSpread);
  return {.value = numbers.get(variant, key),
          .deviation = variance ? std::optional(std::sqrt(*variance)) : std::nullopt};
}

bool has_a_task_of(const ProbesResults& results, const PaperTable& paper) {
  if (!results.has_reading(paper.probe == "mlp" ? "mlp" : "raw") &&
      !results.has_reading(paper.probe == "mlp" ? "mlp" : "standardised")) {
    return false;
  }
  return std::any_of(paper.tasks.begin(), paper.tasks.end(), [&](const std::string& task) {
    return std::find(results.tasks.begin(), results.tasks.end(), task) != results.tasks.end();
  });
}

std::string reading_title(const std::string& reading) {
  if (reading == "raw") return "logistic regression, raw representations";
  if (reading == "standardised") return "logistic regression, standardised representations";
  return "MLP, raw representations";
}

std::vector<Table> probe_tables(const ProbesResults& results, const Inference& inference) {
  std::vector<Table> tables;
  for (const std::string& reading : results.readings) {
    tables.push_back(scores_table(results, inference, reading));
  }
  for (const std::string& reading : results.readings) {
    tables.push_back(changes_of(results, inference, reading));
  }
  tables.push_back(selectivity_table(results));
  for (Table& table : attention_tables(results)) tables.push_back(std::move(table));
  tables.push_back(table4(results));
  for (const PaperTable& paper : probe_paper().tables) {
    if (has_a_task_of(results, paper)) tables.push_back(beside_paper(results, paper));
  }
  tables.push_back(table8(results));
  for (Table& table : selection_tables(results)) tables.push_back(std::move(table));
  tables.push_back(doubts_table(results));
  tables.push_back(trainings_table(results, "valid_perplexity", "perplexity"));
  return tables;
}

}  // namespace heed
