#include "heed/launched_ranks.h"

#include <cstdlib>

#include "base/error.h"

#ifdef HEED_MPI
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>
#endif

namespace heed {
namespace {

// Environment variables that launchers set for their processes: Open MPI, MPICH and others by PMI,
// Slurm by PMIx.
const char* launcher_sign() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) return name;
  }
  return nullptr;
}

}  // namespace

#ifdef HEED_MPI

namespace {

void check(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(std::string("ranks: ") + what + ": " + text);
}

class Launched : public Ranks {
 public:
  Launched(int rank, int size, bool any_thread) : Ranks(rank, size), any_thread_(any_thread) {}

  bool any_thread() const override { return any_thread_; }

 private:
  static constexpr int64_t kRound = int64_t{16} << 20;  // bytes of a block per round
  static constexpr int64_t kGivesUp = -1;               // as a size

  // The sizes first, and then the blocks, in rounds: MPI counts bytes in an int.
  std::vector<Bytes> deliver(const std::vector<std::string_view>& blocks) override {
    const auto n = static_cast<size_t>(size());
    std::vector<int64_t> to_send(n), to_get(n);
    for (size_t r = 0; r < n; ++r) to_send[r] = blocks.empty() ? kGivesUp : std::ssize(blocks[r]);
    MPI_Request sizes;
    check(MPI_Ialltoall(to_send.data(), 1, MPI_INT64_T, to_get.data(), 1, MPI_INT64_T,
                        MPI_COMM_WORLD, &sizes),
          "sizes");
    wait_for({sizes});
    if (std::count(to_get.begin(), to_get.end(), kGivesUp) > 0) return {};
    std::vector<Bytes> got(n);
    int64_t longest = 0;
    for (size_t r = 0; r < n; ++r) {
      got[r] = Bytes(static_cast<size_t>(to_get[r]));
      longest = std::max({longest, to_send[r], to_get[r]});
    }
    check(MPI_Iallreduce(MPI_IN_PLACE, &longest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD, &sizes),
          "sizes");
    wait_for({sizes});
    for (int64_t done = 0; done < longest; done += kRound) send_and_get(blocks, got, done);
    return got;
  }

  // The bytes [done, done + kRound) of every block.
  void send_and_get(const std::vector<std::string_view>& blocks, const std::vector<Bytes>& got,
                    int64_t done) const {
    std::vector<MPI_Request> requests;
    const auto part = [&](int64_t size) {
      return static_cast<int>(std::clamp<int64_t>(size - done, 0, kRound));
    };
    for (int step = 0; step < size(); ++step) {  // every rank begins with a different one
      const int from = (rank() + size() - step) % size(), to = (rank() + step) % size();
      const Bytes& in = got[static_cast<size_t>(from)];
      const std::string_view out = blocks[static_cast<size_t>(to)];
      if (const int bytes = part(static_cast<int64_t>(in.size())); bytes > 0) {
        check(MPI_Irecv(in.data() + done, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                        &requests.emplace_back()),
              "receiving");
      }
      if (const int bytes = part(std::ssize(out)); bytes > 0) {
        check(MPI_Isend(out.data() + done, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD,
                        &requests.emplace_back()),
              "sending");
      }
    }
    wait_for(std::move(requests));
  }

  // MPI waits without ever sleeping. Beside a thread that computes, a waiting thread yields the
  // processor.
  static void wait_for(std::vector<MPI_Request> requests) {
    const int count = static_cast<int>(requests.size());
    int main_thread = 0, done = 0;
    check(MPI_Is_thread_main(&main_thread), "waiting");
    if (main_thread) {
      return check(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "waiting");
    }
    while (true) {
      check(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "waiting");
      if (done) return;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  const bool any_thread_;
};

Ranks* launched = nullptr;  // lives as long as the process

}  // namespace

Ranks* launched_ranks() {
  if (launched || !launcher_sign()) return launched;
  int provided = 0, rank = 0, size = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  launched = new Launched(rank, size, provided >= MPI_THREAD_SERIALIZED);
  return launched;
}

std::string failing_rank() {
  if (!launched || launched->size() == 1) return "";
  if (!launched->first()) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  return name_of_rank(launched->rank(), launched->size()) + ": ";
}

void end_launched_ranks(int code) {
  if (!launched) return;
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
}

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string(text).substr(0, std::string(text).find_first_of(",\n"));
}

#else

Ranks* launched_ranks() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (!size) size = std::getenv("PMI_SIZE");
  if (!size && launcher_sign()) size = std::getenv("SLURM_STEP_NUM_TASKS");
  if (!size || std::string(size) == "1") return nullptr;
  throw UsageError(std::string("a launcher has started ") + size +
                   " processes, but this heed was built without MPI (heed --version): build it on "
                   "a machine with MPI, or start it once with --ranks " +
                   size);
}

std::string failing_rank() {
  return "";
}
void end_launched_ranks(int) {}
std::string mpi_version() {
  return "";
}

#endif

}  // namespace heed
