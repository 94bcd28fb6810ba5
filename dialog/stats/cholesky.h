#pragma once

#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

// A = L L^T of a symmetric, positive definite matrix, by Eigen (LLT). If rounding makes a pivot too
// small, the diagonal of A is increased by 1e-14 of itself, then tenfold until there is a factor.
// The last bits depend on the processor that heed was compiled for (HEED_CPU), not on the threads.
class Cholesky {
 public:
  explicit Cholesky(const Tensor& a);        // f64 (n, n); the upper triangle is not read
  void solve(std::vector<double>& b) const;  // b becomes A^-1 b

 private:
  struct Factor;
  std::shared_ptr<const Factor> factor_;
};

}  // namespace heed
