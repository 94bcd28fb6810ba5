// Functions of each element, for the checks of lab 3.
#pragma once

#include "labs/support/check.h"

namespace heed::lab {

using Values = std::vector<double>;

inline Tensor map(const Tensor& x, const std::function<double(double)>& f) {
  Values values = x.to_vector();
  for (double& value : values) value = f(value);
  return Tensor::from(values, x.shape());
}

inline Tensor product(const Tensor& a, const Tensor& b) {
  Values values = a.to_vector();
  const Values others = b.to_vector();
  for (size_t i = 0; i < values.size(); ++i) values[i] *= others[i];
  return Tensor::from(values, a.shape());
}

inline Tensor ones(const Shape& shape) {
  return Tensor::full(shape, 1, DType::f64);
}

// Numbers away from 0, so that their cubes' slopes are not small.
inline Tensor away_from_zero(Draw& draw, Shape shape) {
  return map(draw.normal(shape), [](double v) { return v < 0 ? v - 0.5 : v + 0.5; });
}

}  // namespace heed::lab
