#include <algorithm>
#include <cmath>
#include <vector>

#include "labs/04-softmax/variation.h"

namespace heed::lab {

void focal(double*, double*, const double*, const int32_t*, const double*, int64_t, int64_t) {}

void neighbour(double* loss, double* dx, const double* x, const int32_t* targets,
               const double* dloss, int64_t rows, int64_t cols) {
  std::vector<double> logs(cols);
  for (int64_t r = 0; r < rows; ++r, x += cols, dx += cols) {
    const double max = *std::max_element(x, x + cols);
    double sum = 0;
    for (int64_t i = 0; i < cols; ++i) sum += std::exp(x[i] - max);
    for (int64_t i = 0; i < cols; ++i) logs[i] = x[i] - max - std::log(sum);
    const int64_t t = targets[r], u = (t + @k) % cols;
    loss[r] = -(1 - @e) * logs[t] - @e * logs[u];
    for (int64_t i = 0; i < cols; ++i) {
      dx[i] = dloss[r] * (std::exp(logs[i]) - (1 - @e) * (i == t) - @e * (i == u));
    }
  }
}

}  // namespace heed::lab
