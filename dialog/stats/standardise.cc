#include "dialog/stats/standardise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed {

Standardiser::Standardiser(const Tensor& train)
    : mean_(train.shape()[1]), deviation_(train.shape()[1]) {
  const Tensor wide = train.to(DType::f64);
  const int64_t n = train.shape()[0], d = train.shape()[1];
  const auto over_rows = [&](auto add) {
    for (int64_t i = 0; i < n; ++i) {
      const double* row = wide.data<double>() + i * d;
      for (int64_t j = 0; j < d; ++j) add(j, row[j]);
    }
  };
  over_rows([&](int64_t j, double x) { mean_[j] += x / static_cast<double>(n); });
  over_rows([&](int64_t j, double x) {
    deviation_[j] += (x - mean_[j]) * (x - mean_[j]) / static_cast<double>(n);
  });
  // The sum of n equal numbers has up to n rounding errors.
  const double relative =
      std::max(1e-12, static_cast<double>(n) * std::numeric_limits<double>::epsilon());
  for (size_t j = 0; j < mean_.size(); ++j) {
    const double rounding = relative * std::fabs(mean_[j]);
    deviation_[j] = std::sqrt(deviation_[j]);
    if (deviation_[j] <= rounding) deviation_[j] = 1;
  }
}

Tensor Standardiser::operator()(const Tensor& x) const {
  check_shape(x.shape().rank() == 2 && x.shape()[1] == static_cast<int64_t>(mean_.size()),
              "standardise: expected x (n, ", mean_.size(), "), got ", x.shape());
  const Tensor result = x.to(DType::f64).clone();
  const auto d = static_cast<int64_t>(mean_.size());
  for (int64_t i = 0; i < x.shape()[0]; ++i) {
    double* row = result.data<double>() + i * d;
    for (int64_t j = 0; j < d; ++j) row[j] = (row[j] - mean_[j]) / deviation_[j];
  }
  return result;
}

}  // namespace heed
