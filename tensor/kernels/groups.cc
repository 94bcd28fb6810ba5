#include "tensor/kernels/groups.h"

#include <algorithm>
#include <vector>

#include "tensor/kernels/columns.h"

namespace heed::cpu {

template <class T>
void add_groups(Out<T> y, const T* x, const int32_t* places, const int32_t* starts,
                const int32_t* order, int64_t groups, int64_t width) {
  parallel_ranges(width, 128, [=](int64_t begin, int64_t end) {  // a column belongs to one thread
    std::vector<double> sums;
    for (int64_t g = 0; g < groups; ++g) {
      T* to = y.at + (places ? places[g] : g) * width;
      if (y.write == Write::assign) std::fill(to + begin, to + end, T(0));
      if (starts[g + 1] - starts[g] > kTerms) {
        const int32_t* const rows = order + starts[g];
        sums.assign(end - begin, 0);
        add_rows<T>(sums.data(), starts[g + 1] - starts[g], end - begin,
                    [=](int64_t row, int64_t c) { return x[rows[row] * width + begin + c]; });
        for (int64_t c = begin; c < end; ++c) to[c] += T(sums[c - begin]);
        continue;
      }
      for (int64_t i = starts[g]; i < starts[g + 1]; ++i) {
        const T* from = x + int64_t{order[i]} * width;
        for (int64_t c = begin; c < end; ++c) to[c] += from[c];
      }
    }
  });
}

HEED_INSTANTIATE(add_groups);

}  // namespace heed::cpu
