// The runs of an experiment: variants x seeds, each in a directory of its own. What a variant is,
// only the experiment knows; here it has a place in a list and a name. A Plan says how a run is
// trained and measured, and is all that workers need (engine/runs/worker.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/loop.h"

namespace heed {

struct PlannedRun {
  size_t variant = 0;  // place in the list of variants
  uint64_t seed = 1;
  std::string name = {};  // of its directory: "static-ui-p0.7-seed1"
};
// VARIANT-seedN
PlannedRun planned_run(const std::vector<std::string>& variants, size_t variant, uint64_t seed);
// The run whose directory has this name; nothing if it is that of none.
std::optional<PlannedRun> find_run(const std::vector<std::string>& variants,
                                   const std::string& name);

// What the runs are made with, for their results.
struct MadeWith {
  std::string device = "cpu", matmul = "f32";  // of all runs: another one is refused
  // The program: {"version", "0.1.0"}, {"commit", "7427bfe690d5"} ...
  std::vector<std::pair<std::string, std::string>> program = {};
};

// Which runs of an experiment to work on.
struct Selection {
  std::string only = "*";     // names of variants, with * and ? as in a shell
  int shard = 1, shards = 1;  // every shards-th one, from the shard-th on
};
// "1/3" -> shard 1 of 3. Throws UsageError for what is none.
void parse_shard(const std::string& text, Selection& selection);
// Seed after seed, each in the order of the variants. Throws UsageError for a pattern that no
// variant fits, and for a shard that there is not.
std::vector<PlannedRun> select_runs(const std::vector<std::string>& variants, uint64_t first_seed,
                                    int seeds, const Selection& selection);

// To be told how far a measurement is, 0 to 1 of `what`; it throws where the work is to be given
// up, so it is also to be called before anything is written. It knows the ranks that share the
// measurement, of which the first writes.
class OnMeasuring {
 public:
  using Tell = std::function<void(const std::string& what, double part)>;
  explicit OnMeasuring(Tell tell, Ranks& ranks = alone()) : tell_(std::move(tell)), ranks_(ranks) {}
  void operator()(const std::string& what, double part) const { tell_(what, part); }
  Ranks& ranks() const { return ranks_; }

 private:
  Tell tell_;
  Ranks& ranks_;
};

// Has the first rank begin a run, whose files the others find then.
void begin_on_first(Ranks& ranks, const std::function<void()>& begin);

struct Plan {
  std::string out;  // the folder of the experiment
  std::vector<PlannedRun> runs = {};
  // Trains the run in its directory, or goes on with it, and passes the hooks to the training loop.
  // Returns what the loop returns: false if it was stopped. All ranks of the hooks call it, and the
  // first writes.
  std::function<bool(const PlannedRun&, const std::string& directory, Device, const TrainHooks&)>
      train = {};
  // Measures the trained run, and writes what it lacks of the file `result` and of the additions,
  // in this order: a run that has all is finished.
  std::function<void(const PlannedRun&, const std::string& directory, Device, const OnMeasuring&)>
      measure = {};
  bool shares_measuring = false;  // all ranks measure; else the first does, and the others wait
  std::string result = "evaluation.json";
  // Further files with measurements, which folders of older versions lack: runs are completed, not
  // trained again.
  std::vector<std::string> additions = {};
  // Columns of the training's log, of the epoch so far and of the validation, and their name for
  // people.
  std::string train_metric = {}, valid_metric = {}, metric_name = {};
  int metric_digits = 1;
  // For estimates of the time: epochs of runs of the same kind take equally long.
  std::function<std::string(const PlannedRun&)> kind = {};
  std::function<int(const PlannedRun&)> max_epochs = {};

  std::string directory(const PlannedRun& run) const;
  int longest_name() const;  // of its runs, for columns
  bool is_finished(const PlannedRun& run) const;
};

}  // namespace heed
