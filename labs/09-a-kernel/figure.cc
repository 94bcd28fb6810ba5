#include "labs/09-a-kernel/bench.h"

// Where the lanes of the first warp write when a matrix (32, 32) is transposed.
LAB_FIGURE() {
  const auto elements = [](auto kernel) {
    Bench bench;
    const Float* const x = bench.put("x", Values(32 * 32, 1));
    Float* const y = bench.unwritten("y", 32 * 32);
    kernel(y, x, 32, 32);
    const auto first = std::find_if(bench.first_warp.begin(), bench.first_warp.end(),
                                    [](const emulator::Seen& seen) { return seen.array == "y"; });
    std::vector<double> found;
    for (const int64_t bytes : first->bytes) found.push_back(static_cast<double>(bytes) / 4);
    return found;
  };
  std::vector<double> lanes(32);
  for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = static_cast<double>(i);
  print_curves("Where the lanes of a warp write", "lane", "element of y", lanes,
               {{"each element where it belongs", elements(transpose_directly)},
                {"yours", elements(transpose)}});
}
