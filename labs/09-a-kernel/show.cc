// The page of lab 9: what the first warp of a kernel asks of the memory.
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "labs/09-a-kernel/bench.h"
#include "labs/support/check.h"

namespace heed::lab {
namespace {

using nlohmann::json;

json access(const emulator::Seen& seen) {
  const char* const verbs[] = {"reads", "writes", "updates"};
  return {{"does", std::string(verbs[static_cast<size_t>(seen.does)]) + " " + seen.array},
          {"shared", seen.shared},
          {"bytes", seen.bytes},
          {"cost", seen.cost},
          {"least", seen.least}};
}

// Arrays x of n elements, and y and z, which have no values yet.
json kernel(const char* name, int64_t n, const std::function<void(Float*, Float*, Float*)>& run) {
  Bench bench;
  json accesses = json::array();
  std::string stopped;
  try {
    run(bench.unwritten("y", n), bench.unwritten("z", n), bench.put("x", Values(n, 1)));
  } catch (const std::exception& error) {  // by the emulation, or not written yet
    stopped = error.what();
  }
  for (const emulator::Seen& seen : bench.first_warp) accesses.push_back(access(seen));
  return {{"name", name}, {"accesses", accesses}, {"stopped", stopped}};
}

}  // namespace
}  // namespace heed::lab

LAB_SHOW() {
  constexpr int kSide = 32;
  const json kernels = {
      kernel("A transposition that puts each element where it belongs", kSide * kSide,
             [](Float* y, Float*, Float* x) { transpose_directly(y, x, kSide, kSide); }),
      kernel("Your transposition", kSide * kSide,
             [](Float* y, Float*, Float* x) { transpose(y, x, kSide, kSide); }),
      kernel("A column of a tile whose rows have 32 words", kSide,
             [](Float* y, Float*, Float* x) { through_a_column(y, x); }),
      kernel("Your column_sum, of x and of x squared", 8 * kSide,
             [](Float* y, Float* z, Float* x) { column_sums(y, z, x, 1); }),
      kernel("Your softmax of a row of 160", 160,
             [](Float* y, Float*, Float* x) { softmax(y, x, 1, 160); })};
  std::cout << json{{"kernels", kernels}} << "\n";
}
