// A sweep: response models trained with every combination of some settings, several seeds each, and
// measured on test sets. It knows no paper and makes no claim: a table says which is best.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dialog/respond/evaluate.h"
#include "dialog/respond/task.h"
#include "experiments/experiment.h"
#include "experiments/sweep/grid.h"

namespace heed {

struct SweepPoint {
  GridPoint grid;
  TrainSettings settings;    // but for the seed
  bool batch_given = false;  // else it suits the number of examples
};

// Its settings: what the file of `heed sweep` says.
struct Sweep {
  std::string file, data;           // paths
  std::vector<ShownSetting> fixed;  // options that all runs have, for sweep.json
  std::vector<GridOption> grid;
  std::vector<SweepPoint> points;
  uint64_t first_seed = 1;
  int seeds = 1;
  std::vector<TestSet> tests;  // may be none
  uint64_t test_seed = 1;      // of their distractions: the same for all runs
  size_t test_limit = 0;       // dialogues of the test part; 0: as the settings' limit
  std::string best;            // what the table is sorted by: a key of evaluation.json
};

// "valid_perplexity"; of a test set its perplexity (none) or its DAS ratio.
std::string sweep_key(const std::string& name);

// What runs with the same bounds and vocabulary read.
struct SweepPart {
  TrainData train;
  std::vector<Example> test;  // empty where there are no test sets
  uint32_t test_fingerprint = 0;
  Phrases phrases;
};
struct SweepData {
  std::vector<SweepPart> parts = {};
  std::vector<size_t> places = {};  // which of them each point has

  const SweepPart& of(size_t point) const { return parts.at(places.at(point)); }
};

// Points that train the same model, by name: they differ in the weight of an attention loss that
// has nothing to act on.
std::vector<std::pair<std::string, std::string>> equal_points(const Sweep& sweep,
                                                              const SweepData& data);
// Steps of an epoch.
int64_t steps_of(const SweepPoint& point, const SweepPart& data);
// Estimates how long a run takes, from a few steps of the model.
RunTimes estimated_times(const SweepPoint& point, const SweepPart& data, size_t test_sets,
                         Responder& model);

// What the folder of a sweep holds.
struct SweepFound {
  Results results;
  std::vector<std::string> options;  // of the grid, that have several values
  std::vector<std::string> tests;    // test sets
  bool compares_tokens = false;      // perplexities over different tokens cannot be compared
  std::string best;                  // as in Sweep
};
// The finished runs, a row a point, the best first: means and deviations over seeds.
Table sweep_table(const SweepFound& found);

const Showing<SweepFound>& sweep_showing();
Experiment sweep_experiment();

}  // namespace heed
