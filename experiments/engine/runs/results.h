// The content of an experiment's folder, from which tables and figures are made.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/engine/runs/plan.h"
#include "experiments/engine/runs/times.h"
#include "experiments/engine/stats/numbers.h"
#include "train/run_directory.h"

namespace heed {

struct VariantName {
  std::string name;          // of its runs, without the seed: "static-ui-p0.7"
  std::string group, label;  // in tables: "p = 0.7", "static-ui"
  bool trained = true;       // no: its runs measure what others made, without additions or epochs
  bool of_seeds = trained;   // no: its numbers do not depend on the seed, and one run is enough
};
std::vector<std::string> names_of(const std::vector<VariantName>& variants);
// The names of an experiment's own variants, each of which has a `name`.
template <class Variant>
std::vector<VariantName> variant_names(const std::vector<Variant>& variants) {
  std::vector<VariantName> names;
  for (const Variant& v : variants) names.push_back(v.name);
  return names;
}

// The required content of an experiment's files.
struct ResultsLayout {
  std::string kind = "experiment";  // experiment.json describes the folder
  int format = 1;                   // of that file
  std::vector<VariantName> variants = {};
  std::string made_by = "heed reproduce";   // for messages
  std::vector<std::string> additions = {};  // optional files of a run: Plan::additions
  std::string clusters = {};  // the series with the cluster of each item, from 0; none: no items
  std::vector<std::string> values = {};  // numbers, which may be null
  std::vector<std::string> items = {};   // series: a number per item, or empty
  std::vector<std::string> same = {};    // series that are the same in all runs
};

struct RunResult {
  PlannedRun run;
  std::string made_with = {};  // "heed 0.1.0 (d8fa9d7857d2), cpu, f32, kernels x86-64-v4"
  Numbers numbers;
  std::vector<EpochLog> log;
  RunTimes times;
};
// The file of a run with its numbers, relative to the folder.
std::string source_of(const RunResult& run, const std::string& file = kEvaluationFile);

struct ShownSetting {
  std::string name, value;  // "hidden", "64"
};

struct Results {
  std::string folder;  // as given
  std::vector<ShownSetting> settings, data;
  std::vector<VariantName> variants;
  std::vector<RunResult> runs;  // the finished ones, by variant and seed
  std::vector<int> clusters;    // of each measured item, from 0: the same in all runs

  // The finished runs of a variant.
  std::vector<const RunResult*> of(size_t variant) const;
  size_t items() const { return clusters.size(); }
  size_t cluster_count() const;
  // "744 conversations, the largest of 4"
  std::string clusters_text(const std::string& noun) const;
  // The programs, devices and kinds of arithmetic of the runs, each once, with the number of its
  // runs: runs of one folder may differ in the last digits if these differ.
  std::vector<std::pair<std::string, size_t>> made_with() const;
  int seeds() const;  // the largest number of seeds of a variant
  // The value of that name in the settings or else in the data; "?" if there is none.
  std::string setting(const std::string& name) const;
  std::string epochs_text() const;  // "at most 3 epochs", of the setting `epochs`
};

// Reads the folder of an experiment. Throws DataError if it is not one, has no finished run, or if
// a file does not fit the layout or the other files.
Results load_results(const std::string& folder, const ResultsLayout& layout);

// Two runs of the same seed; the second one's variant is the baseline of the first one's. The first
// run of a variant without seeds stands for every seed; others of it say the same.
using RunPair = std::pair<const RunResult*, const RunResult*>;
std::vector<RunPair> paired_runs(const Results& results, size_t variant, size_t baseline);

// For each variant the means over its seeds; missing if a run has no number.
VariantNumbers mean_numbers(const Results& results);

}  // namespace heed
