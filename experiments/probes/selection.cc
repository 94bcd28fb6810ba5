// The epochs that write best (chosen.json) beside the paper's Tables 9 to 11.
#include <cmath>
#include <utility>

#include "experiments/engine/report/variant_tables.h"
#include "experiments/probes/additions.h"
#include "experiments/probes/paper.h"
#include "experiments/probes/tables.h"

namespace heed {
namespace {

std::string f1_key(const std::string& choice, const std::string& reading, const std::string& task) {
  return chosen_key(choice, reading + "." + task + ".f1");
}

Row chosen_row(const ProbesResults& results, size_t variant, const std::string& label) {
  Row row = variant_row(results, variant);
  for (const RunResult* run : results.of(variant)) {
    row.sources.push_back(source_of(*run, label == kBestBert ? "judged.json" : "chosen.json"));
  }
  row.group = row.label;
  row.label = label;
  return row;
}

Table selection_table(const ProbesResults& results, const PaperTable& paper) {
  const std::string number = std::to_string(paper.number), source = probe_paper().numbers.source;
  Table table{.id = "paper" + number,
              .title = "The paper's Table " + number + " (" + paper.corpus +
                       ", by which metric the epoch is chosen) beside ours",
              .note =
                  "F1 of the epoch that writes best on the valid part, by sentence BLEU-2, "
                  "ROUGE-L (the paper's F1) and METEOR of equal words and stems. Here these "
                  "are means over the first " +
                  results.setting_of_choice() +
                  " dialogues. best-bert, the paper's choice by BERT: of the least squared "
                  "difference of the summed embeddings of words, with --judge-encoder. " +
                  kPaperNote,
              .rows_are = "chosen by",
              .groups_are = "model"};
  for (const std::string& task : paper.tasks) {
    table.columns.push_back({task, "paper", source, 2, true});
    for (const std::string& reading : results.readings) {
      table.columns.push_back({task, reading, f1_key("CHOICE", reading, task), 2, true});
    }
  }
  for (size_t v = 0; v < kPaperModels; ++v) {
    for (const auto& [choice, metric] : choices()) {
      Row row = chosen_row(results, v, choice);
      row.sources.push_back(source);
      for (const std::string& task : paper.tasks) {
        row.cells.push_back(paper_cell(v, selection_key(metric, paper.corpus, task)));
        for (const std::string& reading : results.readings) {
          row.cells.push_back(cell_over_seeds(results, v, f1_key(choice, reading, task)));
        }
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table chosen_table(const ProbesResults& results) {
  struct Number {
    const char *group, *name, *key;
    int digits;
    bool percent;
  };
  static constexpr Number kNumbers[] = {{"", "epoch", "epoch", 1, false},
                                        {"valid", "BLEU-2", "valid.bleu2", 2, true},
                                        {"valid", "ROUGE-L", "valid.rouge_l", 2, true},
                                        {"valid", "METEOR", "valid.meteor", 2, true},
                                        {"valid", "BERT", "valid.bert", 4, false},
                                        {"test, BLEU-2", "free", "free.bleu2", 2, true},
                                        {"test, BLEU-2", "taught", "taught.bleu2", 2, true}};
  Table table{.id = "chosen",
              .title = "Which epoch writes best",
              .note = "Of all kept epochs, on the first " + results.setting_of_choice() +
                      " dialogues of the valid part, greedily. Test: responses to " +
                      results.setting("responses") +
                      " examples at most; free: each model on its own words; taught: its most "
                      "probable word behind the human ones. Means over seeds.",
              .rows_are = "chosen by",
              .groups_are = "model"};
  for (const Number& n : kNumbers) {
    table.columns.push_back({n.group, n.name, chosen_key("CHOICE", n.key), n.digits, n.percent});
  }
  for (size_t v = 0; v < probed_structures().size(); ++v) {
    if (results.of(v).empty()) continue;
    for (const auto& [choice, metric] : choices()) {
      if (!cell_over_seeds(results, v, chosen_key(choice, "epoch")).value) continue;
      Row row = chosen_row(results, v, choice);
      for (const Number& n : kNumbers) {
        row.cells.push_back(cell_over_seeds(results, v, chosen_key(choice, n.key)));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

std::vector<Table> selection_tables(const ProbesResults& results) {
  if (results.setting_of_choice().empty()) return {};
  std::vector<Table> tables = {chosen_table(results)};
  for (const PaperTable& paper : probe_paper().selections) {
    if (has_a_task_of(results, paper)) tables.push_back(selection_table(results, paper));
  }
  return tables;
}

}  // namespace heed
