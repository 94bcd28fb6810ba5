// The part of NCCL that heed uses: blocks of device memory from one process to another, each with a
// GPU of its own, on one host or several. Free of NCCL's headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heed::cuda {

// Of the header that this was built with, "2.27.7"; empty where it was built without NCCL.
std::string nccl_version();
// Whether there is NCCL. Its library is opened at the first call, as it is large.
bool has_nccl();

// Which GPU of this machine cuda:index is, the same text in all processes. NCCL refuses two ranks
// on one.
std::string gpu_of(int index);

// What the members of one Communicator have in common: one makes it and tells the others.
std::string make_nccl_id();

// All functions throw DeviceError for what NCCL reports.
class Communicator {
 public:
  // For the current device. Returns when all `size` ranks have called it with the same id. From
  // then on a thread looks for errors of the network, after which what is in the stream waits for
  // ever, and whoever waits for the stream: it tells `on_failure`, which has to end the process.
  Communicator(const std::string& id, int rank, int size,
               std::function<void(const std::string&)> on_failure);
  // Waits for what the others still have to take; not where an exception is on its way, as they may
  // wait for this one.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  struct Block {
    int rank;  // for whom, or from whom
    std::byte* at;
    int64_t bytes;
  };
  // Puts into the stream of the current device what sends the ones and gets the others, all at one
  // time. From one rank to another, blocks come in the order in which they are sent.
  void exchange(const std::vector<Block>& to_send, const std::vector<Block>& to_get);

 private:
  class Watched;
  std::unique_ptr<Watched> members_;
};

}  // namespace heed::cuda
