// Device memory of the emulation: blocks of the heap, which the address sanitizer watches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace emulator {

// A block of device memory, aligned to 256 bytes. Every byte is 0xff, so that a float that was
// never written is NaN. Null if there is no memory.
std::byte* allocate(int64_t bytes);
void free(std::byte* block) noexcept;  // null, and what allocate() did not give, are ignored

// Either side may be device memory or memory of the host.
void copy(void* to, const void* from, int64_t bytes);
void fill(void* at, int byte, int64_t bytes);

// The blocks of device memory, by address.
struct Region {
  const std::byte* begin = nullptr;
  int64_t bytes = 0;
};
std::vector<Region> regions();
int64_t allocated();  // bytes of all of them

// While one lives, the host may use device memory; otherwise it is poisoned, so that the address
// sanitizer reports host code that reads or writes it, which on a machine with a GPU would crash.
class MemoryAccess {
 public:
  MemoryAccess();
  ~MemoryAccess();
  MemoryAccess(const MemoryAccess&) = delete;
  MemoryAccess& operator=(const MemoryAccess&) = delete;
};

}  // namespace emulator
