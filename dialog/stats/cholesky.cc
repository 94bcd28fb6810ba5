#include "dialog/stats/cholesky.h"

#include <algorithm>
#include <cmath>

namespace heed {

Cholesky::Cholesky(const Tensor& a) : size_(a.shape()[0]) {
  check_shape(a.shape().rank() == 2 && a.shape()[1] == size_, "cholesky: expected (n, n), got ",
              a.shape());
  rows_.assign(a.data<double>(), a.data<double>() + a.numel());
  for (int64_t i = 0; i < size_; ++i) {
    double* row = rows_.data() + i * size_;
    const double diagonal = row[i];
    for (int64_t j = 0; j <= i; ++j) {
      const double* other = rows_.data() + j * size_;
      double sum = row[j];
      for (int64_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = j < i ? sum / other[j] : std::sqrt(std::max(sum, 1e-14 * std::fabs(diagonal)));
    }
  }
}

void Cholesky::solve(std::vector<double>& b) const {
  for (int64_t i = 0; i < size_; ++i) {  // L y = b
    const double* row = rows_.data() + i * size_;
    double sum = b[i];
    for (int64_t k = 0; k < i; ++k) sum -= row[k] * b[k];
    b[i] = sum / row[i];
  }
  for (int64_t i = size_ - 1; i >= 0; --i) {  // L^T x = y
    const double* row = rows_.data() + i * size_;
    b[i] /= row[i];
    for (int64_t k = 0; k < i; ++k) b[k] -= row[k] * b[i];
  }
}

}  // namespace heed
