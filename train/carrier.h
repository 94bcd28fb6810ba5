// How numbers that lie in the memory of a device get from rank to rank.
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
  // What a rank has for another: some tensors in memory(), and a head, a few bytes on the host from
  // which the other knows their shapes.
  struct Block {
    BytesOut head = {};
    std::vector<Tensor> tensors = {};
  };
  // Of a head that has come from a rank: tensors in memory() for what follows.
  using Open = std::function<std::vector<Tensor>(int rank, std::string_view head)>;

  Carrier(Ranks& ranks, Device memory) : ranks_(ranks), memory_(memory) {}
  virtual ~Carrier() = default;
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  Ranks& ranks() const { return ranks_; }
  Device memory() const { return memory_; }

  // *blocks[r] is for rank r; that of this rank is not looked at. `open` is asked once for each of
  // the others, and its tensors are filled with theirs.
  virtual void exchange(const std::vector<const Block*>& blocks, const Open& open) = 0;

 private:
  Ranks& ranks_;
  const Device memory_;
};

// Through the host's memory, by the ranks themselves (MPI, or memory that processes share).
std::unique_ptr<Carrier> host_carrier(Ranks& ranks);
// For numbers of the device: by NCCL from GPU to GPU where all ranks have it and a GPU of their own
// each, else through the host's memory.
std::unique_ptr<Carrier> make_carrier(Ranks& ranks, Device device);

}  // namespace heed
