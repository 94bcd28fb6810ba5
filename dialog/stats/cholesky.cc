#include "dialog/stats/cholesky.h"

#include <Eigen/Cholesky>

namespace heed {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

struct Cholesky::Factor {
  Eigen::LLT<Rows, Eigen::Lower> of;
};

Cholesky::Cholesky(const Tensor& a) {
  const int64_t n = a.shape()[0];
  check_shape(a.shape().rank() == 2 && a.shape()[1] == n, "cholesky: expected (n, n), got ",
              a.shape());
  Rows matrix = Eigen::Map<const Rows>(a.data<double>(), n, n);
  const Eigen::VectorXd diagonal = matrix.diagonal().cwiseAbs();
  const auto made = std::make_shared<Factor>();
  made->of.compute(matrix);
  for (double more = 1e-14; made->of.info() != Eigen::Success && more < 1; more *= 10) {
    matrix.diagonal() += more * diagonal;
    made->of.compute(matrix);
  }
  factor_ = made;
}

void Cholesky::solve(std::vector<double>& b) const {
  Eigen::Map<Eigen::VectorXd> x(b.data(), std::ssize(b));
  factor_->of.solveInPlace(x);
}

}  // namespace heed
