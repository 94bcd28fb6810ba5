// Counts the loops that threads share: these two stand before the library's, which they call.
#include "labs/10-speed/loops.h"

#include <dlfcn.h>

#include "tensor/parallel.h"

namespace heed {

std::atomic<int64_t> lab::shared_loops = 0, lab::last_pieces = 0;

template <class F> static F* the_librarys(const char* symbol) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, symbol));
}

// The library's parallel_ranges() may call the parallel_for() below, for a loop that was counted.
static thread_local bool of_ranges = false;

static void count(int64_t pieces) {
  if (pieces > 1) ++lab::shared_loops;
  lab::last_pieces = pieces;
}

void parallel_for(int64_t pieces, const std::function<void(int64_t)>& body) {
  static auto* const next =
      the_librarys<decltype(parallel_for)>("_ZN4heed12parallel_forElRKSt8functionIFvlEE");
  if (!of_ranges) count(pieces);
  of_ranges = false;
  next(pieces, body);
}

void parallel_ranges(int64_t size, int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body) {
  static auto* const next =
      the_librarys<decltype(parallel_ranges)>("_ZN4heed15parallel_rangesEllRKSt8functionIFvllEE");
  count(grain > 0 ? (size + grain - 1) / grain : 0);
  of_ranges = true;
  next(size, grain, body);
  of_ranges = false;
}

}  // namespace heed
