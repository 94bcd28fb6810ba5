// Ownership of runs: at most one worker owns a run, among all machines that share the folder.
//
// A worker owns a run while two conditions hold:
//   lock      it has the run's RunLock, which the system releases when a process dies;
//   owner-N   it made the owner file with the highest number. Such a file appears complete, is made
//             by one worker only (link), is never removed, and names its owner. Every `beat`
//             seconds the owner changes a counter in it.
// So a run can be taken if its lock is free, and
//   - there is no owner file, or the last one says "released"; or
//   - the last one is of this machine since it was started (same boot id): a free lock means that
//     its owner is dead; or
//   - the last one has not changed for `dead_after` seconds on the clock of the watching worker.
//     Clocks of different machines are never compared.
// It is taken by making owner-(N + 1), which only one of several watchers can do. An owner that
// could not write its counter for half of dead_after (a machine that slept, a missing folder) has
// lost the run before another one may take it, and stops before it writes again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "train/lock.h"

namespace heed {

struct LeaseOptions {
  double beat = 10, dead_after = 60;  // seconds
};

class Lease {
 public:
  ~Lease();  // writes "released" into the owner file
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Whether another worker may own the run by now. If so, write nothing more.
  bool lost() const;

 private:
  friend class LeaseOffice;
  Lease(std::unique_ptr<RunLock> lock, std::string run, int number, int descriptor,
        LeaseOptions options);
  void keep_beating();
  bool beat(const char* state);

  const std::unique_ptr<RunLock> lock_;
  const std::string run_;
  const int number_, descriptor_;
  const LeaseOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false, lost_ = false;
  double last_beat_ = 0;
  int64_t beats_ = 0;
  std::thread thread_;  // last: it uses all of the above
};

// Gives out leases, and remembers since when the files of other owners have not changed.
class LeaseOffice {
 public:
  explicit LeaseOffice(LeaseOptions options) : options_(options) {}
  // The lease of a run's directory, or nothing while another worker has it.
  std::unique_ptr<Lease> take(const std::string& run);

 private:
  struct Seen {
    std::string bytes;
    double since;
  };
  bool may_take(const std::string& path);

  LeaseOptions options_;
  std::map<std::string, Seen> seen_;
};

}  // namespace heed
