#include "train/forked_ranks.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.h"

namespace heed {
namespace {

constexpr int64_t kChunk = int64_t{4} << 20;  // bytes that a rank shows the others at a time
// A stop is passed on well within the second in which a rank takes it for the Ctrl-C that it may
// have seen itself.
constexpr int kPollMilliseconds = 300;

// Where a block lies in what a rank has for the others, and how much that is.
struct Range {
  int64_t begin, end;
  bool operator==(const Range&) const = default;
};
constexpr Range kGivesUp = {-1, -1};

// Memory that the ranks share: of each what it has for the others, as much of it as a chunk holds.
class SharedMemory {
 public:
  explicit SharedMemory(int ranks) : ranks_(ranks) {
    void* const memory = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw Error(std::string("ranks: no memory to share: ") + std::strerror(errno));
    }
    memory_ = static_cast<std::byte*>(memory);
    pthread_barrierattr_t shared;
    ::pthread_barrierattr_init(&shared);
    ::pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    ::pthread_barrier_init(barrier(), &shared, static_cast<unsigned>(ranks));
    ::pthread_barrierattr_destroy(&shared);
  }
  ~SharedMemory() { ::munmap(memory_, bytes()); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void wait_for_all() const { ::pthread_barrier_wait(barrier()); }
  // The block of one rank for another.
  Range& range(int from, int to) const { return reinterpret_cast<Range*>(box(from))[to]; }
  char* chunk(int from) const { return reinterpret_cast<char*>(box(from) + kHead); }

 private:
  static constexpr size_t kHead = sizeof(Range) * kMostForkedRanks;
  static constexpr size_t kBarrier = 4096;

  size_t bytes() const { return kBarrier + static_cast<size_t>(ranks_) * (kHead + kChunk); }
  std::byte* box(int rank) const {
    return memory_ + kBarrier + static_cast<size_t>(rank) * (kHead + kChunk);
  }
  pthread_barrier_t* barrier() const { return reinterpret_cast<pthread_barrier_t*>(memory_); }

  const int ranks_;
  std::byte* memory_;
};

void write_all(int pipe, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(pipe, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text.remove_prefix(static_cast<size_t>(n));
  }
}

class Forked : public Ranks {
 public:
  // `pipe`: to who has forked it.
  Forked(int rank, int size, const SharedMemory& memory, int pipe)
      : Ranks(rank, size), memory_(memory), pipe_(pipe) {}

  void fail(const std::string& why) override {
    write_all(pipe_, why);
    ::_exit(1);
  }

 private:
  // Everybody shows the next chunk of what he has, then everybody takes his part of all chunks.
  std::vector<Bytes> deliver(const std::vector<std::string_view>& blocks) override {
    lay_out(blocks);
    std::vector<Bytes> got(static_cast<size_t>(size()));
    int64_t longest = 0, done = 0;
    do {
      for (int to = 0; to < std::ssize(blocks); ++to) {
        show(blocks[static_cast<size_t>(to)], to, done);
      }
      memory_.wait_for_all();
      if (done == 0 && somebody_gives_up()) got.clear();
      for (int from = 0; from < std::ssize(got); ++from) {
        take(got[static_cast<size_t>(from)], from, done);
        for (int to = 0; to < size(); ++to) {
          longest = std::max(longest, memory_.range(from, to).end);
        }
      }
      memory_.wait_for_all();
      done += kChunk;
    } while (done < longest);
    return got;
  }

  // One block behind the other; one that is for several ranks is there once.
  void lay_out(const std::vector<std::string_view>& blocks) const {
    int64_t at = 0;
    for (int to = 0; to < size(); ++to) {
      Range& range = memory_.range(rank(), to);
      if (blocks.empty()) {
        range = kGivesUp;
        continue;
      }
      const std::string_view block = blocks[static_cast<size_t>(to)];
      const auto same = std::find_if(blocks.begin(), blocks.begin() + to, [&](std::string_view b) {
        return b.data() == block.data() && b.size() == block.size();
      });
      if (same != blocks.begin() + to) {
        range = memory_.range(rank(), static_cast<int>(same - blocks.begin()));
        continue;
      }
      range = {at, at + std::ssize(block)};
      at = range.end;
    }
  }

  bool somebody_gives_up() const {
    for (int from = 0; from < size(); ++from) {
      if (memory_.range(from, rank()) == kGivesUp) return true;
    }
    return false;
  }

  void show(std::string_view block, int to, int64_t done) const {
    const Range range = memory_.range(rank(), to);
    for (int before = 0; before < to; ++before) {
      if (range == memory_.range(rank(), before)) return;  // is there
    }
    const Range part = within(range, done);
    if (part.begin >= part.end) return;
    std::memcpy(memory_.chunk(rank()) + (part.begin - done),
                block.data() + (part.begin - range.begin),
                static_cast<size_t>(part.end - part.begin));
  }

