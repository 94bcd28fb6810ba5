#include <algorithm>
#include <cmath>
#include <vector>

#include "labs/04-softmax/variation.h"

namespace heed::lab {

void neighbour(double*, double*, const double*, const int32_t*, const double*, int64_t, int64_t) {}

void focal(double* loss, double* dx, const double* x, const int32_t* targets, const double* dloss,
           int64_t rows, int64_t cols) {
  std::vector<double> logs(cols);
  for (int64_t r = 0; r < rows; ++r, x += cols, dx += cols) {
    const double max = *std::max_element(x, x + cols);
    double sum = 0;
    for (int64_t i = 0; i < cols; ++i) sum += std::exp(x[i] - max);
    for (int64_t i = 0; i < cols; ++i) logs[i] = x[i] - max - std::log(sum);
    const int64_t t = targets[r];
    double others = 0;  // beside the target: where y_t is nearly 1 their sum is exact, and 1 + it is not
    for (int64_t i = 0; i < cols; ++i) others += i == t ? 0 : std::exp(x[i] - x[t]);
    const double log = x[t] == max ? -std::log1p(others) : logs[t], rest = -std::expm1(log), y = std::exp(log);
    loss[r] = -@a * std::pow(rest, @g) * log;
    // d loss / d ln y_t = -a (1 - y)^g + a g (1 - y)^(g - 1) y ln y
    const double outer =
        dloss[r] * (@a * @g * std::pow(rest, @g - 1) * y * log - @a * std::pow(rest, @g));
    for (int64_t i = 0; i < cols; ++i) dx[i] = outer * ((i == t) - std::exp(logs[i]));
  }
}

}  // namespace heed::lab
