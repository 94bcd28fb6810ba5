// A worker takes runs of an experiment, one after the other, and finishes them. Workers do not know
// of each other: only the leases in the shared folder coordinate them.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "experiments/engine/runs/lease.h"
#include "experiments/engine/runs/plan.h"

namespace heed {

// A worker's report on its current run.
struct WorkerNews {
  enum class Kind { kBegun, kTraining, kEpoch, kMeasuring, kFinished, kFailed, kWaiting, kWarning };
  Kind kind = Kind::kTraining;
  std::string run = {};
  int epoch = 0, max_epochs = 0;
  double part = 0;           // of the epoch or of the measurement
  double metric = 0;         // kTraining: in training so far; kEpoch: in validation
  double seconds = 0;        // kEpoch: its duration; kTraining: that of the whole epoch
  std::string message = {};  // kFailed: why; kMeasuring: what; kWarning: the warning
  int process = 0;           // the sender; filled in by run_workers()
};

struct WorkerOptions {
  Device device = {};
  LeaseOptions lease;
  double checkpoint_seconds = 300;
  const std::atomic<bool>* stop = nullptr;  // finish the step, write a checkpoint, return
  Ranks* ranks = nullptr;  // they work on each run together, and the first takes it; null: this one
  std::function<void(const WorkerNews&)> news = {};
};

// Works until all runs are finished (true) or stop is set (false), and waits for the runs of other
// workers, in case one of them dies. A failed run is reported, marked (engine/runs/failure.h) and
// skipped by every worker. All ranks must call it; if one of them runs out of memory, it throws
// Error, because the others cannot continue.
bool work(const Plan& plan, const WorkerOptions& options);

}  // namespace heed
