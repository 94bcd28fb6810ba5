// The caching allocator. A training step asks for the same sizes again and again; freed blocks are
// kept and handed out again, the smallest one that is large enough but at most 2.25 times too
// large, so that a step after the first one allocates nothing from the system (and pays for no page
// faults). Each device has its own cache; on CUDA a block may be handed out again while kernels in
// the stream still use it, as what its next owner does comes after them. With the address sanitizer
// there is no cache, and no block is larger than asked for, so that the sanitizer sees every access
// outside of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tensor/device.h"

namespace heed {

struct MemoryStats {
  int64_t bytes_in_use = 0;  // in blocks that tensors hold now
  int64_t peak_bytes = 0;    // the most that it ever was since the last reset_peak()
  int64_t bytes_cached = 0;  // in blocks that were freed, kept for the next tensor
};

// A block of 64-byte aligned memory that goes back to the cache when the last owner lets go.
// Throws DeviceError when the device has no more memory, or is not there.
std::shared_ptr<std::byte> allocate(int64_t bytes, Device device = {});

// How often tensors that share the block were changed, as count_write() was told.
uint32_t write_count(const std::shared_ptr<std::byte>& memory);
void count_write(const std::shared_ptr<std::byte>& memory);

// Keeps the values that were copied into the block's memory from the host: `host` holds those that
// begin at `memory`. To be called once, by who made the block.
void keep_host_copy(const std::shared_ptr<std::byte>& memory,
                    std::shared_ptr<const std::byte> host);
// Where the values at `memory` lie on the host; null if nobody kept them, or count_write() was told
// of a change since. Valid as long as `memory` is held.
const std::byte* host_copy(const std::shared_ptr<std::byte>& memory);

MemoryStats memory_stats(Device device = {});
void reset_peak(Device device = {});      // peak_bytes = bytes_in_use
void release_cached(Device device = {});  // gives all cached blocks back to the system

}  // namespace heed
