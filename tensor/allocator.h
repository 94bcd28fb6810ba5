// The caching allocator. A training step asks for the same sizes again and again; freed blocks are
// kept in lists by size class and handed out again, so that a step after the first one allocates
// nothing from the system (and pays for no page faults).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heed {

struct MemoryStats {
  int64_t bytes_in_use = 0;  // held by tensors now
  int64_t peak_bytes = 0;    // the most that tensors ever held since the last reset_peak()
  int64_t bytes_cached = 0;  // freed by tensors, kept for the next one
};

// A block of 64-byte aligned memory that goes back to the cache when the last owner lets go.
// Throws DeviceError when the system has no more memory.
std::shared_ptr<std::byte> allocate(int64_t bytes);

MemoryStats memory_stats();
void reset_peak();      // peak_bytes = bytes_in_use
void release_cached();  // gives all cached blocks back to the system

}  // namespace heed
