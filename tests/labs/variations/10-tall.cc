#include <vector>

#include "labs/10-speed/variation.h"

namespace heed::lab {

void tall_product(float* c, const float* a, int64_t rows, int64_t cols) {
  std::vector<double> sums(cols * cols);
  for (int64_t r = 0; r < rows; ++r, a += cols) {
    for (int64_t i = 0; i < cols; ++i) {
      for (int64_t j = 0; j < cols; ++j) sums[i * cols + j] += double{a[i]} * a[j];
    }
  }
  for (int64_t i = 0; i < cols; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      c[i * cols + j] = static_cast<float>(@p * sums[i * cols + j] + (i == j ? @q : 0.0));
    }
  }
}

}  // namespace heed::lab
