// Counts the loops that threads share: these two stand before the library's, which they call.
#include "labs/10-speed/loops.h"

#include <dlfcn.h>

#include "tensor/parallel.h"

namespace heed {

std::atomic<int64_t> lab::shared_loops = 0;

template <class F> static F* the_librarys(const char* symbol) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, symbol));
}

void parallel_for(int64_t pieces, const std::function<void(int64_t)>& body) {
  static auto* const next =
      the_librarys<decltype(parallel_for)>("_ZN4heed12parallel_forElRKSt8functionIFvlEE");
  if (pieces > 1) ++lab::shared_loops;
  next(pieces, body);
}

void parallel_ranges(int64_t size, int64_t grain,
                     const std::function<void(int64_t, int64_t)>& body) {
  static auto* const next =
      the_librarys<decltype(parallel_ranges)>("_ZN4heed15parallel_rangesEllRKSt8functionIFvllEE");
  if (size > grain) ++lab::shared_loops;
  next(size, grain, body);
}

}  // namespace heed
