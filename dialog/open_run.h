// What a training of any system begins with: a new run, or one that goes on.
#pragma once

#include <memory>
#include <string>

#include "dialog/system.h"
#include "train/lock.h"

namespace heed {

struct RunRequest {
  Paths data;
  std::string out;
  bool resume = false;
  std::string made_with = {};  // a JSON object that settings.json keeps, or empty
  Training::Take take = {};    // Training::go_on()
  Talk talk = {};
  int ranks = 1;      // that will train it
  bool first = true;  // this process begins it; the others read what it has written then
  bool reads = true;  // the dialogues; another one has them from a rank that does
};

struct OpenRun {
  std::unique_ptr<RunLock> lock;  // of the first rank
  bool is_new;
};

// Begins a run in `out`, or goes on with the one there if `resume`: with its own settings and data,
// except what the request takes. Throws UsageError where a folder holds a run and `resume` is not
// set, holds a model or part of a run, or where an option that was given contradicts the run;
// DataError where the dialogues are other ones. Nothing is written before all is checked.
OpenRun open_run(Training& training, const RunRequest& request);

}  // namespace heed
