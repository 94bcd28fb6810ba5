// Ctrl-C, SIGTERM and SIGHUP (the terminal was closed).
#pragma once

#include <atomic>

namespace heed {

// From now on, these signals remove half-written files, print one line on standard error, and end
// the program with their default action. Ignored signals stay ignored (nohup).
void leave_nothing_on_signals();

// For work that has something to save first: from the first call on, these signals only set the
// flag, so that the work can end in order. Wrappers such as `timeout` send a signal twice (to the
// process and to its group): a second one within a second counts as the same request. A later one
// ends the program at once. Ignored signals stay ignored (nohup).
const std::atomic<bool>& stop_on_signals();

// Ends the process by the signal that set the flag, with its default action, as if the signal had
// never been caught: so a shell stops its loop or its `&&`. Returns if there was none.
void end_by_signal();

}  // namespace heed
