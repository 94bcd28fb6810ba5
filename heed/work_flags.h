#pragma once

#include <functional>
#include <string>

#include "experiments/engine/runs/plan.h"
#include "experiments/engine/runs/worker.h"
#include "heed/commands.h"
#include "heed/rank_team.h"

namespace heed {

constexpr const char* kWork = "Work";  // the group of the options

// How a command works on the runs of an experiment: the number of workers, and the choice of runs.
struct WorkFlags {
  int jobs = 1;
  std::string shard = "1/1";
  double dead_after = LeaseOptions{}.dead_after;
  double checkpoint_seconds = WorkerOptions{}.checkpoint_seconds;

  void declare(CLI::App& command);
};

struct Work {
  const WorkFlags& flags;
  const Plan& plan;
  const RankTeam& team;  // that does each run; --jobs of them
  std::string data;      // "40 training, ... examples", for the first line
  // The size of a run's vocabulary: a worse perplexity than that is told. None where the metric of
  // the plan is no perplexity.
  std::function<int64_t(const std::string& run)> words;
  std::function<void()> write_tables;  // called at the end, if a run is finished
};
// The workers run until all runs are finished, or until Ctrl-C; prints their progress. Runs that
// failed before are tried again. Throws Error with the first failure.
void work_on(const Work& work);

// Throws, before anything is written, for --jobs that a launcher's ranks cannot have, and for a
// device that cannot be used: CUDA in a process of its own, because the parent of the workers must
// not have used it.
void check_work(const WorkFlags& flags, const Common& common, const RankTeam& team);

}  // namespace heed
