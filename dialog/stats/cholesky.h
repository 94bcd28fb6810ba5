#pragma once

#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

// A function that makes A^-1 b of b, of a symmetric, positive definite matrix A, f64 (n, n), whose
// upper triangle is not read: by Eigen (LLT), A = L L^T. If rounding makes a pivot too small, the
// diagonal of A is increased by 1e-14 of itself, then tenfold until there is a factor. The last
// bits depend on the processor that heed was compiled for (HEED_CPU), not on the threads.
std::function<void(std::vector<double>& b)> cholesky_solver(const Tensor& a);

}  // namespace heed
