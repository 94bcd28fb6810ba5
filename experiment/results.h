// Everything that an experiment's folder holds: all that tables and figures are made of.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "experiment/evaluation.h"
#include "experiment/statistics.h"
#include "experiment/times.h"

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
  int seeds() const;  // the largest number of seeds of a variant
};

// Reads the folder of an experiment. Throws DataError if it is none, has no finished run, or if a
// file does not fit the others.
Results load_results(const std::string& folder);

// What Table 3 holds, of the paper or of an experiment (means over seeds).
struct VariantNumbers {
  std::optional<double> perplexity, history_as;    // history_as: 1 is average
  std::array<std::optional<double>, 9> das_ratio;  // in the order of kTestSets
};
using MainTable = std::vector<VariantNumbers>;  // in the order of all_variants()

MainTable main_table(const Results& results);

// Means with confidence intervals, and the comparison of each variant with its baseline.
struct Inference {
  // [variant][set], as all_variants() and kTestSets
  std::vector<std::array<std::optional<Estimate>, 9>> das_ratio, change;  // change: minus baseline
  std::vector<std::array<double, 9>> corrected;  // p-values of the changes, after Holm over all
  size_t comparisons = 0;
};
Inference infer(const Results& results);

}  // namespace heed
