// What is measured of one run, and its file: evaluation.json, written last of all, so that a run
// that has one is finished.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/responses.h"
#include "experiments/distraction/settings.h"
#include "experiments/engine/statistics.h"

namespace heed {

constexpr size_t kSets = 1 + kTestSets.size();  // the original test set, then the distracting ones

struct SetResult {
  ScoreSummary summary;
  Series as_distraction, as_history;  // D and H of each dialogue; no D at all: the list is empty
};

// A model on one of the sample dialogues.
struct SampleScore {
  std::vector<double> as_scores;
  std::optional<double> das_ratio;
  std::string response;  // generated, greedy
};

struct Evaluation {
  int best_epoch = 0, epochs = 0;
  double valid_perplexity = 0;  // of the best epoch
  int64_t parameters = 0;
  std::array<SetResult, kSets> sets;
  std::vector<int> conversations;  // of each dialogue, from 0
  std::vector<double> nll;         // of each dialogue's response on the original test set
  std::vector<int64_t> tokens;     // that it is the sum over
  ResponseQuality responses;
  std::vector<SampleScore> samples;
};

// Names of the sets, as in the files: "none", "random:0.5", ...
std::string set_name(size_t set);

// Evaluates the best model of a trained run. Writes responses.jsonl, with the greedy response to
// each test dialogue, and then evaluation.json. `progress` is told what is done and how much of it,
// 0 to 1, and may throw to give up.
using EvaluationProgress = std::function<void(const std::string& what, double part)>;
void evaluate_run(const std::string& directory, const ExperimentRun& run,
                  const ExperimentSettings& settings, const ExperimentData& data, Device device,
                  const EvaluationProgress& progress);

bool is_evaluated(const std::string& directory);
// Throws DataError where the file is not what evaluate_run() writes.
Evaluation load_evaluation(const std::string& directory);

}  // namespace heed
