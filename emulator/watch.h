// Watches kernels: an error in how they use device memory is a Fault, and their memory traffic is
// counted.
//
//   Watch watch;
//   watch.name("x", x, n);                       // Watched<float>* x
//   launch<scale_kernel<Watched<float>>>({blocks, threads}, x, factor, n);
//   watch.of("x").scattered                      // 0: neighbours read neighbours
//
// Found, in arrays of Watched elements (emulator/watched.h):
//   - two threads at one element, one of them writing, with nothing to order them: no barrier, or
//     in different blocks, which no barrier orders;
//   - elements that nothing has written, neither a kernel nor a copy to the device;
//   - in a block of memory with names, elements that belong to none of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/fault.h"
#include "emulator/watched.h"

namespace emulator {

// The data that a GPU transfers for accesses to global memory. The lanes of a warp that execute the
// same place of the code for the same time make one access, and memory is transferred in sectors of
// 32 bytes. A value that a thread reads twice in a row is in a register.
struct Traffic {
  int64_t accesses = 0;
  int64_t sectors = 0;
  int64_t coalesced = 0;  // the number of sectors if neighbouring lanes used neighbours
  int64_t scattered = 0;  // accesses with at least two sectors more than that
  int64_t lanes = 0;      // active lanes, summed over all accesses

  void add(const Traffic& other);
};

// One access of a warp, for pictures.
struct Seen {
  std::string array;  // its name; empty if it has none
  bool shared;        // of shared memory
  Does does;
  std::vector<int64_t> bytes;  // for each lane its place in the array; -1 if it asks for nothing
  int64_t cost;                // sectors; for shared memory, bank conflicts
  int64_t least;               // the minimum cost
};

// Only one can exist at a time.
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Messages say name[i], and the rest of its block of memory, below and above, is out of bounds.
  template <class T> void name(const std::string& name, const T* at, int64_t n) {
    arrays_[reinterpret_cast<uintptr_t>(at)] = {name, n * static_cast<int64_t>(sizeof(T)), {}};
  }
  Traffic of(const std::string& name) const;
  Traffic total;  // of all device memory
  // Shared memory has 32 banks of 4 bytes. Lanes that need different words of a bank wait for each
  // other. Conflicts are counted at the worst bank of an access, one for each lane that waits.
  int64_t shared_accesses = 0, bank_conflicts = 0;
  int64_t blocks = 0, barriers = 0;  // barriers: of all blocks
  int64_t warp_operations = 0;       // shuffles and votes, of all warps
  std::vector<Seen> first_warp;      // of the block that ran first, in order, as many as kSeen
  static constexpr size_t kSeen = 64;

 private:
  friend struct Watcher;
  struct Array {
    std::string name;
    int64_t bytes = 0;
    Traffic traffic;
  };
  std::map<uintptr_t, Array> arrays_;
};

// For run_grid(): a launch begins; a block has ended that passed so many barriers and operations.
void watch_launch();
void watch_block(int64_t barriers, int64_t warp_operations);

}  // namespace emulator
