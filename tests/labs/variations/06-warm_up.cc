#include <algorithm>
#include <cmath>

#include "labs/06-training/variation.h"

namespace heed::lab {

void nesterov(double*, double*, const double*, double, int64_t) {}

double warm_up(double peak, int64_t step) {
  const double done = static_cast<double>(step + 1) / @k;
  return peak * std::min(done, std::pow(1 / done, @p));
}

}  // namespace heed::lab
