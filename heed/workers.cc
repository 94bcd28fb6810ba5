#include "heed/workers.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>

#include "tensor/error.h"

namespace heed {
namespace {

// WorkerNews as it goes through the pipe: short enough that writes of several workers do not mix.
struct Packet {
  WorkerNews::Kind kind;
  int epoch, max_epochs;
  double part, perplexity, seconds;
  char run[64], message[400];
};
// A stop is passed on well within the second in which a worker takes it for the Ctrl-C that it may
// have seen itself (stop_on_signals()).
constexpr int kPollMilliseconds = 300;
static_assert(sizeof(Packet) <= 512, "POSIX promises that 512 bytes are written at once");

template <size_t size> void put(char (&to)[size], const std::string& from) {
  std::snprintf(to, size, "%s", from.c_str());
}

Packet pack(const WorkerNews& news) {
  Packet p{news.kind, news.epoch, news.max_epochs, news.part, news.perplexity, news.seconds,
           {},        {}};
  put(p.run, news.run);
  put(p.message, news.message);
  return p;
}

WorkerNews unpack(const Packet& p) {
  return {p.kind, p.run, p.epoch, p.max_epochs, p.part, p.perplexity, p.seconds, p.message};
}

void send(int pipe, const WorkerNews& news) {
  const Packet packet = pack(news);
  while (::write(pipe, &packet, sizeof packet) < 0 && errno == EINTR) continue;
}

// A worker's life. Never returns.
[[noreturn]] void live(int pipe, pid_t parent, const std::function<void(const TellNews&)>& body) {
  std::signal(SIGPIPE, SIG_IGN);  // of a parent that died
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  int code = 0;
  try {
    if (::getppid() == parent) body([pipe](const WorkerNews& news) { send(pipe, news); });
  } catch (const std::exception& e) {
    send(pipe, {.kind = WorkerNews::Kind::kFailed, .message = e.what()});
    code = 1;
  }
  ::_exit(code);  // not exit(): what the parent has to write or to clean up is the parent's
}

// Reads one packet; false at the end, when no worker is left.
bool receive(int pipe, Packet& packet) {
  size_t size = 0;
  while (size < sizeof packet) {
    const ssize_t got = ::read(pipe, reinterpret_cast<char*>(&packet) + size, sizeof packet - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    size += static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

std::vector<std::string> run_workers(int jobs, const std::function<void(const TellNews&)>& body,
                                     const TellNews& on_news, const std::function<void()>& on_idle,
                                     const std::atomic<bool>& stop) {
  int ends[2];
  if (::pipe(ends) != 0) throw Error(std::string("workers: no pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  std::set<pid_t> workers;
  const pid_t parent = ::getpid();
  for (int i = 0; i < jobs; ++i) {
    const pid_t id = ::fork();
    if (id < 0) throw Error(std::string("workers: cannot fork: ") + std::strerror(errno));
    if (id == 0) {
      ::close(ends[0]);
      live(ends[1], parent, body);
    }
    workers.insert(id);
  }
  ::close(ends[1]);

  bool told = false;
  for (bool open = true; open;) {
    pollfd ready{ends[0], POLLIN, 0};
    const int count = ::poll(&ready, 1, kPollMilliseconds);
    if (stop && !told) {
      for (pid_t id : workers) ::kill(id, SIGTERM);
      told = true;
    }
    Packet packet;
    if (count > 0 && (open = receive(ends[0], packet))) on_news(unpack(packet));
    if (count == 0) on_idle();
  }
  ::close(ends[0]);

  std::vector<std::string> problems;
  for (pid_t id : workers) {
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFSIGNALED(status)) {
      problems.push_back("worker process " + std::to_string(id) + " was ended by signal " +
                         std::to_string(WTERMSIG(status)));
    }
  }
  return problems;
}

}  // namespace heed
