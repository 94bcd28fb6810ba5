#include "tensor/kernels/groups.h"

#include <algorithm>

#include "tensor/parallel.h"

namespace heed::cpu {

template <class T>
void add_groups(Out<T> y, const T* x, const int32_t* places, const int32_t* starts,
                const int32_t* order, int64_t groups, int64_t width) {
  parallel_ranges(width, 128, [=](int64_t begin, int64_t end) {  // a column belongs to one thread
    for (int64_t g = 0; g < groups; ++g) {
      T* to = y.at + (places ? places[g] : g) * width;
      if (y.write == Write::assign) std::fill(to + begin, to + end, T(0));
      for (int64_t i = starts[g]; i < starts[g + 1]; ++i) {
        const T* from = x + int64_t{order[i]} * width;
        for (int64_t c = begin; c < end; ++c) to[c] += from[c];
      }
    }
  });
}

HEED_INSTANTIATE(add_groups);

}  // namespace heed::cpu
