#include "dialog/stats/principal_components.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "tensor/matrix.h"

namespace heed {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<double> mean_of(const Tensor& wide) {
  const int64_t n = wide.shape()[0], d = wide.shape()[1];
  std::vector<double> mean(d);
  for (int64_t i = 0; i < n * d; ++i) mean[i % d] += wide.data<double>()[i];
  for (double& m : mean) m /= static_cast<double>(n);
  return mean;
}

// f64 rows minus the mean.
Tensor centred(const Tensor& x, const std::vector<double>& mean) {
  const Tensor result = x.to(DType::f64).clone();
  double* const at = result.data<double>();
  const auto d = static_cast<int64_t>(mean.size());
  for (int64_t i = 0; i < x.shape()[0] * d; ++i) at[i] -= mean[i % d];
  return result;
}

// Of rows whose mean is 0.
Tensor covariance_of(const Tensor& rows) {
  const int64_t n = rows.shape()[0], d = rows.shape()[1];
  const Tensor result = Tensor::empty({d, d}, DType::f64);
  gemm(result, Matrix(rows).t(), rows);
  for (int64_t i = 0; i < d * d; ++i) result.data<double>()[i] /= static_cast<double>(n);
  return result;
}

}  // namespace

Tensor PrincipalComponents::coordinates(const Tensor& x) const {
  check_shape(x.shape().rank() == 2 && x.shape()[1] == static_cast<int64_t>(mean.size()),
              "principal components: expected x (n, ", mean.size(), "), got ", x.shape());
  const Tensor result = Tensor::empty({x.shape()[0], directions.shape()[0]}, DType::f64);
  gemm(result, centred(x, mean), Matrix(directions).t());
  return result;
}

PrincipalComponents principal_components(const Tensor& x, int64_t count) {
  check_shape(x.shape().rank() == 2 && x.shape()[0] > 0 && count > 0 && count <= x.shape()[1],
              "principal components: expected x (n, d) with at least ", count,
              " columns and one row, got ", x.shape());
  const int64_t d = x.shape()[1];
  PrincipalComponents result;
  result.mean = mean_of(x.to(DType::f64));
  const Tensor c = covariance_of(centred(x, result.mean));
  const Eigen::Map<const Rows> covariance(c.data<double>(), d, d);
  result.total = covariance.trace();
  result.directions = Tensor::zeros({count, d}, DType::f64);
  result.variance.assign(count, NAN);
  if (!std::isfinite(result.total)) return result;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);  // the smallest first
  Eigen::Map<Rows> directions(result.directions.data<double>(), count, d);
  for (int64_t i = 0; i < count; ++i) {
    const auto v = solver.eigenvectors().col(d - 1 - i);
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    directions.row(i) = v.transpose() * (v[largest] < 0 ? -1 : 1);
    result.variance[i] = v.dot(covariance * v);
  }
  return result;
}

}  // namespace heed
