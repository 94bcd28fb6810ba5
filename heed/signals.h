#pragma once

#include <atomic>

namespace heed {

// From the first call on, Ctrl-C, SIGTERM and SIGHUP (the terminal was closed) set the flag and do
// nothing else; a second Ctrl-C ends the program at once. Signals that are ignored stay so (nohup).
const std::atomic<bool>& stop_on_signals();

}  // namespace heed
