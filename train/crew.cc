#include "train/crew.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace heed {
namespace {

// A stop is passed on well within the second in which a child takes it for the Ctrl-C that it may
// have seen itself.
constexpr int kPollMilliseconds = 300;

int wait_for(pid_t id) {
  int status = 0;
  while (::waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

void Crew::fail(const char* what) const {
  throw Error(std::string(name_) + ": " + what + ": " + std::strerror(errno));
}

pid_t Crew::start(const std::function<int(int pipe)>& life) {
  std::fflush(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
  Descriptor ours(ends[0]), theirs(ends[1]);
  const pid_t parent = ::getpid(), id = ::fork();
  if (id < 0) fail("cannot fork");
  if (id > 0) {
    members_.push_back({id, std::move(ours)});
    return id;
  }
  ours = Descriptor();
  members_.clear();               // closes the pipes of the others
  std::signal(SIGPIPE, SIG_IGN);  // if the parent has died
  ::prctl(PR_SET_PDEATHSIG, orphaned_);
  const int code = ::getppid() == parent ? life(theirs) : 1;
  ::_exit(code);  // not exit(): what the parent has to write and to clean up is the parent's
}

void Crew::watch(const Watch& watch) {
  bool told = false;
  while (!members_.empty()) {
    std::vector<pollfd> pipes;
    for (const Member& m : members_) pipes.push_back({m.pipe, POLLIN, 0});
    const bool news = ::poll(pipes.data(), pipes.size(), kPollMilliseconds) > 0;
    if (stop_ && !told) {
      for (const Member& m : members_) ::kill(m.id, SIGTERM);
      told = true;
    }
    if (!news && watch.on_idle) watch.on_idle();
    for (size_t i = pipes.size(); news && i-- > 0;) {
      if (pipes[i].revents != 0) hear(i, watch);
    }
  }
}

// What a member writes, or its end.
void Crew::hear(size_t member, const Watch& watch) {
  Member& m = members_[member];
  char part[1024];
  const ssize_t n = ::read(m.pipe, part, sizeof part);
  if (n < 0 && errno == EINTR) return;
  if (n > 0) {
    m.text.append(part, static_cast<size_t>(n));
    if (watch.on_text) watch.on_text(m);
    return;
  }
  const Member gone = std::move(m);
  members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(member));
  watch.on_end(gone, wait_for(gone.id));
}

Crew::~Crew() {
  for (const Member& m : members_) ::kill(m.id, orphaned_);
  for (const Member& m : members_) wait_for(m.id);
}

}  // namespace heed
