// A worker takes runs of an experiment, one after the other, and finishes them. Workers need not
// know of each other: the leases in the shared folder are all that they agree by.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "experiments/engine/runs/lease.h"
#include "experiments/engine/runs/plan.h"

namespace heed {

// What a worker says of the run that it works on.
struct WorkerNews {
  enum class Kind { kTraining, kEpoch, kMeasuring, kFinished, kFailed, kWaiting, kWarning };
  Kind kind = Kind::kTraining;
  std::string run = {};
  int epoch = 0, max_epochs = 0;
  double part = 0;           // of the epoch or of the measurement
  double metric = 0;         // kTraining: in training so far; kEpoch: in validation
  double seconds = 0;        // kEpoch: that it took; kTraining: that the whole epoch takes
  std::string message = {};  // kFailed: why; kMeasuring: what; kWarning: the warning
  int process = 0;           // whose news it is; filled in by run_workers()
};

struct WorkerOptions {
  Device device = {};
  LeaseOptions lease;
  double checkpoint_seconds = 300;
  const std::atomic<bool>* stop = nullptr;  // finish the step, write a checkpoint, return
  Ranks* ranks = nullptr;  // that do each run together, the first of which takes it; null: this one
  std::function<void(const WorkerNews&)> news = {};
};

// Works until all runs are finished (true) or stop is set (false), and waits for those that other
// workers have, in case one of them dies. A run that fails is told, marked (engine/runs/failure.h)
// and left, by all workers. Of several ranks all call it; where memory runs out on one of them, it
// throws Error, as the others cannot go on then.
bool work(const Plan& plan, const WorkerOptions& options);

}  // namespace heed
