// The worker processes of this program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/engine/runs/worker.h"

namespace heed {

using TellNews = std::function<void(const WorkerNews&)>;

// Who hears of the workers.
struct WorkerWatch {
  TellNews on_news;
  std::function<void()> on_idle = {};  // several times a second where there is no news
  // A worker was ended by a signal (it crashed, or memory ran out) that nobody here sent. Whether
  // to start another one in its place.
  std::function<bool(int process, const std::string& how)> on_death = {};
};

// Starts `jobs` processes that run `body`, which says its news to the function it is given, and
// hands what they say to the watch until all have ended. A SIGINT or SIGTERM of the parent is
// passed on. When the parent dies, so do its workers, as by SIGTERM.
//
// Processes and not threads: the kernels' threads, their allocator and the no-grad flag are one set
// a process, and a crash takes one run with it, not all. They are forked and not started anew, so
// that the dialogues are read once and kept in memory once. So the parent must have no threads and
// not have used the device.
//
// Returns what went wrong with the processes themselves, one line each.
std::vector<std::string> run_workers(int jobs, const std::function<void(const TellNews&)>& body,
                                     const WorkerWatch& watch, const std::atomic<bool>& stop);

}  // namespace heed
