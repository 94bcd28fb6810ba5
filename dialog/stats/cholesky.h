#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

// A = L L^T of a symmetric, positive definite matrix (Golub & Van Loan 2013, 4.2). A pivot that
// rounding made too small is raised, so that there is always a factor: then it is that of a matrix
// near A.
class Cholesky {
 public:
  explicit Cholesky(const Tensor& a);        // f64 (n, n); the upper triangle is not read
  void solve(std::vector<double>& b) const;  // b becomes A^-1 b

 private:
  int64_t size_;
  std::vector<double> rows_;  // of L, each with its n elements
};

}  // namespace heed
