#include "labs/10-speed/kernels/by_eigen.h"

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define HEED_LAB_EIGEN
#endif

namespace heed::lab {

#ifdef HEED_LAB_EIGEN

bool have_eigen() {
  return true;
}

void product_by_eigen(float* c, const float* a, const float* b, int64_t m, int64_t n, int64_t k) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix>(c, m, n).noalias() =
      Eigen::Map<const Matrix>(a, m, k) * Eigen::Map<const Matrix>(b, k, n);
}

#else

bool have_eigen() {
  return false;
}

void product_by_eigen(float*, const float*, const float*, int64_t, int64_t, int64_t) {}

#endif

}  // namespace heed::lab
