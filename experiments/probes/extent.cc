#include "experiments/probes/extent.h"

#include <algorithm>
#include <cmath>

#include "dialog/stats/principal_components.h"

namespace heed {

Extent extent_of(const Tensor& x) {
  const int64_t n = x.shape()[0], d = x.shape()[1];
  Extent extent;
  for (int64_t i = 0; i < n; ++i) {
    double square = 0;
    for (int64_t j = 0; j < d; ++j) {
      const double value = x.data<float>()[i * d + j];
      square += value * value;
    }
    extent.length += std::sqrt(square) / static_cast<double>(n);
  }
  const Tensor along = principal_components(x, 1).coordinates(x);
  const auto [low, high] = std::minmax_element(along.data<double>(), along.data<double>() + n);
  extent.range = *high - *low;
  return extent;
}

}  // namespace heed
