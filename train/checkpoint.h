// Checkpoints: a file of parameters and optimiser state, and a small state.json that names it with
// its checksum and makes it valid. The previous pair is kept as well, so that a damaged file costs
// minutes and not the run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nn/safetensors.h"
#include "optim/schedule.h"
#include "train/run_directory.h"

namespace heed {

// The state of training between two steps. Everything else follows from the settings, as all random
// numbers are functions of (seed, purpose, epoch, step).
struct TrainState {
  int epoch = 0;                      // epochs finished
  int64_t step = 0;                   // steps finished in the current epoch
  double loss_sum = 0, norm_sum = 0;  // over them
  int64_t tokens = 0;
  Counts counts = {};                                            // of several tasks as "TASK/NAME"
  HalvingSchedule::State schedule = {};                          // of the first task
  std::map<std::string, HalvingSchedule::State> schedules = {};  // of tasks that have their own
  std::vector<EpochLog> log = {};
};

// Parameters, and the optimiser's state as "optimizer.NAME"; both with the prefix `name.` if there
// are several tasks.
std::vector<NamedTensor> checkpoint_tensors(Module& module, const Optimizer& optimizer,
                                            const std::string& name = "");

// Writes the checkpoint so that a kill at any instant leaves the previous one or this one, and
// keeps the previous one.
void save_checkpoint(const std::string& run, const TrainState& state,
                     const std::vector<NamedTensor>& tensors);
// Loads the newest valid checkpoint into `tensors`; nothing if the run has none yet. If the newest
// one is damaged, it is set aside, the previous one is used, and `warning` says so. Throws
// DataError if there is no valid one.
std::optional<TrainState> load_checkpoint(const std::string& run,
                                          const std::vector<NamedTensor>& tensors,
                                          std::string* warning = nullptr);

// The file of the newest checkpoint. Throws DataError if there is none or it is damaged.
std::string newest_checkpoint(const std::string& run);

// The state of the newest readable checkpoint, without its tensors, for display only. Nothing if
// there is none; throws DataError if there are only damaged ones.
std::optional<TrainState> look_at_checkpoint(const std::string& run);

}  // namespace heed
