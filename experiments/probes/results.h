// What the folder of this experiment holds, and under which names.
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/report/inference.h"
#include "experiments/probes/paper.h"

namespace heed {

// ---- names of numbers; F1 and all like it are in [0, 1]

// What every encoder is to be compared with: the labels that most training examples have, the words
// of the context through a random projection, and its length.
constexpr const char* kBaselines[] = {"constant", "bag-of-words", "length"};

//   checkpoints.best.raw.UtteranceLoc.f1
inline std::string score_key(const std::string& checkpoint, const std::string& reading,
                             const std::string& task, const std::string& number = "f1") {
  return "checkpoints." + checkpoint + "." + reading + "." + task + "." + number;
}
//   baselines.length.raw.UtteranceLoc
inline std::string baseline_key(const std::string& baseline, const std::string& reading,
                                const std::string& task) {
  if (baseline == "constant") return "constant." + task;
  return "baselines." + baseline + "." + reading + "." + task;
}
//   by_epoch.raw.UtteranceLoc: a series, F1 untrained and after each epoch; null where no model of
//   the epoch was kept
inline std::string curve_key(const std::string& reading, const std::string& task) {
  return "by_epoch." + reading + "." + task;
}
//   attention.test_sets.random:1.0.das_ratio
inline std::string das_key(const std::string& test_set) {
  return "attention.test_sets." + test_set + ".das_ratio";
}
//   components.best.x: a series, of each point that is drawn; "label": of each the place of its
//   text in components.labels, which is their number for those that have none; "share": of both
//   components in the variance
inline std::string components_key(const std::string& checkpoint, const std::string& number) {
  return "components." + checkpoint + "." + number;
}
//   chosen.best-bleu.raw.UtteranceLoc.f1, judged.best-bert.raw.UtteranceLoc.f1
inline std::string chosen_key(const std::string& epoch, const std::string& number) {
  return (epoch == kBestBert ? "judged." : "chosen.") + epoch + "." + number;
}
//   chosen.valid_dialogues: how many dialogues of valid those epochs were chosen by
constexpr char kChosenBy[] = "chosen.valid_dialogues";
// What we have beside the paper's F1 of a row and a task.
std::string our_key(const PaperTable& table, const std::string& row, const std::string& reading,
                    const std::string& task);

// ---- the folder

// The inference is of the best models' F1, over dialogues; compared with those of the transformer.
// Throws DataError as load_results() of the engine does.
Findings load_probes(const std::string& folder, ResultsLayout layout);

std::vector<std::string> measured_tasks(const Results& results);
std::vector<std::string> measured_readings(const Results& results);
// Those by the probe of one of the paper's tables.
std::vector<std::string> readings_by(const Results& results, const std::string& probe);

// The mean over a variant's seeds; nothing if a run has no such number.
std::optional<double> mean_of(const Results& results, size_t variant, const std::string& key);
// The same over the paper's RNN models that have it.
std::optional<double> mean_of_rnns(const Results& results, const std::string& key);

// Means over seeds by the names that the paper's numbers have (paper.h), so that the same rules
// apply to both. Logistic F1 are those of `reading`; a task counts for both corpora if both have
// one of its name, and BLEU too.
VariantNumbers claim_numbers(const Results& results, const std::string& reading);

}  // namespace heed
