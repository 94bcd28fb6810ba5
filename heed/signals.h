#pragma once

#include <atomic>

namespace heed {

// From the first call on, Ctrl-C and SIGTERM set the flag and do nothing else.
const std::atomic<bool>& stop_on_signals();

}  // namespace heed
