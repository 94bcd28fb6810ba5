#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// Each dimension to mean 0 and variance 1 on what it is made of: (x - mean) / deviation. A
// dimension that does not vary there becomes x - mean.
class Standardiser {
 public:
  explicit Standardiser(const Tensor& train);  // f32 or f64 (n, d), n > 0
  Tensor operator()(const Tensor& x) const;    // f32 or f64 (m, d) -> f64 (m, d)

 private:
  std::vector<double> mean_, deviation_;
};

}  // namespace heed
