// The thread pool. Work is cut into the same pieces for any number of threads, and one thread
// computes a piece from start to end, so results are bit-identical for any number of threads.
#pragma once

#include <cstdint>
#include <functional>

namespace heed {

// Sets the number of threads that kernels use, including the calling one. 0 means one for each
// processor that the process may use under its container's quota (base/machine.h). Waits for a
// running loop to end. Throws UsageError for numbers outside of [0, 1024] and within a loop.
void set_num_threads(int count);
int num_threads();

// Calls body(i) for every i in [0, pieces), in any order, on all threads, and returns after the
// last call. An exception of body ends the loop and is thrown here. Several threads may call it:
// one at a time uses the pool, the loops of the others run serially, and so do nested loops. A
// child of fork() gets a pool of its own; do not fork within a loop.
void parallel_for(int64_t pieces, const std::function<void(int64_t)>& body);

// This thread no longer uses the pool: its loops run serially, so that a communication thread does
// not take workers from the one that computes.
void loop_alone();

// Cuts [0, size) into pieces of `grain` (the last may be shorter): body(begin, end). Throws
// UsageError unless grain > 0.
void parallel_ranges(int64_t size, int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body);

}  // namespace heed
