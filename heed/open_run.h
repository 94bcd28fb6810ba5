// What `heed train` begins with: a new run, or one that goes on.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>

#include "dialog/respond/task.h"
#include "train/lock.h"

namespace heed {

struct RunRequest {
  const CLI::App& command;  // knows which options were given
  std::string data, out;
  bool resume;
  TrainSettings settings;  // of the options, given or not
  std::string made_with;   // for settings.json, see start_run()
};

struct OpenRun {
  std::unique_ptr<RunLock> lock;
  TrainSettings settings;
  TrainData data;
  bool is_new;
};

// Begins a run in `out`, or goes on with the one there if `resume`: with its own settings and data,
// except --epochs, --rate and --max-norm where they were given. Throws UsageError where a folder
// holds a run and `resume` is not set, holds a model or part of a run, or where an option that was
// given contradicts the run; DataError where the dialogues are other ones, and what
// check_training() throws. Nothing is written before all is checked.
OpenRun open_run(const RunRequest& request);

}  // namespace heed
