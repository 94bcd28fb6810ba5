// The worker processes of this program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/engine/runs/worker.h"

namespace heed {

using TellNews = std::function<void(const WorkerNews&)>;

// Callbacks for news of the workers.
struct WorkerWatch {
  TellNews on_news;
  std::function<void()> on_idle = {};  // several times a second while there is no news
  // A worker was ended by a signal from elsewhere (it crashed, or memory ran out). Returns whether
  // to start another one instead.
  std::function<bool(int process, const std::string& how)> on_death = {};
};

// Starts `jobs` processes that run `body`, which reports news to the function it gets, and passes
// the news to the watch until all have ended. A SIGINT or SIGTERM of the parent is forwarded. When
// the parent dies, its workers end as by SIGTERM.
//
// They are processes, not threads: the kernels' threads, their allocator and the no-grad flag exist
// once per process, and a crash ends one run, not all. They are forked, not started anew, so that
// the dialogues are read once and are in memory once. Therefore the parent must have no threads and
// must not have used the device.
//
// Returns the problems with the processes themselves, one line each.
std::vector<std::string> run_workers(int jobs, const std::function<void(const TellNews&)>& body,
                                     const WorkerWatch& watch, const std::atomic<bool>& stop);

}  // namespace heed
