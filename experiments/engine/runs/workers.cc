#include "experiments/engine/runs/workers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <set>

#include "base/error.h"

namespace heed {
namespace {

// WorkerNews as it goes through the pipe: short enough that writes of several workers do not mix.
struct Packet {
  WorkerNews::Kind kind;
  int epoch, max_epochs, process;
  double part, metric, seconds;
  char run[256], message[212];  // a run is a directory, whose name has at most 255 bytes
};
// A stop is passed on well within the second in which a worker counts it as the same Ctrl-C that it
// may have received itself.
constexpr int kPollMilliseconds = 300;
static_assert(sizeof(Packet) <= 512, "POSIX promises that 512 bytes are written at once");

template <size_t size> void put(char (&to)[size], const std::string& from) {
  std::snprintf(to, size, "%s", from.c_str());
}

Packet pack(const WorkerNews& news) {
  Packet p;
  std::memset(&p, 0, sizeof p);  // also the gaps between members, because all bytes are written
  p.kind = news.kind;
  p.epoch = news.epoch, p.max_epochs = news.max_epochs, p.process = ::getpid();
  p.part = news.part, p.metric = news.metric, p.seconds = news.seconds;
  put(p.run, news.run);
  put(p.message, news.message);
  return p;
}

WorkerNews unpack(const Packet& p) {
  return {p.kind, p.run, p.epoch, p.max_epochs, p.part, p.metric, p.seconds, p.message, p.process};
}

void send(int pipe, const WorkerNews& news) {
  const Packet packet = pack(news);
  while (::write(pipe, &packet, sizeof packet) < 0 && errno == EINTR) continue;
}

// A worker's life. Never returns.
[[noreturn]] void live(int pipe, pid_t parent, const std::function<void(const TellNews&)>& body) {
  std::signal(SIGPIPE, SIG_IGN);  // if the parent has died
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  int code = 0;
  try {
    if (::getppid() == parent) body([pipe](const WorkerNews& news) { send(pipe, news); });
  } catch (const std::exception& e) {
    send(pipe, {.kind = WorkerNews::Kind::kFailed, .message = e.what()});
    code = 1;
  }
  ::_exit(code);  // not exit(): the parent writes and cleans up its own data
}

// The processes, and the pipe through which they send news.
class Crew {
 public:
  Crew(const std::function<void(const TellNews&)>& body, const WorkerWatch& watch,
       const std::atomic<bool>& stop)
      : body_(body), watch_(watch), stop_(stop) {
    if (::pipe2(ends_, O_CLOEXEC) != 0) {
      throw Error(std::string("workers: no pipe: ") + std::strerror(errno));
    }
  }
  ~Crew() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void start_one() {
    std::fflush(nullptr);
    const pid_t parent = ::getpid(), id = ::fork();
    if (id < 0) throw Error(std::string("workers: cannot fork: ") + std::strerror(errno));
    if (id == 0) {
      ::close(ends_[0]);
      live(ends_[1], parent, body_);
    }
    workers_.insert(id);
  }

  // Until all have ended.
  std::vector<std::string> watch() {
    bool told = false;
    while (!workers_.empty()) {
      const bool news = hear(kPollMilliseconds);
      if (stop_ && !told) {
        for (const pid_t id : workers_) ::kill(id, SIGTERM);
        told = true;
      }
      if (!news && watch_.on_idle) watch_.on_idle();
      bury();
    }
    return problems_;
  }

 private:
  // Passes on one piece of news, if one arrives within this many milliseconds.
  bool hear(int milliseconds) {
    pollfd ready{ends_[0], POLLIN, 0};
    if (::poll(&ready, 1, milliseconds) <= 0) return false;
    Packet packet;
    size_t size = 0;
    while (size < sizeof packet) {
      const ssize_t got =
          ::read(ends_[0], reinterpret_cast<char*>(&packet) + size, sizeof packet - size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      size += static_cast<size_t>(got);
    }
    watch_.on_news(unpack(packet));
    return true;
  }

  // The workers that have ended, once all their news has been read.
  void bury() {
    const std::set<pid_t> all = workers_;
    for (const pid_t id : all) {
      int status = 0;
      if (::waitpid(id, &status, WNOHANG) != id) continue;
      workers_.erase(id);
      while (hear(0)) continue;
      if (!WIFSIGNALED(status)) continue;
      const std::string how = "was ended by signal " + std::to_string(WTERMSIG(status));
      problems_.push_back("worker process " + std::to_string(id) + " " + how);
      if (!stop_ && watch_.on_death && watch_.on_death(id, how)) start_one();
    }
  }

  const std::function<void(const TellNews&)>& body_;
  const WorkerWatch& watch_;
  const std::atomic<bool>& stop_;
  int ends_[2] = {};
  std::set<pid_t> workers_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> run_workers(int jobs, const std::function<void(const TellNews&)>& body,
                                     const WorkerWatch& watch, const std::atomic<bool>& stop) {
  Crew crew(body, watch, stop);
  for (int i = 0; i < jobs; ++i) crew.start_one();
  return crew.watch();
}

}  // namespace heed
