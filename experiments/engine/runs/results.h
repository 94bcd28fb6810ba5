// Everything that the folder of an experiment holds: all that tables and figures are made of.
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
};
std::vector<std::string> names_of(const std::vector<VariantName>& variants);
// Those of an experiment's own variants, each of which has a `name`.
template <class Variant>
std::vector<VariantName> variant_names(const std::vector<Variant>& variants) {
  std::vector<VariantName> names;
  for (const Variant& v : variants) names.push_back(v.name);
  return names;
}

// What the files of an experiment must hold.
struct ResultsLayout {
  std::string kind = "experiment";  // experiment.json says what the folder holds
  int format = 1;                   // of that file
  std::vector<VariantName> variants = {};
  std::string made_by = "heed reproduce";   // for messages
  std::string result = "evaluation.json";   // a run that has it is finished
  std::vector<std::string> additions = {};  // of a run, which it may lack: Plan::additions
  std::string clusters = {};  // the series with the cluster of each item, from 0; none: no items
  std::vector<std::string> values = {};  // numbers, which may be null
  std::vector<std::string> items = {};   // series: a number an item, or empty: none has any
  std::vector<std::string> same = {};    // series that are the same in all runs
};

struct RunResult {
  PlannedRun run;
  std::string made_with = {};  // "heed 0.1.0 (d8fa9d7857d2), cpu, f32, kernels x86-64-v4"
  Numbers numbers;
  std::vector<EpochLog> log;
  RunTimes times;
};
// The file of a run that its numbers come from, in the folder.
std::string source_of(const RunResult& run, const std::string& file = "evaluation.json");

struct ShownSetting {
  std::string name, value;  // "hidden", "64"
};

struct Results {
  std::string folder;  // as given
  std::vector<ShownSetting> settings, data;
  std::vector<VariantName> variants;
  std::vector<RunResult> runs;  // the finished ones, by variant and seed
  std::vector<int> clusters;    // of each item that was measured, from 0: the same in all runs

  // The finished runs of a variant.
  std::vector<const RunResult*> of(size_t variant) const;
  size_t items() const { return clusters.size(); }
  size_t cluster_count() const;
  // "744 conversations, the largest of 4"
  std::string clusters_text(const std::string& noun) const;
  // The programs, devices and kinds of arithmetic that the runs were made with, each once, with the
  // number of its runs: runs of one folder may differ in the last digits where these do.
  std::vector<std::pair<std::string, size_t>> made_with() const;
  int seeds() const;  // the largest number of seeds of a variant
  // Of that name in the settings or else in the data; "?" if there is none.
  std::string setting(const std::string& name) const;
};

// Reads the folder of an experiment. Throws DataError if it is none, has no finished run, or if a
// file does not fit the layout or the others.
Results load_results(const std::string& folder, const ResultsLayout& layout);

// Two runs of the same seed, the second one of the variant that the first one's is compared with.
using RunPair = std::pair<const RunResult*, const RunResult*>;
std::vector<RunPair> paired_runs(const Results& results, size_t variant, size_t baseline);

// Of each variant the means over its seeds; missing where a run has none.
VariantNumbers mean_numbers(const Results& results);

}  // namespace heed
