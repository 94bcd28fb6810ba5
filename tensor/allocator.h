// The caching allocator. A training step asks for the same sizes again and again, so freed blocks
// are kept and reused: the smallest free block that is large enough, at most 2.25 times too large.
// After its first step a training allocates nothing from the system and has no page faults. Each
// device has its own cache. On CUDA a block may be reused while kernels in the stream still use it:
// the work of its next owner comes after them in the stream. With the address sanitizer there is no
// cache, and blocks have exactly the size asked for, so that it sees every access outside of a
// tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tensor/device.h"

namespace heed {

struct MemoryStats {
  int64_t bytes_in_use = 0;  // in blocks that tensors hold now
  int64_t peak_bytes = 0;    // the maximum of bytes_in_use since the last reset_peak()
  int64_t bytes_cached = 0;  // in freed blocks that are kept for reuse
};

// An uninitialised block, aligned to 64 bytes. It returns to the cache when its last owner releases
// it. Throws DeviceError when the device is out of memory or does not exist.
std::shared_ptr<std::byte> allocate(int64_t bytes, Device device = {});

// The number of calls of count_write() for the block: how often the tensors that share it changed.
uint32_t write_count(const std::shared_ptr<std::byte>& memory);
void count_write(const std::shared_ptr<std::byte>& memory);

// Keeps the host's copy of the values in the block: `host` holds those that begin at `memory`. The
// owner of a new block calls it, once.
void keep_host_copy(const std::shared_ptr<std::byte>& memory,
                    std::shared_ptr<const std::byte> host);
// The host's copy of the values at `memory`; null if there is none, or if the block has changed
// since (count_write()). Valid as long as `memory` is held.
const std::byte* host_copy(const std::shared_ptr<std::byte>& memory);

MemoryStats memory_stats(Device device = {});
void reset_peak(Device device = {});      // peak_bytes = bytes_in_use
void release_cached(Device device = {});  // gives all cached blocks back to the system

}  // namespace heed
