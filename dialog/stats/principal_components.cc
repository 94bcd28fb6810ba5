#include "dialog/stats/principal_components.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tensor/matrix.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr int64_t kMore = 8;  // directions beside those that are asked for
constexpr int kMaxSteps = 1000;
constexpr double kResidual = 1e-9;

double dot(const double* a, const double* b, int64_t d) {
  return std::inner_product(a, a + d, b, 0.0);
}

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

// Makes the rows orthonormal from the first on (Gram-Schmidt, twice, since once loses digits). A
// row that those before it span becomes the next axis that they do not.
void orthonormalise(const Tensor& rows) {
  const int64_t count = rows.shape()[0], d = rows.shape()[1];
  int64_t axis = 0;
  for (int64_t i = 0; i < count; ++i) {
    double* const row = rows.data<double>() + i * d;
    double before = std::sqrt(dot(row, row, d)), after = 0;
    while (true) {
      for (int pass = 0; pass < 2; ++pass) {
        for (int64_t k = 0; k < i; ++k) {
          const double* other = rows.data<double>() + k * d;
          const double along = dot(row, other, d);
          for (int64_t j = 0; j < d; ++j) row[j] -= along * other[j];
        }
      }
      after = std::sqrt(dot(row, row, d));
      if (after > 1e-12 * before && after > 0) break;
      std::fill_n(row, d, 0.0);
      row[axis++] = before = 1;
    }
    for (int64_t j = 0; j < d; ++j) row[j] /= after;
  }
}

// Turns the rows v and the rows w = v C within the space that v spans so that v C v^T is diagonal,
// the largest first: Jacobi's method on the small matrix.
void diagonalise(const Tensor& v, const Tensor& w) {
  const int64_t count = v.shape()[0], d = v.shape()[1];
  const auto row = [d](const Tensor& t, int64_t i) { return t.data<double>() + i * d; };
  const auto entry = [&](int64_t i, int64_t k) { return dot(row(v, i), row(w, k), d); };
  const auto rotate = [&](const Tensor& t, int64_t i, int64_t k, double c, double s) {
    for (int64_t j = 0; j < d; ++j) {
      const double a = row(t, i)[j], b = row(t, k)[j];
      row(t, i)[j] = c * a - s * b;
      row(t, k)[j] = s * a + c * b;
    }
  };
  for (int sweep = 0; sweep < 3; ++sweep) {  // the steps of the iteration do the rest
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t k = i + 1; k < count; ++k) {
        const double ii = entry(i, i), kk = entry(k, k), ik = entry(i, k);
        if (std::fabs(ik) > 1e-15 * std::sqrt(std::fabs(ii * kk))) {
          const double theta = 0.5 * std::atan2(2 * ik, kk - ii);
          rotate(v, i, k, std::cos(theta), std::sin(theta));
          rotate(w, i, k, std::cos(theta), std::sin(theta));
        }
        if (entry(i, i) >= entry(k, k)) continue;
        std::swap_ranges(row(v, i), row(v, i) + d, row(v, k));
        std::swap_ranges(row(w, i), row(w, i) + d, row(w, k));
      }
    }
  }
}

// The largest |v C - (v C . v) v| of the first rows, over the largest variance.
double residual(const Tensor& v, const Tensor& w, int64_t count) {
  const int64_t d = v.shape()[1];
  const double* const first = v.data<double>();
  const double top = dot(first, w.data<double>(), d);
  double worst = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double *a = first + i * d, *b = w.data<double>() + i * d;
    const double value = dot(a, b, d);
    double square = 0;
    for (int64_t j = 0; j < d; ++j) square += (b[j] - value * a[j]) * (b[j] - value * a[j]);
    worst = std::max(worst, std::sqrt(square));
  }
  return top > 0 ? worst / top : 0;
}

Tensor first_directions(int64_t count, int64_t d) {
  const Tensor rows = Tensor::empty({std::min(d, count + kMore), d}, DType::f64);
  Rng rng(1, "principal components");
  for (int64_t i = 0; i < rows.numel(); ++i) rows.data<double>()[i] = rng.uniform() - 0.5;
  return rows;
}

// Of rows whose mean is 0.
Tensor covariance_of(const Tensor& rows) {
  const int64_t n = rows.shape()[0], d = rows.shape()[1];
  const Tensor result = Tensor::empty({d, d}, DType::f64);
  gemm(result, Matrix(rows).t(), rows);
  for (int64_t i = 0; i < d * d; ++i) result.data<double>()[i] /= static_cast<double>(n);
  return result;
}

// Directions v as rows, the first `count` of them eigenvectors, and v C.
std::pair<Tensor, Tensor> iterate(const Tensor& covariance, int64_t count) {
  Tensor v = first_directions(count, covariance.shape()[0]), w = empty_like(v);
  for (int step = 0;; ++step) {
    orthonormalise(v);
    gemm(w, v, covariance);
    diagonalise(v, w);
    if (residual(v, w, count) <= kResidual || step == kMaxSteps) return {v, w};
    std::swap(v, w);
  }
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
  const Tensor covariance = covariance_of(centred(x, result.mean));
  for (int64_t j = 0; j < d; ++j) result.total += covariance.data<double>()[j * d + j];
  result.directions = Tensor::zeros({count, d}, DType::f64);
  result.variance.assign(count, NAN);
  if (!std::isfinite(result.total)) return result;
  const auto [v, w] = iterate(covariance, count);
  for (int64_t i = 0; i < count; ++i) {
    const double* row = v.data<double>() + i * d;
    result.variance[i] = dot(row, w.data<double>() + i * d, d);
    const double largest = *std::max_element(
        row, row + d, [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    for (int64_t j = 0; j < d; ++j) {
      result.directions.data<double>()[i * d + j] = largest < 0 ? -row[j] : row[j];
    }
  }
  return result;
}

}  // namespace heed
