// Threads. Work is always cut into the same pieces, whatever the number of threads, and a piece is
// computed by one thread from start to end: results are bit-identical for any --threads.
#pragma once

#include <cstdint>
#include <functional>

namespace heed {

// Number of threads that kernels use, the calling one included. 0 means one for each processor that
// the process may use, where a container's quota counts (base/machine.h). Waits for the loop that
// runs. Throws UsageError for negative or absurd (> 1024) numbers, and inside of a loop.
void set_num_threads(int count);
int num_threads();

// Calls body(i) for every i in [0, pieces), in any order, on all threads, and waits for the last.
// What body throws ends the loop and is thrown here. Any number of threads may call it: one at a
// time has the others to help, a second one does its loop alone. So do nested calls, and a child of
// fork() has threads of its own (but do not fork from inside of a loop).
void parallel_for(int64_t pieces, const std::function<void(int64_t)>& body);

// From now on this thread does its loops alone, and leaves the help of the others to the thread
// that computes while this one does something else.
void loop_alone();

// Cuts [0, size) into pieces of `grain` (the last may be shorter): body(begin, end).
void parallel_ranges(int64_t size, int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body);

}  // namespace heed
