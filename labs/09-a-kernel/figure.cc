#include "labs/09-a-kernel/bench.h"

// Where the lanes of the first warp write when a matrix (32, 32) is transposed.
LAB_FIGURE() {
  const auto elements = [](auto kernel) {
    Bench bench;
    const Float* const x = bench.put("x", Values(32 * 32, 1));
    Float* const y = bench.unwritten("y", 32 * 32);
    kernel(y, x, 32, 32);
    const std::vector<int64_t> first = bench.of("y").first;
    return std::vector<double>(first.begin(), first.end());
  };
  std::vector<double> lanes(32);
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<double>(i);
  print_curves("Where the lanes of a warp write", "lane", "element of y", lanes,
               {{"each element where it belongs", elements(transpose_directly)},
                {"yours", elements(transpose)}});
}
