// Principal components: the directions in which representations differ most (Pearson 1901). What
// Parthasarathi, Pineau & Chandar (2020) draw in their Figures 2 and 4.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// Of rows x_1 .. x_n in R^d, the first k eigenvectors v_1 .. v_k of the covariance
//   C = 1/n sum_i (x_i - mean) (x_i - mean)^T,   the largest eigenvalue first
struct PrincipalComponents {
  std::vector<double> mean;      // (d)
  Tensor directions;             // f64 (k, d), rows of length 1 at right angles
  std::vector<double> variance;  // (k): v . C v; above 0 the eigenvalues
  double total = 0;              // trace of C: the variance of all dimensions together

  // f64 (n, k): (x_i - mean) . v_j of f32 or f64 rows x (n, d)
  Tensor coordinates(const Tensor& x) const;
};

// x f32 or f64 (n, d), n > 0; 0 < count <= d. By Eigen (SelfAdjointEigenSolver); directions of the
// same variance are any that span their space. The largest number of a direction, by size, is
// positive. The same for any number of threads; the last bits depend on the processor that heed was
// compiled for (HEED_CPU) and on that of the product (heed --version). Of an x that is not finite
// (of a training that diverged) variances are NaN and directions 0. Throws ShapeError.
PrincipalComponents principal_components(const Tensor& x, int64_t count);

}  // namespace heed
