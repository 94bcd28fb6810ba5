// Sends numbers in a device's memory from rank to rank.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tensor/bytes.h"
#include "tensor/tensor.h"
#include "train/ranks.h"

namespace heed {

class Carrier {
 public:
  // What a rank sends to another one: some tensors in memory(), and a header, a few bytes on the
  // host that tell the receiver their shapes.
  struct Block {
    BytesOut head = {};
    std::vector<Tensor> tensors = {};
  };
  // Given a header received from a rank, returns tensors in memory() for the data that follow.
  using Open = std::function<std::vector<Tensor>(int rank, std::string_view head)>;

  Carrier(Ranks& ranks, Device memory) : ranks_(ranks), memory_(memory) {}
  virtual ~Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  Ranks& ranks() const { return ranks_; }
  Device memory() const { return memory_; }

  // *blocks[r] is for rank r; this rank's own block is ignored. `open` is called once for each
  // other rank, and the tensors that it returns are filled with that rank's numbers.
  virtual void exchange(const std::vector<const Block*>& blocks, const Open& open) = 0;

 private:
  Ranks& ranks_;
  const Device memory_;
};

// Through the host's memory, by the ranks themselves (MPI, or memory that processes share).
std::unique_ptr<Carrier> host_carrier(Ranks& ranks);
// For numbers on the device: by NCCL from GPU to GPU if all ranks have NCCL and a GPU of their own,
// else through the host's memory.
std::unique_ptr<Carrier> make_carrier(Ranks& ranks, Device device);

}  // namespace heed
