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
  int ranks = 1;           // that will train it
  bool first = true;       // this process begins it; the others read what it has written then
  bool reads = true;       // the dialogues; another one has them from a rank that does
};

// Adam moves a number by no more than the rate in a step. With few dialogues in large batches that
// is nowhere: after the 38 steps of two epochs of 600 dialogues in batches of 32, a model has
// learned how frequent words are and nothing else. So, unless --batch is given, an epoch of Adam
// has 100 steps where batches of 4 can give them.
int64_t batch_size_for(const TrainSettings& settings, size_t examples);

struct OpenRun {
  std::unique_ptr<RunLock> lock;  // of rank 0
  TrainSettings settings;
  TrainData data;  // nothing where this process does not read
  bool is_new;
};

// Begins a run in `out`, or goes on with the one there if `resume`: with its own settings and data,
// except --epochs, --rate and --max-norm where they were given. Throws UsageError where a folder
// holds a run and `resume` is not set, holds a model or part of a run, or where an option that was
// given contradicts the run; DataError where the dialogues are other ones, and what
// check_training() throws. Nothing is written before all is checked.
OpenRun open_run(const RunRequest& request);

// Throws UsageError where a folder that a new run is to begin in holds a run, a model or a part of
// a run, of whatever system.
void refuse_other_run(const std::string& out);

}  // namespace heed
