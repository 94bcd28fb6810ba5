// The paper: its numbers, from data/probe-tasks.json, which is compiled in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/engine/stats/numbers.h"
#include "experiments/probes/variant.h"

namespace heed {

constexpr const char* kCorpora[] = {"MultiWOZ", "PersonaChat"};

// How an epoch is chosen in chosen.json (dialog/respond/choose_epoch.h) and judged.json, and what
// the paper calls it: {"best-rouge", "F1"}.
constexpr char kBestBert[] = "best-bert";  // that of judged.json
const std::vector<std::pair<std::string, std::string>>& choices();

// One of its tables with F1: for each of the five models a row for each checkpoint or choice.
struct PaperTable {
  int number = 0;      // "Table 6"
  std::string probe;   // "logistic", "mlp"; "selection": logistic, by choice
  std::string corpus;  // "MultiWOZ" or "PersonaChat"
  std::vector<std::string> tasks = {};

  bool by_choice() const { return probe == "selection"; }
  std::vector<std::string> rows() const;  // "untrained" ... or "best-bleu" ...
};

constexpr char kPaperFile[] = "data/probe-tasks.json";
struct ProbePaper {
  // By the names below. F1 and BLEU in [0, 1]; what is printed behind the plus-minus sign likewise
  // over 100.
  VariantNumbers numbers;
  std::vector<PaperTable> tables;  // 5 to 7, 12 to 14, and by choice 9 to 11
};
const ProbePaper& probe_paper();

// "logistic.MultiWOZ.best.AllSlots", with ".pm" for what stands behind +-
inline std::string paper_key(const std::string& probe, const std::string& corpus,
                             const std::string& row, const std::string& task) {
  return probe + "." + corpus + "." + row + "." + task;
}
inline std::string bleu_key(const std::string& corpus) {
  return "bleu." + corpus;
}
// A mean of Table 8 as it is printed.
inline std::string table8_key(const std::string& level) {
  return "table8." + level;
}
constexpr char kPlusMinus[] = ".pm";
// F1 of a logistic probe, or of another one.
inline std::optional<double> f1_of(const VariantNumbers& numbers, size_t variant,
                                   const std::string& corpus, const std::string& row,
                                   const std::string& task, const std::string& probe = "logistic") {
  return numbers.get(variant, paper_key(probe, corpus, row, task));
}

// The tasks of a corpus in the order of the tables.
std::vector<std::string> tasks_of(const std::string& corpus);
// "easy", "medium" or "hard", of a MultiWOZ task: by the mean F1 of the four untrained RNN models,
// above 50, above 25 or not.
std::string difficulty_of(const std::string& task);
constexpr const char* kLevels[] = {"easy", "medium", "hard"};

// Mean F1 of a logistic probe over the MultiWOZ tasks of a level that there are numbers of, and
// deviation over the tasks (Table 8); nothing where there is none.
std::optional<Spread> level_of(const VariantNumbers& numbers, size_t variant,
                               const std::string& checkpoint, const std::string& level);

}  // namespace heed
