// Child processes that work for this one.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace heed {

// Processes that are forked, not started anew, so that what was read before is in memory once. This
// process must have no threads, and must not have used a GPU. Each child has a pipe to this
// process, which closes when it ends.
class Crew {
 public:
  struct Member {
    pid_t id;
    Descriptor pipe;
    std::string text = {};  // what it has written, less what somebody has taken out of it
  };
  struct Watch {
    std::function<void(Member&)> on_text = {};              // a member has written more
    std::function<void(const Member&, int status)> on_end;  // of waitpid()
    std::function<void()> on_idle = {};  // several times a second while nobody writes
  };

  // `name` begins the messages of errors. When `stop` is set, by a SIGINT or SIGTERM of this
  // process, the members get a SIGTERM. When this process dies or the crew ends, those that are
  // left get the signal `orphaned`.
  Crew(const char* name, const std::atomic<bool>& stop, int orphaned)
      : name_(name), stop_(stop), orphaned_(orphaned) {}
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // A child does life(its end of the pipe), which throws nothing, and exits with what it returns.
  // Returns its process id.
  pid_t start(const std::function<int(int pipe)>& life);
  // Until all members have ended. on_end may start others, and may throw.
  void watch(const Watch& watch);

 private:
  [[noreturn]] void fail(const char* what) const;
  void hear(size_t member, const Watch& watch);

  const char* const name_;
  const std::atomic<bool>& stop_;
  const int orphaned_;
  std::vector<Member> members_;
};

}  // namespace heed
