// The part of NCCL that heed uses: it sends blocks of device memory between processes, each of
// which has a GPU of its own, on one host or several. Includes no headers of NCCL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heed::cuda {

// The version of the header that this was built with, "2.27.7"; empty without NCCL.
std::string nccl_version();
// Whether NCCL is available. The first call opens its library, which is large.
bool has_nccl();

// Identifies the GPU cuda:index, by the same text in all processes. NCCL refuses two ranks on one
// GPU.
std::string gpu_of(int index);

// Identifies a Communicator: one rank makes it and sends it to the others.
std::string make_nccl_id();

// All functions throw DeviceError for what NCCL reports.
class Communicator {
 public:
  // For the current device. Returns when all `size` ranks have called it with the same id. From
  // then on a thread watches for network errors, after which the stream would wait for ever: it
  // calls `on_failure`, which must end the process.
  Communicator(const std::string& id, int rank, int size,
               std::function<void(const std::string&)> on_failure);
  // Waits until the others have received everything, except during an exception, when they may be
  // waiting for this rank.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  struct Block {
    int rank;  // of the receiver, or of the sender
    std::byte* at;
    int64_t bytes;
  };
  // Queues all these sends and receives in the stream of the current device; they run at the same
  // time. Between two ranks, blocks arrive in the order in which they are sent.
  void exchange(const std::vector<Block>& to_send, const std::vector<Block>& to_get);

 private:
  class Watched;
  std::unique_ptr<Watched> members_;
};

}  // namespace heed::cuda
