// The state of all runs of an experiment while workers run, and a line about it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/engine/runs/times.h"
#include "experiments/engine/runs/worker.h"

namespace heed {

class Overview {
 public:
  // The plan must outlive it.
  Overview(const Plan& plan, int jobs) : plan_(plan), jobs_(jobs) { look(); }

  void hear(const WorkerNews& news);
  // A worker died: its run is marked as failed, so that it kills no other worker. False if it had
  // none.
  bool mourn(int process, const std::string& how);
  // Looks into the folder, where other machines may have finished runs.
  void look();

  size_t done() const { return done_; }
  size_t all() const { return progress_.size(); }
  // "RUN: why" for the runs that failed, here or elsewhere.
  std::vector<std::string> failures() const;
  // "5 of 23 done | static-p0.5-seed1 epoch 2/3 40% perplexity 123.4 | about 1h10m left"; "of
  // training left" until a run's tests were timed. The caller formats seconds.
  std::string line(const std::function<std::string(double)>& format_seconds) const;

 private:
  std::string describe(const WorkerNews& news) const;
  double time_left() const;

  const Plan& plan_;
  const int jobs_;
  std::vector<RunProgress> progress_;          // of the plan's runs
  std::map<int, WorkerNews> running_;          // the last news of each process that works on a run
  std::map<std::string, std::string> failed_;  // reported by workers of this program: why
  size_t done_ = 0;
  bool waiting_ = false;
};

}  // namespace heed
