#include "labs/01-memory/kernels/loop_orders.h"

#include <map>

namespace heed::lab {
namespace {

// Which of (i, j, k) the outer, the middle and the inner loop count.
template <int kOuter, int kMiddle, int kInner>
void loops(float* __restrict c, const float* __restrict a, const float* __restrict b, int64_t n) {
  int64_t at[3];
  for (int64_t x = 0; x < n; ++x) {
    for (int64_t y = 0; y < n; ++y) {
      for (int64_t z = 0; z < n; ++z) {
        at[kOuter] = x, at[kMiddle] = y, at[kInner] = z;
        const auto [i, j, k] = at;
        c[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
  }
}

}  // namespace

void product_by_loops(const std::string& order, float* c, const float* a, const float* b,
                      int64_t n) {
  constexpr int kI = 0, kJ = 1, kK = 2;
  static const std::map<std::string, decltype(&loops<kI, kJ, kK>)> kLoops = {
      {"ijk", loops<kI, kJ, kK>},
      {"ikj", loops<kI, kK, kJ>},
      {"jki", loops<kJ, kK, kI>},
      {"kij", loops<kK, kI, kJ>}};
  kLoops.at(order)(c, a, b, n);
}

}  // namespace heed::lab
