// What tests of the graph need: parameters and matrices of given numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/var.h"

namespace heed {

inline Var scalar(double value) {
  return Var::parameter(Tensor::full({}, value, DType::f64));
}

inline Tensor matrix(const std::vector<double>& values, int64_t rows) {
  const int64_t cols = static_cast<int64_t>(values.size()) / rows;
  return Tensor::from(values, {rows, cols});
}

}  // namespace heed
