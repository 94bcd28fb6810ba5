// Everything that an experiment's folder holds: all that tables and figures are made of.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "experiments/distraction/evaluation.h"
#include "experiments/distraction/times.h"

namespace heed {

struct RunResult {
  ExperimentRun run;
  Evaluation evaluation;
  std::vector<EpochLog> log;
  RunTimes times;
};

struct SampleDialogue {
  struct Utterance {
    std::string text;
    bool distraction = false;
  };
  std::string id, response;
  std::vector<Utterance> context;
};

struct Setting {
  std::string name, value;  // "hidden", "64"
};

struct Results {
  std::string folder;  // as given
  std::vector<Setting> settings, data;
  ResponseQuality human;
  std::string sample_set;
  std::vector<SampleDialogue> samples;
  std::vector<RunResult> runs;  // the finished ones, by variant and seed

  // The finished runs of a variant.
  std::vector<const RunResult*> of(size_t variant) const;
  int64_t test_dialogues() const;
  int64_t conversations() const;  // that these are of
  int seeds() const;              // the largest number of seeds of a variant
};

// Reads the folder of an experiment. Throws DataError if it is none, has no finished run, or if a
// file does not fit the others.
Results load_results(const std::string& folder);

// What the paper's tables hold, of the paper or of an experiment (means over seeds).
struct VariantNumbers {
  using OfSets = std::array<std::optional<double>, kTestSets.size()>;

  std::optional<double> perplexity, history_as;  // on the original test set; AS: 1 is average
  OfSets das_ratio, as_distraction, as_history;  // on the distracting ones
  OfSets as_first, as_last;
};
using MainTable = std::vector<VariantNumbers>;  // in the order of all_variants()

// Means over the seeds; nothing if a run has none. `ratio`: what stands as das_ratio, the published
// ratio of means, or the mean or the median of the dialogues' ratios.
using SummaryNumber = std::optional<double> ScoreSummary::*;
MainTable main_table(const Results& results, SummaryNumber ratio = &ScoreSummary::das_ratio);

}  // namespace heed
