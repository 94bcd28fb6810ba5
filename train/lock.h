#pragma once

#include <chrono>
#include <string>

#include "base/descriptor.h"
#include "base/error.h"

namespace heed {

std::string host_name();  // "unknown" if the system does not say

struct RunIsLocked : DataError {
  using DataError::DataError;
};
// Keeps other processes away from the run while it exists. The lock is the system's (flock), so it
// ends with its process, however that ends: a leftover file "lock" locks nothing, even if its
// process id is in use again. Throws RunIsLocked, with the owner's process id (and its host, if
// that is another one), if another process holds the lock.
//
// is_locked() holds the lock for an instant, so a failed attempt is repeated once after `patience`.
class RunLock {
 public:
  explicit RunLock(const std::string& run,
                   std::chrono::milliseconds patience = std::chrono::milliseconds(20));

 private:
  Descriptor descriptor_;  // closing it gives the lock back, as does any exit
};

// Whether a process holds the lock of the run now.
bool is_locked(const std::string& run);

}  // namespace heed
