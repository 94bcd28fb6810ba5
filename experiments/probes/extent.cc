#include "experiments/probes/extent.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed {
namespace {

using Vector = std::vector<double>;

// Rows minus their mean.
Vector centred(const Tensor& x) {
  const int64_t n = x.shape()[0], d = x.shape()[1];
  const float* values = x.data<float>();
  Vector mean(d), result(values, values + n * d);
  for (int64_t i = 0; i < n * d; ++i) mean[i % d] += result[i] / static_cast<double>(n);
  for (int64_t i = 0; i < n * d; ++i) result[i] -= mean[i % d];
  return result;
}

// X v
Vector project(const Vector& x, const Vector& v) {
  Vector result(x.size() / v.size());
  for (size_t i = 0; i < result.size(); ++i) {
    for (size_t j = 0; j < v.size(); ++j) result[i] += x[i * v.size() + j] * v[j];
  }
  return result;
}

// X^T y, of length 1 (0 stays 0)
Vector back(const Vector& x, const Vector& y, size_t d) {
  Vector result(d);
  for (size_t i = 0; i < y.size(); ++i) {
    for (size_t j = 0; j < d; ++j) result[j] += x[i * d + j] * y[i];
  }
  double square = 0;
  for (const double value : result) square += value * value;
  for (double& value : result) value /= square > 0 ? std::sqrt(square) : 1;
  return result;
}

}  // namespace

Extent extent_of(const Tensor& x) {
  constexpr int kSteps = 30;
  const auto n = static_cast<size_t>(x.shape()[0]), d = static_cast<size_t>(x.shape()[1]);
  Extent extent;
  for (size_t i = 0; i < n; ++i) {
    double square = 0;
    for (size_t j = 0; j < d; ++j) {
      const double value = x.data<float>()[i * d + j];
      square += value * value;
    }
    extent.length += std::sqrt(square) / static_cast<double>(n);
  }
  const Vector rows = centred(x);
  Vector v(d);
  for (size_t j = 0; j < d; ++j) v[j] = 1 + 0.5 * std::sin(static_cast<double>(j));
  for (int step = 0; step < kSteps; ++step) v = back(rows, project(rows, v), d);
  const Vector along = project(rows, v);
  const auto [low, high] = std::minmax_element(along.begin(), along.end());
  extent.range = *high - *low;
  return extent;
}

}  // namespace heed
