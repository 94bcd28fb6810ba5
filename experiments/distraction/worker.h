// A worker takes runs of an experiment, one after the other, and finishes them. Workers need not
// know of each other: the leases in the shared folder are all that they agree by.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "experiments/distraction/evaluation.h"
#include "experiments/distraction/settings.h"
#include "experiments/engine/lease.h"

namespace heed {

// What a worker says of the run that it works on.
struct WorkerNews {
  enum class Kind { kTraining, kEpoch, kEvaluating, kFinished, kFailed, kWaiting, kWarning };
  Kind kind = Kind::kTraining;
  std::string run = {};
  int epoch = 0, max_epochs = 0;
  double part = 0;           // of the epoch or of the evaluation
  double perplexity = 0;     // kTraining: in training so far; kEpoch: in validation
  double seconds = 0;        // kEpoch: that it took; kTraining: that the whole epoch takes
  std::string message = {};  // kFailed: why; kEvaluating: the test set; kWarning: the warning
};

struct WorkerOptions {
  std::string out;
  std::vector<ExperimentRun> runs;
  LeaseOptions lease;
  double checkpoint_seconds = 300;
  const std::atomic<bool>* stop = nullptr;  // finish the step, write a checkpoint, return
  std::function<void(const WorkerNews&)> news;
};

// Works until all runs are finished (true) or stop is set (false), and waits for those that other
// workers have, in case one of them dies. A run that fails is told, and left.
bool work(const WorkerOptions& options, const ExperimentSettings& settings,
          const ExperimentData& data, Device device);

// The directory of a run.
std::string run_directory(const std::string& out, const ExperimentRun& run);

}  // namespace heed
