#include "dialog/stats/cholesky.h"

#include <Eigen/Cholesky>
#include <memory>

namespace heed {

std::function<void(std::vector<double>& b)> cholesky_solver(const Tensor& a) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int64_t n = a.shape()[0];
  check_shape(a.shape().rank() == 2 && a.shape()[1] == n, "cholesky: expected (n, n), got ",
              a.shape());
  Rows matrix = Eigen::Map<const Rows>(a.data<double>(), n, n);
  const Eigen::VectorXd diagonal = matrix.diagonal().cwiseAbs();
  const auto factor = std::make_shared<Eigen::LLT<Rows, Eigen::Lower>>();
  factor->compute(matrix);
  for (double more = 1e-14; factor->info() != Eigen::Success && more < 1; more *= 10) {
    matrix.diagonal() += more * diagonal;
    factor->compute(matrix);
  }
  return [factor](std::vector<double>& b) {
    Eigen::Map<Eigen::VectorXd> x(b.data(), std::ssize(b));
    factor->solveInPlace(x);
  };
}

}  // namespace heed
