// The last users of an element of memory. Internal to the emulator.
#pragma once

#include "emulator/cuda.h"

namespace emulator {

// The running thread, its block, and the barriers that it is between.
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

// Whether no barrier orders `use`, which was by this block, before the running thread.
bool at_one_time(const Mark::Use& use);
// Records a use by the running thread, in addition to (`adds`) or in place of the uses by others
// since the last barrier.
void note(Mark::Use& use, bool adds);
// "which thread (1, 0, 0) wrote between the same two barriers (a race)"
[[noreturn]] void fail_race(const std::string& does, const Mark::Use& other, const char* did);

}  // namespace emulator
