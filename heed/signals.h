// Ctrl-C, SIGTERM and SIGHUP (the terminal was closed).
#pragma once

#include <atomic>

namespace heed {

// From now on these signals remove what is half written, say so in one line on standard error, and
// end the program with their default action. Signals that are ignored stay so (nohup).
void leave_nothing_on_signals();

// Where there is something to save first: from the first call on these signals set the flag and do
// nothing else, so that the work can end in order. Wrappers such as `timeout` send a signal twice
// (to the process and to its group): a second one that comes within a second is the same wish. A
// later one ends the program at once. Signals that are ignored stay so (nohup).
const std::atomic<bool>& stop_on_signals();

// Ends the process by the signal that set the flag, with its default action, as if it had never
// been caught: so a shell stops its loop or its `&&`. Returns if there was none.
void end_by_signal();

}  // namespace heed
