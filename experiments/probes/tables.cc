#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/engine/report/variant_tables.h"
#include "experiments/probes/report.h"

namespace heed {
namespace {

using Best = Column::Best;
using Names = std::vector<std::string>;

const Names kAllCheckpoints(std::begin(kCheckpoints), std::end(kCheckpoints));

constexpr char kPaperNote[] =
    "The paper's models were trained on about 8,400 dialogues of MultiWOZ 2.0 or 10,900 of "
    "PersonaChat: compare orders and signs, not cells. What the paper prints behind +- is a "
    "variance; here it is made a deviation. – is no such task here, or no finished run. ";

std::string of_examples(const ProbesResults& results) {
  return std::to_string(results.items()) + " test examples of " +
         std::to_string(results.cluster_count()) + " dialogues, " +
         std::to_string(results.seeds()) + (results.seeds() == 1 ? " seed. " : " seeds. ");
}

// ---- rows

struct RowsOf {
  size_t models = probed_structures().size();
  Names names = {""};         // of a model's rows; if there is one, it has the model's name
  bool beside_paper = false;  // with the paper's numbers: also of models without a finished run
  std::string (*file)(const std::string& name) = nullptr;  // beside evaluation.json
};
using CellsOf = std::function<std::vector<Cell>(size_t variant, const std::string& name)>;

void add_rows(Table& table, const ProbesResults& results, const RowsOf& rows,
              const CellsOf& cells) {
  for (size_t v = 0; v < rows.models; ++v) {
    if (results.of(v).empty() && !rows.beside_paper) continue;
    for (const std::string& name : rows.names) {
      Row row = variant_row(results, v);
      if (rows.names.size() > 1) row.group = std::exchange(row.label, name);
      for (const RunResult* run : results.of(v)) {
        if (rows.file) row.sources.push_back(source_of(*run, rows.file(name)));
      }
      if (rows.beside_paper) row.sources.push_back(probe_paper().numbers.source);
      row.cells = cells(v, name);
      table.rows.push_back(std::move(row));
    }
  }
}

// ---- scores

// A column for each task; their keys are those of a checkpoint of this reading.
std::vector<Column> task_columns(const ProbesResults& results, const std::string& checkpoint,
                                 const std::string& reading, Best best) {
  std::vector<Column> columns;
  for (const std::string& task : results.tasks) {
    columns.push_back({"", task, score_key(checkpoint, reading, task), 2, true, best});
  }
  return columns;
}

// A baseline over the runs of the models that are trained, or else of the encoder that is not: its
// width is that of their representations.
Row baseline_row(const ProbesResults& results, const std::string& baseline,
                 const std::string& reading, bool trained = true) {
  Row row{.group = "baselines", .label = baseline, .reference = true};
  std::vector<std::vector<double>> values(results.tasks.size());
  for (const RunResult& run : results.runs) {
    if (results.variants[run.run.variant].trained != trained) continue;
    row.sources.push_back(source_of(run));
    for (size_t t = 0; t < values.size(); ++t) {
      const auto value = run.numbers.value(baseline_key(baseline, reading, results.tasks[t]));
      if (value) values[t].push_back(*value);
    }
  }
  for (const std::vector<double>& of_runs : values) {
    const auto mean = spread(of_runs);
    row.cells.push_back({.value = mean ? std::optional(mean->mean) : std::nullopt});
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
      .columns = task_columns(results, "CHECKPOINT", reading, Best::kHighest)};
  const auto cells = [&](size_t v, const std::string& checkpoint) {
    std::vector<Cell> cells;
    for (const std::string& task : results.tasks) {
      const std::string key = score_key(checkpoint, reading, task);
      cells.push_back(cell_over_seeds(results, v, key));
      if (const auto& e = inference.value(key, v)) cells.back().interval = e->interval;
    }
    return cells;
  };
  add_rows(table, results, {.names = kAllCheckpoints}, cells);
  for (size_t v = probed_structures().size(); v < results.variants.size(); ++v) {
    if (results.of(v).empty()) continue;
    table.rows.push_back(variant_row(results, v));
    table.rows.back().cells = cells(v, "best");
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

Table changes_of(const ProbesResults& results, const Inference& inference,
                 const std::string& reading) {
  Table table{.id = "changes-" + reading,
              .title = "F1 minus the transformer's: " + reading_title(reading),
              .note = of_examples(results) + "Best epochs, same seeds and examples. " +
                      intervals_text(results, "dialogues") + p_values_text(inference),
              .columns = task_columns(results, "best", reading, Best::kNone)};
  for (Column& column : table.columns) column.sign = true;
  add_changes(table, results, inference);
  return table;
}

Table selectivity_table(const ProbesResults& results) {
  Table table{.id = "selectivity",
              .title = "Selectivity: F1 minus F1 on the control task",
              .note = of_examples(results) + "Of the best epoch, by the last reading (" +
                      results.readings.back() +
                      "). In the control task every last utterance has labels drawn at random "
                      "(Hewitt & Liang 2019): what a probe scores on it is memory."};
  for (const std::string& task : results.tasks) {
    table.columns.push_back({"", task, "selectivity." + task, 2, true});
  }
  add_variants(table, results, Inference(results, {}));
  return table;
}

// ---- beside the paper's

// A number of the paper. What it prints behind +- is the sample variance of the fraction, times
// 100.
Cell paper_cell(size_t variant, const std::string& key) {
  const VariantNumbers& numbers = probe_paper().numbers.numbers;
  const auto variance = numbers.get(variant, key + kPlusMinus);
  return {.value = numbers.get(variant, key),
          .deviation = variance ? std::optional(std::sqrt(*variance)) : std::nullopt};
}

std::string file_of_choice(const std::string& choice) {
  return choice == kBestBert ? "judged.json" : "chosen.json";
}

// Tables 5 to 7 and 12 to 14, by checkpoint, and 9 to 11, by choice.
Table beside_paper(const ProbesResults& results, const PaperTable& paper) {
  const std::string number = std::to_string(paper.number);
  Table table{.id = "paper" + number,
              .title = "The paper's Table " + number + " (" + paper.corpus + ", " +
                       (paper.by_choice() ? "by which metric the epoch is chosen" : paper.probe) +
                       ") beside ours",
              .note = of_examples(results) + kPaperNote,
              .rows_are = paper.by_choice() ? "chosen by" : "epoch",
              .groups_are = "model"};
  if (paper.by_choice()) {
    table.note =
        "F1 of the epoch that writes best on the valid part, by sentence BLEU-2, ROUGE-L (the "
        "paper's F1) and METEOR of equal words and stems. Here these are means over the first " +
        results.setting_of_choice() +
        " dialogues. best-bert, the paper's choice by BERT: of the least squared difference of the "
        "summed embeddings of words, with --judge-encoder. " +
        kPaperNote;
  }
  const Names readings = paper.by_choice() ? results.readings : results.readings_by(paper.probe);
  const std::string any_row = paper.by_choice() ? "CHOICE" : "CHECKPOINT";
  for (const std::string& task : paper.tasks) {
    table.columns.push_back({task, "paper", probe_paper().numbers.source, 2, true});
    for (const std::string& reading : readings) {
      table.columns.push_back({task, reading, our_key(paper, any_row, reading, task), 2, true});
    }
  }
  add_rows(table, results,
           {.models = kPaperModels,
            .names = paper.rows(),
            .beside_paper = true,
            .file = paper.by_choice() ? file_of_choice : nullptr},
           [&](size_t v, const std::string& row) {
             std::vector<Cell> cells;
             for (const std::string& task : paper.tasks) {
               cells.push_back(paper_cell(v, paper_key(paper.probe, paper.corpus, row, task)));
               for (const std::string& reading : readings) {
                 cells.push_back(cell_over_seeds(results, v, our_key(paper, row, reading, task)));
               }
             }
             return cells;
           });
  return table;
}

// Means over the tasks of each level: as printed, computed from Tables 6 and 7, and ours.
Table table8(const ProbesResults& results) {
  Table table{.id = "paper8",
              .title = "The paper's Table 8 (means by difficulty) beside ours",
              .note = of_examples(results) +
                      "Best epochs; deviations are over tasks. Difficulty: the paper's untrained "
                      "RNN models' mean F1, above 50 (easy), above 25 (medium), else hard. From "
                      "6 and 7: computed here from the cells of Tables 6 and 7."};
  const PaperNumbers& paper = probe_paper().numbers;
  const Names readings = results.readings_by("logistic");
  std::vector<VariantNumbers> ours;
  for (const std::string& reading : readings) ours.push_back(claim_numbers(results, reading));
  for (const char* level : kLevels) {
    table.columns.push_back({level, "paper", paper.source, 1, true});
    table.columns.push_back({level, "from 6 and 7", paper.source, 2, true});
    for (const std::string& reading : readings) {
      table.columns.push_back({level, reading, score_key("best", reading, "TASK"), 2, true});
    }
  }
  add_rows(table, results, {.models = kPaperModels, .beside_paper = true},
           [&](size_t v, const std::string&) {
             std::vector<Cell> cells;
             for (const char* level : kLevels) {
               const std::string key = table8_key(level);
               cells.push_back({.value = paper.numbers.get(v, key),
                                .deviation = paper.numbers.get(v, key + kPlusMinus)});
               cells.push_back(cell_of(level_of(paper.numbers, v, "best", level)));
               for (const VariantNumbers& its : ours) {
                 cells.push_back(cell_of(level_of(its, v, "best", level)));
               }
             }
             return cells;
           });
  return table;
}

Table table4(const ProbesResults& results) {
  const PaperNumbers& paper = probe_paper().numbers;
  Table table{.id = "paper4",
              .title = "The paper's Table 4 (BLEU-2) and Table 3 (parameters) beside ours",
              .note = "Ours: greedy responses to " + results.setting("responses") +
                      " test examples at most, every model on its own words; taught: its most "
                      "probable word behind the human ones, which is what the authors' program "
                      "takes of the Transformer only.",
              .columns = {{"BLEU-2", "paper, MultiWOZ", paper.source, 1, true},
                          {"BLEU-2", "paper, PersonaChat", paper.source, 1, true},
                          {"BLEU-2", "ours", "responses.bleu2", 2, true},
                          {"BLEU-2", "ours, taught", "taught.bleu2", 2, true},
                          {"million parameters", "paper", paper.source, 0},
                          {"million parameters", "ours", "parameters", 2}}};
  add_rows(table, results, {.beside_paper = true}, [&](size_t v, const std::string&) {
    const auto parameters = mean_of(results, v, "parameters");
    return std::vector<Cell>{
        {.value = paper.numbers.get(v, bleu_key("MultiWOZ"))},
        {.value = paper.numbers.get(v, bleu_key("PersonaChat"))},
        cell_over_seeds(results, v, "responses.bleu2"),
        cell_over_seeds(results, v, "taught.bleu2"),
        {.value = paper.numbers.get(v, "parameters")},
        {.value = parameters ? std::optional(*parameters / 1e6) : std::nullopt}};
  });
  return table;
}

// ---- other files

Table chosen_table(const ProbesResults& results) {
  Table table{.id = "chosen",
              .title = "Which epoch writes best",
              .note = "Of all kept epochs, on the first " + results.setting_of_choice() +
                      " dialogues of the valid part, greedily. Test: responses to " +
                      results.setting("responses") +
                      " examples at most; free: each model on its own words; taught: its most "
                      "probable word behind the human ones. Means over seeds.",
              .rows_are = "chosen by",
              .groups_are = "model",
              .columns = {{"", "epoch", "epoch", 1},
                          {"valid", "BLEU-2", "valid.bleu2", 2, true},
                          {"valid", "ROUGE-L", "valid.rouge_l", 2, true},
                          {"valid", "METEOR", "valid.meteor", 2, true},
                          {"valid", "BERT", "valid.bert", 4},
                          {"test, BLEU-2", "free", "free.bleu2", 2, true},
                          {"test, BLEU-2", "taught", "taught.bleu2", 2, true}}};
  Names choice_names;
  for (const auto& [choice, metric] : choices()) choice_names.push_back(choice);
  add_rows(table, results, {.names = choice_names, .file = file_of_choice},
           [&](size_t v, const std::string& choice) {
             std::vector<Cell> cells;
             for (const Column& column : table.columns) {
               cells.push_back(cell_over_seeds(results, v, chosen_key(choice, column.key)));
             }
             return cells;
           });
  std::erase_if(table.rows, [](const Row& row) { return !row.cells[0].value; });
  for (Column& column : table.columns) column.key = chosen_key("CHOICE", column.key);
  return table;
}

bool has_numbers_of(const ProbesResults& results, const PaperTable& paper) {
  if (paper.by_choice() && results.setting_of_choice().empty()) return false;
  return !results.readings_by(paper.probe).empty() &&
         std::any_of(paper.tasks.begin(), paper.tasks.end(),
                     [&](const std::string& task) { return results.has_task(task); });
}

}  // namespace

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
          "deviation, over seeds. lstm has no attention."};
  for (const DasColumn& column : kDas) {
    table.columns.push_back({"DAS ratio", column.name, das_key(column.set), 3});
  }
  add_rows(table, results,
           {.file = [](const std::string&) { return std::string("attention.json"); }},
           [&](size_t v, const std::string&) {
             std::vector<Cell> cells;
             for (const Column& column : table.columns) {
               cells.push_back(cell_over_seeds(results, v, column.key));
             }
             return cells;
           });
  return table;
}

std::string reading_title(const std::string& reading) {
  if (reading == "mlp") return "MLP, raw representations";
  return "logistic regression, " + reading + " representations";
}

std::vector<Table> probe_tables(const ProbesResults& results, const Inference& inference) {
  std::vector<Table> tables, by_choice;
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
    if (!has_numbers_of(results, paper)) continue;
    (paper.by_choice() ? by_choice : tables).push_back(beside_paper(results, paper));
  }
  tables.push_back(table8(results));
  if (!results.setting_of_choice().empty()) tables.push_back(chosen_table(results));
  for (Table& table : by_choice) tables.push_back(std::move(table));
  tables.push_back(doubts_table(results));
  tables.push_back(trainings_table(results, "valid_perplexity", "perplexity"));
  return tables;
}

}  // namespace heed
