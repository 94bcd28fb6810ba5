// Principal components: the directions in which representations vary most (Pearson 1901), as in
// Figures 2 and 4 of Parthasarathi, Pineau & Chandar (2020).
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed {

// For rows x_1 .. x_n in R^d, the first k eigenvectors v_1 .. v_k of the covariance
//   C = 1/n sum_i (x_i - mean) (x_i - mean)^T,   the largest eigenvalue first
struct PrincipalComponents {
  std::vector<double> mean;      // (d)
  Tensor directions;             // f64 (k, d), orthonormal rows
  std::vector<double> variance;  // (k): v . C v; the eigenvalues if above 0
  double total = 0;              // trace of C: the variance of all dimensions together

  // f64 (n, k): (x_i - mean) . v_j of f32 or f64 rows x (n, d)
  Tensor coordinates(const Tensor& x) const;
};

// x f32 or f64 (n, d), n > 0; 0 < count <= d. By Eigen (SelfAdjointEigenSolver); directions of
// equal variance are an arbitrary basis of their space. The number of a direction that is largest
// in size is positive. The same for any number of threads; the last bits depend on the processor
// that heed was compiled for (HEED_CPU) and on the product's kernels (heed --version). If x is not
// finite (after training diverged), variances are NaN and directions 0. Throws ShapeError.
PrincipalComponents principal_components(const Tensor& x, int64_t count);

}  // namespace heed
