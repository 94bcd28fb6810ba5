// The durations of an experiment's runs, and an estimate of the remaining time.
#pragma once

#include <string>
#include <vector>

namespace heed {

// Seconds measured by a run's workers. Kept in times.json, separate from the results, which do not
// depend on them.
struct RunTimes {
  std::vector<double> epochs;
  double evaluation = 0;  // 0: not done yet
};
void save_times(const std::string& directory, const RunTimes& times);
RunTimes load_times(const std::string& directory);  // empty if there are none

// One run for the estimate.
struct RunProgress {
  std::string kind;  // epochs of runs of a kind take equally long
  bool finished = false;
  int max_epochs = 0;
  double epochs_done = 0;  // including the finished part of the current one
  RunTimes times;
};
// Seconds until `workers` have finished all runs: each run's remaining epochs times the mean epoch
// of its kind (or of all, if there is none yet), plus a test; 0 as long as no epoch has been
// measured.
double seconds_left(const std::vector<RunProgress>& runs, int workers);

}  // namespace heed
