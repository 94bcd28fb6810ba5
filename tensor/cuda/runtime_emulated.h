// Device memory of the emulation.
#pragma once

#include <cstdint>

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

}  // namespace heed::cuda
