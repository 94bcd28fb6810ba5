// The loops that threads share.
#pragma once

#include <atomic>
#include <cstdint>

namespace heed::lab {

// How many loops of several pieces were begun with parallel_for() or parallel_ranges(), so far, and
// the pieces of the last loop.
extern std::atomic<int64_t> shared_loops, last_pieces;

}  // namespace heed::lab
