// A sweep: response models trained with every combination of some settings, several seeds each, and
// measured on test sets. It knows no paper and makes no claim: a table says which is best.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/task.h"
#include "experiments/engine/report/table.h"
#include "experiments/engine/runs/results.h"
#include "experiments/sweep/grid.h"

namespace heed {

constexpr int kSweepFormat = 1;  // of the files in its folder

// What runs with the same bounds and vocabulary read.
struct SweepData {
  TrainData train;
  std::vector<Example> test;  // empty where there are no test sets
  uint32_t test_fingerprint = 0;
  Phrases phrases;
};

struct SweepPoint {
  GridPoint grid;
  TrainSettings settings;  // but for the seed
  const SweepData* data = nullptr;
};

struct Sweep {
  std::vector<ShownSetting> fixed;  // options that all runs have, for sweep.json
  std::vector<GridOption> grid;
  std::vector<SweepPoint> points;
  std::vector<TestSet> tests;  // may be none
  uint64_t test_seed = 1;      // of their distractions: the same for all runs
  std::string best;            // what the table is sorted by: a key of evaluation.json
  MadeWith made_with;
};

// "valid_perplexity"; of a test set its perplexity (none) or its DAS ratio.
std::string sweep_key(const std::string& name);

// Reads what a run with these settings is made of: train and valid, and with test sets the test
// part, of which `test_limit` dialogues are kept (0: as the settings' limit).
SweepData load_sweep_data(const std::string& directory, const TrainSettings& settings, bool tests,
                          size_t test_limit);

// Writes sweep.json (engine/runs/folder_json.h, which says what is thrown). The values of the grid
// may change from time to time: that adds runs.
void open_sweep(const std::string& out, const Sweep& sweep);

std::vector<VariantName> variants_of(const Sweep& sweep);

// How the runs are trained and measured. The plan refers to the sweep, which must outlive it.
Plan sweep_plan(const std::string& out, const std::vector<PlannedRun>& runs, const Sweep& sweep);

// The finished runs, a row a point, the best first: means and deviations over seeds. Throws
// DataError as load_results() does.
Table sweep_table(const std::string& out, const Sweep& sweep);

}  // namespace heed