  void take(Bytes& got, int from, int64_t done) const {
    const Range range = memory_.range(from, rank()), part = within(range, done);
    if (done == 0) got = Bytes(static_cast<size_t>(range.end - range.begin));
    if (part.begin >= part.end) return;
    std::memcpy(got.data() + (part.begin - range.begin), memory_.chunk(from) + (part.begin - done),
                static_cast<size_t>(part.end - part.begin));
  }

  static Range within(const Range& range, int64_t done) {
    return {std::max(range.begin, done), std::min(range.end, done + kChunk)};
  }

  const SharedMemory& memory_;
  const int pipe_;
};

// ---- the processes ------------------------------------------------------------------------------

// A rank's life. Never returns; what it fails with goes through the pipe.
[[noreturn]] void live(int pipe, pid_t parent, Ranks& ranks,
                       const std::function<void(Ranks&)>& body) {
  std::signal(SIGPIPE, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 1;
  try {
    if (::getppid() != parent) ::_exit(code);
    body(ranks);
    if (std::fflush(stdout) != 0) throw Error("standard output: cannot be written");
    code = 0;
  } catch (const UsageError& e) {
    write_all(pipe, e.what());
    code = 2;
  } catch (const std::bad_alloc&) {
    write_all(pipe, "out of memory; try a smaller --batch, or fewer ranks");
  } catch (const std::exception& e) {
    write_all(pipe, e.what());
  }
  std::fflush(nullptr);
  ::_exit(code);  // not exit(): what the parent has to clean up is the parent's
}

// The processes, each with a pipe that closes when it ends.
class Crew {
 public:
  explicit Crew(const std::atomic<bool>& stop) : stop_(stop) {}
  ~Crew() { end_all(); }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void start(int count, const SharedMemory& memory, const std::function<void(Ranks&)>& body) {
    std::fflush(nullptr);
    const pid_t parent = ::getpid();
    for (int rank = 0; rank < count; ++rank) {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
      const pid_t id = ::fork();
      if (id == 0) {
        for (const Member& other : members_) ::close(other.pipe);
        ::close(ends[0]);
        Forked ranks(rank, count, memory, ends[1]);
        live(ends[1], parent, ranks, body);
      }
      ::close(ends[1]);
      if (id < 0) ::close(ends[0]);
      if (id < 0) fail("cannot fork");
      members_.push_back({id, ends[0], rank});
    }
    size_ = count;
  }

  // Until all have ended; throws where one does not end well.
  void watch() {
    bool told = false;
    while (!members_.empty()) {
      std::vector<pollfd> pipes;
      for (const Member& m : members_) pipes.push_back({m.pipe, POLLIN, 0});
      ::poll(pipes.data(), pipes.size(), kPollMilliseconds);
      if (stop_ && !told) {
        for (const Member& m : members_) ::kill(m.id, SIGTERM);
        told = true;
      }
      for (size_t i = pipes.size(); i-- > 0;) {
        if (pipes[i].revents != 0) hear(i);
      }
    }
  }

 private:
  struct Member {
    pid_t id;
    int pipe, rank;
    std::string text = {};
  };

  [[noreturn]] static void fail(const char* what) {
    throw Error(std::string("ranks: ") + what + ": " + std::strerror(errno));
  }

  // What a rank says, or its end.
  void hear(size_t i) {
    char part[1024];
    const ssize_t n = ::read(members_[i].pipe, part, sizeof part);
    if (n < 0 && errno == EINTR) return;
    if (n > 0) {
      members_[i].text.append(part, static_cast<size_t>(n));
      return;
    }
    const Member gone = members_[i];
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
    ::close(gone.pipe);
    judge(gone, wait_for(gone.id));
  }

  void judge(const Member& gone, int status) const {
    const std::string who = name_of_rank(gone.rank, size_) + ": ";
    if (WIFSIGNALED(status)) {
      throw Error(who + "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                  ::strsignal(WTERMSIG(status)) +
                  "); the others were ended too; a training goes on with --resume");
    }
    if (WEXITSTATUS(status) == 2) throw UsageError(who + gone.text);
    if (WEXITSTATUS(status) != 0) throw Error(who + gone.text);
  }

  void end_all() {
    for (const Member& m : members_) ::kill(m.id, SIGKILL);
    for (const Member& m : members_) {
      wait_for(m.id);
      ::close(m.pipe);
    }
  }

  static int wait_for(pid_t id) {
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }

  const std::atomic<bool>& stop_;
  std::vector<Member> members_;
  int size_ = 0;
};

}  // namespace

void fork_ranks(int count, const std::function<void(Ranks&)>& body, const std::atomic<bool>& stop) {
  if (count < 1 || count > kMostForkedRanks) {
    throw UsageError("ranks: expected 1 to " + std::to_string(kMostForkedRanks) + ", got " +
                     std::to_string(count));
  }
  const SharedMemory memory(count);
  Crew crew(stop);
  crew.start(count, memory, body);
  crew.watch();
}

}  // namespace heed
