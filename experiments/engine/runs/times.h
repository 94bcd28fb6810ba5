// How long the runs of an experiment take, and from that how long the rest will.
#pragma once

#include <string>
#include <vector>

namespace heed {

// Seconds that a run's workers have measured. Kept in times.json, apart from the results, which are
// the same however long they took.
struct RunTimes {
  std::vector<double> epochs;
  double evaluation = 0;  // 0: not done yet
};
void save_times(const std::string& directory, const RunTimes& times);
RunTimes load_times(const std::string& directory);  // empty where there are none

// One run for the estimate.
struct RunProgress {
  std::string kind;  // epochs of runs of a kind take equally long
  bool finished = false;
  int max_epochs = 0;
  double epochs_done = 0;  // with the part of the running one
  RunTimes times;
};
// Seconds until `workers` have finished all runs: what is left of each run's epochs times the mean
// epoch of its kind (or of all, where there is none yet), and a test; 0 as long as no epoch has
// been measured.
double seconds_left(const std::vector<RunProgress>& runs, int workers);

}  // namespace heed
