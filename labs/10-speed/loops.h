// The loops that threads share.
#pragma once

#include <atomic>
#include <cstdint>

namespace heed::lab {

// How many loops of several pieces were begun with parallel_for() or parallel_ranges(), so far.
extern std::atomic<int64_t> shared_loops;

}  // namespace heed::lab
