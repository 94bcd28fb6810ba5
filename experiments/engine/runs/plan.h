// The runs of an experiment: variants x seeds, each in a directory of its own. Only the experiment
// knows what a variant is; here it has an index and a name. A Plan says how a run is trained and
// measured, and is all that workers need (engine/runs/worker.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "train/loop.h"

namespace heed {

// The first file of measurements, by which a run is known as evaluated.
constexpr char kEvaluationFile[] = "evaluation.json";

struct PlannedRun {
  size_t variant = 0;  // index in the list of variants
  uint64_t seed = 1;
  std::string name = {};  // of its directory: "static-ui-p0.7-seed1"
};
// VARIANT-seedN
PlannedRun planned_run(const std::vector<std::string>& variants, size_t variant, uint64_t seed);
// The run whose directory has this name; nothing if there is none.
std::optional<PlannedRun> find_run(const std::vector<std::string>& variants,
                                   const std::string& name);

// The program and device of the runs, for their results.
struct MadeWith {
  std::string device = "cpu", matmul = "f32";  // of all runs: another one is refused
  // The program: {"version", "0.1.0"}, {"commit", "7427bfe690d5"} ...
  std::vector<std::pair<std::string, std::string>> program = {};
};

// The selected runs of an experiment.
struct Selection {
  std::string only = "*";     // names of variants with commas, with * and ? as in a shell
  int shard = 1, shards = 1;  // every shards-th one, from the shard-th on
};
// "1/3" -> shard 1 of 3. Throws UsageError for other texts.
void parse_shard(const std::string& text, Selection& selection);
// Seed after seed, each in the order of the variants. Throws UsageError for a pattern that no
// variant matches, and for a shard that does not exist.
std::vector<PlannedRun> select_runs(const std::vector<std::string>& variants, uint64_t first_seed,
                                    int seeds, const Selection& selection);

// Reports the progress of a measurement, 0 to 1 of `what`. It throws if the work should be given
// up, so call it also before anything is written. It knows the ranks that share the measurement,
// the first of which writes.
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

// Lets the first rank begin a run; the others then find its files.
void begin_on_first(Ranks& ranks, const std::function<void()>& begin);

struct Plan {
  std::string out;  // the folder of the experiment
  std::vector<PlannedRun> runs = {};
  // Trains or resumes the run in its directory, and passes the hooks to the training loop. Returns
  // what the loop returns: false if it was stopped. All ranks of the hooks call it, and the first
  // writes.
  std::function<bool(const PlannedRun&, const std::string& directory, Device, const TrainHooks&)>
      train = {};
  // Measures the trained run, and writes kEvaluationFile and the additions if they are missing, in
  // this order: a run that has all is finished.
  std::function<void(const PlannedRun&, const std::string& directory, Device, const OnMeasuring&)>
      measure = {};
  bool shares_measuring = false;  // all ranks measure; else the first does, and the others wait
  // Further measurement files, which folders of older versions lack: runs are completed, not
  // trained again.
  std::vector<std::string> additions = {};
  // Whether a run is trained; if not, it has no additions. Empty: all are.
  std::function<bool(const PlannedRun&)> is_trained = {};
  // Columns of the training log, for the current epoch and for validation, and their name for
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
