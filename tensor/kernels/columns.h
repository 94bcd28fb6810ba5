// Work along the middle axis of x (outer, n, inner), for the CPU kernels: outer * inner columns of
// n elements each.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/parallel.h"

namespace heed::cpu {

// Calls body(o, begin, end) for ranges of neighbouring columns [begin, end) of block o, on all
// threads. A column belongs to one thread.
template <class Body>
void for_each_strip(int64_t outer, int64_t n, int64_t inner, const Body& body) {
  const int64_t fewest = std::min<int64_t>(inner, 64);  // whole cache lines
  const int64_t grain = std::max(16384 / (n + 1) + 1, fewest);
  parallel_ranges(outer * inner, grain, [=](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;) {
      const int64_t o = at / inner, stop = std::min(end, (o + 1) * inner);
      body(o, at - o * inner, stop - o * inner);
      at = stop;
    }
  });
}

}  // namespace heed::cpu
