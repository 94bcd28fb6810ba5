// The paper: its numbers, from data/probe-tasks.json, which is compiled in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/engine/report/variant_tables.h"
#include "experiments/probes/variant.h"

namespace heed {

// One of its tables with F1: 5 models x 3 checkpoints.
struct PaperTable {
  int number = 0;      // "Table 6"
  std::string probe;   // "logistic" or "mlp"
  std::string corpus;  // "MultiWOZ" or "PersonaChat"
  std::vector<std::string> tasks = {};
};

struct ProbePaper {
  // By the names below. F1 and BLEU in [0, 1]; what is printed behind the plus-minus sign likewise
  // over 100.
  PaperNumbers numbers;
  std::vector<PaperTable> tables;      // 5 to 7, 12 to 14
  std::vector<PaperTable> selections;  // 9 to 11: 5 models x 4 metrics that choose a checkpoint
};
const ProbePaper& probe_paper();

// "logistic.MultiWOZ.best.AllSlots", with ".printed_spread" for what stands behind +-
std::string claim_key(const std::string& probe, const std::string& corpus,
                      const std::string& checkpoint, const std::string& task);
std::string bleu_key(const std::string& corpus);
// By which metric the checkpoint was chosen: "BERT", "F1", "BLEU", "METEOR".
std::string selection_key(const std::string& metric, const std::string& corpus,
                          const std::string& task);
// The measures by which chosen.json (dialog/respond/choose_epoch.h) and judged.json have an epoch,
// and what the paper calls them: "best-rouge" and "F1".
constexpr char kBestBert[] = "best-bert";  // that of judged.json
const std::vector<std::pair<std::string, std::string>>& choices();
// A mean of Table 8 as it is printed.
std::string table8_key(const std::string& level);
constexpr char kPrintedSpread[] = ".printed_spread";

// The tasks of a corpus in the order of the tables, and where they are hard.
const std::vector<std::string>& tasks_of(const std::string& corpus);
// "easy", "medium" or "hard", of a MultiWOZ task: by the mean F1 of the four untrained RNN models,
// above 50, above 25 or not.
std::string difficulty_of(const std::string& task);
constexpr const char* kLevels[] = {"easy", "medium", "hard"};

// Mean over the MultiWOZ tasks of a level that there are numbers of, and deviation over the tasks
// (Table 8); nothing where there is none.
std::optional<Spread> level_of(const VariantNumbers& numbers, size_t variant,
                               const std::string& probe, const std::string& checkpoint,
                               const std::string& level);

}  // namespace heed
