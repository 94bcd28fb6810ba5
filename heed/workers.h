// The worker processes of `heed reproduce`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/distraction/worker.h"

namespace heed {

// Starts `jobs` processes that run `body` (which says its news to the function it is given), and
// hands what they say to `on_news` until all have ended; `on_idle` is called several times a second
// where there is no news.
// A SIGINT or SIGTERM of the parent is passed on. When the parent dies, so do its workers, as by
// SIGTERM.
//
// Processes and not threads: the kernels' threads, their allocator and the no-grad flag are one set
// a process, and a crash takes one run with it, not all. They are forked and not started anew, so
// that the dialogues are read once and kept in memory once. So the parent must have no threads and
// not have used the device.
//
// Returns what went wrong with the processes themselves, one line each.
using TellNews = std::function<void(const WorkerNews&)>;
std::vector<std::string> run_workers(int jobs, const std::function<void(const TellNews&)>& body,
                                     const TellNews& on_news, const std::function<void()>& on_idle,
                                     const std::atomic<bool>& stop);

}  // namespace heed
