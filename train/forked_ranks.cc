#include "train/forked_ranks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <utility>

#include "base/error.h"
#include "train/crew.h"

namespace heed {
namespace {

constexpr int64_t kChunk = int64_t{4} << 20;  // bytes that a rank shows the others at a time

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

// A rank's life, and the code of its exit. What it fails with goes through the pipe.
int live(int pipe, Ranks& ranks, const std::function<void(Ranks&)>& body) {
  int code = 1;
  try {
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
  return code;
}

// Throws where a rank has not ended well.
void judge(const std::string& rank, const std::string& text, int status) {
  const std::string who = rank + ": ";
  if (WIFSIGNALED(status)) {
    throw Error(who + "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                ::strsignal(WTERMSIG(status)) +
                "); the others were ended too; a training goes on with --resume");
  }
  if (WEXITSTATUS(status) == 2) throw UsageError(who + text);
  if (WEXITSTATUS(status) != 0) throw Error(who + text);
}

}  // namespace

void fork_ranks(int count, const std::function<void(Ranks&)>& body, const std::atomic<bool>& stop) {
  if (count < 1 || count > kMostForkedRanks) {
    throw UsageError("ranks: expected 1 to " + std::to_string(kMostForkedRanks) + ", got " +
                     std::to_string(count));
  }
  const SharedMemory memory(count);
  std::map<pid_t, int> rank_of;
  Crew crew("ranks", stop, SIGKILL);
  for (int rank = 0; rank < count; ++rank) {
    rank_of[crew.start([&](int pipe) {
      Forked ranks(rank, count, memory, pipe);
      return live(pipe, ranks, body);
    })] = rank;
  }
  crew.watch({.on_end = [&](const Crew::Member& gone, int status) {
    judge(name_of_rank(rank_of[gone.id], count), gone.text, status);
  }});
}

}  // namespace heed
