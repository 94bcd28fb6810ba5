#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// Transforms each dimension to mean 0 and variance 1 on the training data: (x - mean) / deviation.
// A dimension that is constant there becomes x - mean.
class Standardiser {
 public:
  explicit Standardiser(const Tensor& train);  // f32 or f64 (n, d), n > 0
  Tensor operator()(const Tensor& x) const;    // f32 or f64 (m, d) -> f64 (m, d)

 private:
  std::vector<double> mean_, deviation_;
};

}  // namespace heed
