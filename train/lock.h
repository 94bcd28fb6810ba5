#pragma once

#include <chrono>
#include <string>

#include "base/error.h"

namespace heed {

std::string host_name();  // "unknown" where the system does not tell

struct RunIsLocked : DataError {
  using DataError::DataError;
};
// Keeps a second process off the run while it lives. The lock is the system's (flock), so it goes
// with its process, however that ends: a file "lock" that is left behind locks nothing, whoever has
// the process id in it by now. Throws RunIsLocked, with the owner's process id (and host, if that
// is another one), where another process has it.
//
// A look at the lock (is_locked()) holds it for an instant, so a lock that is taken is tried again
// once, after the patience.
class RunLock {
 public:
  explicit RunLock(const std::string& run,
                   std::chrono::milliseconds patience = std::chrono::milliseconds(20));
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int descriptor_ = -1;
};

// Whether a process has the lock of the run now.
bool is_locked(const std::string& run);

}  // namespace heed
