// Principal components: known answers.
#include "dialog/stats/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "dialog/stats/standardise.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed {
namespace {

// An orthonormal basis: the columns of the reflection I - 2 u u^T, u = (1, .., d) / |(1, .., d)|.
std::vector<std::vector<double>> basis(int64_t d) {
  double square = 0;
  for (int64_t i = 1; i <= d; ++i) square += static_cast<double>(i * i);
  std::vector<std::vector<double>> columns(d, std::vector<double>(d));
  for (int64_t j = 0; j < d; ++j) {
    for (int64_t i = 0; i < d; ++i) {
      columns[j][i] = (i == j) - 2 * static_cast<double>((i + 1) * (j + 1)) / square;
    }
  }
  return columns;
}

// Rows mean +- s_j h_j: the covariance has the eigenvectors h_j and the eigenvalues s_j^2 / d.
Tensor crosses(const std::vector<double>& scale, double mean) {
  const auto d = static_cast<int64_t>(scale.size());
  const auto h = basis(d);
  std::vector<double> rows;
  for (int64_t j = 0; j < d; ++j) {
    for (const double sign : {1.0, -1.0}) {
      for (int64_t i = 0; i < d; ++i) rows.push_back(mean + sign * scale[j] * h[j][i]);
    }
  }
  return Tensor::from(rows, {2 * d, d});
}

TEST(PrincipalComponents, OfPlantedDirections) {
  constexpr int64_t d = 30;
  std::vector<double> scale(d);
  for (int64_t j = 0; j < d; ++j) scale[j] = 1 + static_cast<double>(7 * j % d) / 10;  // 1 .. 3.9
  const Tensor x = crosses(scale, 5);
  const PrincipalComponents found = principal_components(x, 3);
  const auto h = basis(d);
  for (int64_t k = 0; k < 3; ++k) {
    const double s = 3.9 - 0.1 * static_cast<double>(k);
    int64_t j = 0;
    while (std::fabs(scale[j] - s) > 1e-9) ++j;
    EXPECT_NEAR(found.variance[k], s * s / d, 1e-12);
    double along = 0;
    for (int64_t i = 0; i < d; ++i) along += h[j][i] * found.directions.data<double>()[k * d + i];
    EXPECT_NEAR(std::fabs(along), 1, 1e-9) << k;
    // the rows along this direction, and one along none of the three
    const Tensor at = found.coordinates(x);
    EXPECT_NEAR(std::fabs(at.data<double>()[int64_t{6} * j + k]), s, 1e-7);
    EXPECT_NEAR(at.data<double>()[k], 0, 1e-7);
  }
  double total = 0;
  for (const double s : scale) total += s * s / d;
  EXPECT_NEAR(found.total, total, 1e-12);
  for (const double m : found.mean) EXPECT_NEAR(m, 5, 1e-12);
}

// Signs: the largest number of a direction is positive, so of x and -x the directions are the same.
TEST(PrincipalComponents, SignsDoNotDependOnTheData) {
  const Tensor x = Tensor::of({{3, 0.5}, {-3, -0.5}, {0, 1}, {0, -1}});
  const Tensor minus = Tensor::of({{-3, -0.5}, {3, 0.5}, {0, -1}, {0, 1}});
  const auto a = principal_components(x, 2), b = principal_components(minus, 2);
  EXPECT_EQ(a.directions.to_vector(), b.directions.to_vector());
  EXPECT_GT(a.directions.to_vector()[0], 0);
  EXPECT_GT(a.directions.to_vector()[3], 0);
}

TEST(PrincipalComponents, EqualVariancesAndFewRows) {
  // a square: any two directions at right angles
  const auto square = principal_components(Tensor::of({{1, 0}, {-1, 0}, {0, 1}, {0, -1}}), 2);
  EXPECT_NEAR(square.variance[0], 0.5, 1e-12);
  EXPECT_NEAR(square.variance[1], 0.5, 1e-12);
  // a line in three dimensions, and one row: the rest has no variance
  const auto line = principal_components(Tensor::of({{1, 1, 0}, {2, 2, 0}, {3, 3, 0}}), 3);
  EXPECT_NEAR(line.variance[0], 4.0 / 3, 1e-12);
  EXPECT_NEAR(line.variance[1], 0, 1e-12);
  EXPECT_NEAR(line.variance[2], 0, 1e-12);
  const auto one = principal_components(Tensor::of({{1, 2}}), 1);
  EXPECT_EQ(one.variance[0], 0);
  EXPECT_EQ(one.coordinates(Tensor::of({{1, 2}})).to_vector(), (std::vector<double>{0}));
}

TEST(PrincipalComponents, OfNumbersThatAreNotFinite) {
  const Tensor x = Tensor::of({{1, NAN}, {2, 3}, {4, 5}});
  const auto found = principal_components(x, 2);
  EXPECT_TRUE(std::isnan(found.variance[0]));
  EXPECT_EQ(found.directions.to_vector(), (std::vector<double>(4)));
}

TEST(PrincipalComponents, TheSameForAnyNumberOfThreads) {
  Rng rng(3);
  std::vector<double> values(20'000);
  for (double& v : values) v = rng.uniform();
  const Tensor x = Tensor::from(values, {500, 40}).to(DType::f32);
  set_num_threads(1);
  const auto one = principal_components(x, 2).directions.to_vector();
  set_num_threads(3);
  EXPECT_EQ(principal_components(x, 2).directions.to_vector(), one);
}

TEST(PrincipalComponents, Mistakes) {
  const Tensor x = Tensor::of({{1, 2}, {3, 5}});
  EXPECT_THROW(principal_components(x, 3), ShapeError);
  EXPECT_THROW(principal_components(x, 0), ShapeError);
  EXPECT_THROW(principal_components(Tensor::of({1, 2}), 1), ShapeError);
  EXPECT_THROW((void)principal_components(x, 1).coordinates(Tensor::of({{1, 2, 3}})), ShapeError);
}

// Columns of the deviations 4 and 0.5, whose means are 2 and -1.
TEST(Standardiser, DividesByTheDeviationOfTheTrainingPart) {
  const Standardiser standardise(Tensor::of({{6, -0.5}, {-2, -1.5}}));
  EXPECT_EQ(standardise(Tensor::of({{6, -0.5}, {-2, -1.5}, {4, 1}})).to_vector(),
            (std::vector<double>{1, 1, -1, -1, 0.5, 4}));
}

}  // namespace
}  // namespace heed
