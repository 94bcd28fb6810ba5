// Who used an element of memory when, for the emulation's own files.
#pragma once

#include "emulator/cuda.h"

namespace emulator {

// Where the thread that runs now is: in its block, and between which barriers.
struct Moment {
  int thread = -1;  // -1: none runs
  uint64_t block = 0;
  uint64_t interval = 0;
  uint32_t warp_interval = 0;
};
Moment now();
inline uint32_t place_of_block() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
std::string thread_text(int thread);  // "(1, 0, 0)"

// Whether `use`, by this block, happened at a time that nothing orders before this thread's.
bool at_one_time(const Mark::Use& use);
// The use is this thread's; `adds`: besides those of others since the last barrier.
void note(Mark::Use& use, bool adds);
// "which thread (1, 0, 0) wrote between the same two barriers (a race)"
[[noreturn]] void fail_race(const std::string& does, const Mark::Use& other, const char* did);

}  // namespace emulator
