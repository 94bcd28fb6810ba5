// Device memory of the emulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed::cuda {

// While one lives, device memory may be used; otherwise it is poisoned, so that the address
// sanitizer reports host code that reads or writes it, which on a machine with a GPU would crash.
class MemoryAccess {
 public:
  MemoryAccess();
  ~MemoryAccess();
  MemoryAccess(const MemoryAccess&) = delete;
  MemoryAccess& operator=(const MemoryAccess&) = delete;
};

// The blocks of device memory, by address.
struct Region {
  const std::byte* begin = nullptr;
  int64_t bytes = 0;
};
std::vector<Region> regions();

// HEED_EMULATED_BACKWARDS=1: the blocks of a grid run from the last to the first. A kernel whose
// blocks need something of each other gives other results then.
bool blocks_backwards();

}  // namespace heed::cuda
