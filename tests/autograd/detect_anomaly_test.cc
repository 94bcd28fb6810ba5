// DetectAnomaly names the op that makes the first number that is not finite.
#include "autograd/anomaly.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/composed.h"
#include "autograd/discrete.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

Var vector_of(const std::vector<double>& values) {
  const auto n = static_cast<int64_t>(values.size());
  return Var::parameter(Tensor::from(values, {n}));
}

TEST(Anomaly, AllFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(all_finite(Tensor()));
  EXPECT_TRUE(all_finite(Tensor::from(std::vector<int32_t>{1, 2})));
  EXPECT_TRUE(
      all_finite(Tensor::from(std::vector<double>{1e300, -1e300}, {2})));  // squares are not
  EXPECT_TRUE(all_finite(Tensor::from(std::vector<float>{3e38f}, {1})));
  EXPECT_FALSE(all_finite(Tensor::from(std::vector<double>{1, inf}, {2})));
  EXPECT_FALSE(all_finite(Tensor::from(std::vector<float>{std::nanf(""), 1}, {2})));
}

TEST(Anomaly, TheOpOfTheForwardPass) {
  const Var x = vector_of({1, 1000});
  EXPECT_TRUE(std::isinf(sum(exp(x)).value().item()));  // nothing is said without a DetectAnomaly
  const DetectAnomaly detect;
  EXPECT_EQ(error_of<AnomalyError>([&] { (void)sum(exp(x) + x); }),
            "anomaly: exp made the first number that is not finite, in the forward pass: its value "
            "(2), from finite inputs");
  const Var bad = vector_of({1, std::nan("")});
  EXPECT_EQ(error_of<AnomalyError>([&] { (void)(x + bad); }),
            "anomaly: add was given a number that is not finite: its input 2 of 2, parameter (2)");
}

TEST(Anomaly, TheOpOfTheBackwardPass) {
  const Var x = vector_of({0, 4});
  const DetectAnomaly detect;
  const Var loss = sum(sqrt(x));  // finite; d sqrt(0) is not
  EXPECT_EQ(error_of<AnomalyError>([&] { loss.backward(); }),
            "anomaly: sqrt made the first gradient that is not finite, in the backward pass: of "
            "its input 1 of 1, parameter (2)");
}

TEST(Anomaly, GradientsWhoseSumIsNotFinite) {
  const Var w = Var::parameter(Tensor::full({1, 1}, 0.1));
  const Tensor x = Tensor::full({2, 1}, 3e38);
  const DetectAnomaly detect;
  const Var loss = sum(affine(Var(x), w));  // 6e37, and its gradient would be 6e38
  const std::string error = error_of<AnomalyError>([&] { loss.backward(); });
  EXPECT_EQ(error,
            "anomaly: the gradients that reach parameter (1, 1) are finite, their sum is not");
}

TEST(Anomaly, OnlyWhileItLives) {
  const Var x = vector_of({1000});
  {
    const DetectAnomaly outer;
    {
      const DetectAnomaly off(false);
      (void)exp(x);
    }
    EXPECT_TRUE(DetectAnomaly::active());
  }
  EXPECT_FALSE(DetectAnomaly::active());
  (void)exp(x);
}

// What is asked for is no anomaly: a mask of -infinity, and that of ops that are made of others.
TEST(Anomaly, AMaskIsNone) {
  const double inf = std::numeric_limits<double>::infinity();
  const Var x = vector_of({1, 2, 3});
  const Tensor mask = Tensor::from(std::vector<int32_t>{0, 1, 0});
  const DetectAnomaly detect;
  sum(square(softmax(masked_fill(x, mask, -inf)))).backward();
  sum(logsumexp(x, 0)).backward();
  EXPECT_EQ(categorical(masked_fill(x, mask, -inf), {.seed = 1}).numel(), 1);
  EXPECT_TRUE(DetectAnomaly::active());
  EXPECT_EQ(
      error_of<AnomalyError>([&] { (void)exp(masked_fill(x, mask, inf)); }),
      "anomaly: exp was given a number that is not finite: its input 1 of 1, masked_fill (3)");
  const Var narrow = Var::parameter(Tensor::of({1, 2, 3}));
  EXPECT_EQ(error_of<AnomalyError>([&] { (void)masked_fill(narrow, mask, 1e300); }),
            "anomaly: masked_fill was given a number that is not finite: its input 1 of 2, "
            "constant (3)");
}

}  // namespace
}  // namespace heed
