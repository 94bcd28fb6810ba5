// The beginning of training for any system: a new run, or one that is resumed.
#pragma once

#include <memory>
#include <set>
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
  bool first = true;  // this process begins it; the others then read its files
  bool reads = true;  // this process reads the dialogues; the others get them from one that does
};

struct OpenRun {
  std::unique_ptr<RunLock> lock;  // of the first rank
  bool is_new;
  std::set<std::string> others = {};  // files that a new run found in its folder
  bool made_folder = false;           // there was none

  // Removes what a new run has written, if that has no checkpoint yet: what refuses it now, such as
  // an option, would refuse every --resume.
  void take_back(const std::string& out) const;
};

// Whether a run was begun in this folder.
bool holds_run(const std::string& out);

// Begins a run in `out` or, with `resume`, continues the run there, with the run's own settings and
// data except for what request.take changes. Throws UsageError if the folder holds a run and
// `resume` is not set, if it holds a model or part of a run, or if a given option contradicts the
// run; DataError if the dialogues differ. Nothing is written before everything is checked.
OpenRun open_run(Training& training, const RunRequest& request);

}  // namespace heed
