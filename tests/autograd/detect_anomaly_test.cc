// DetectAnomaly names the op that makes the first number that is not finite.
#include "autograd/anomaly.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autograd/composed.h"
#include "autograd/discrete.h"
#include "nn/losses.h"
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

// lstm() and gru() compute the gates in the memory of the input.
TEST(Anomaly, TheInputOfARecurrence) {
  const Packing two({2});
  const Var x = Tensor::ones({2, 1}), w = Tensor::ones({4, 1});
  const Var bad = Var::parameter(Tensor::full({4, 1}, std::nan(""))),
            bad_gru = Var::parameter(Tensor::full({3, 1}, std::nan("")));
  const DetectAnomaly detect;
  const std::string given = " was given a number that is not finite: its input 2 of 4, parameter ";
  EXPECT_EQ(error_of<AnomalyError>([&] { (void)lstm(two, affine(x, w), bad); }),
            "anomaly: lstm" + given + "(4, 1)");
  EXPECT_EQ(error_of<AnomalyError>([&] { (void)gru(two, affine(x, rows(w, 0, 3)), bad_gru); }),
            "anomaly: gru" + given + "(3, 1)");
}

// What is asked for is no anomaly: a mask of -infinity, and that of ops that are made of others.
TEST(Anomaly, AMaskIsNone) {
  const double inf = std::numeric_limits<double>::infinity();
  const Var x = vector_of({1, 2, 3});
  const Tensor mask = Tensor::from(std::vector<int32_t>{0, 1, 0});
  const DetectAnomaly detect;
  const Var masked = masked_fill(x, mask, -inf);
  sum(square(softmax(masked))).backward();
  sum(logsumexp(x, 0)).backward();
  sum(exp(log_softmax(masked_fill(x, mask, -inf)))).backward();
  logsumexp(masked_fill(x, mask, -inf), 0).backward();
  sum(kl_divergence(masked_fill(x, mask, -inf), masked_fill(2 * x, mask, -inf))).backward();
  sum(gumbel_softmax(masked_fill(x, mask, -inf), 1, {.seed = 1})).backward();
  EXPECT_EQ((masked + 1).value().to_vector(), (std::vector<double>{2, -inf, 4}));
  EXPECT_EQ(transpose(stack({masked, masked}), 0, 1).value().at({1, 0}), -inf);
  EXPECT_EQ(top_k(masked, 3).values.value().at({2}), -inf);
  EXPECT_EQ(where(mask, x, -inf).value().to_vector(), (std::vector<double>{-inf, 2, -inf}));
  EXPECT_EQ(categorical(masked_fill(x, mask, -inf), {.seed = 1}).numel(), 1);
  EXPECT_TRUE(DetectAnomaly::active());
}

// What an infinity does where none is wanted.
TEST(Anomaly, AnInfinityMakesNoNaNAndNoLoss) {
  const double inf = std::numeric_limits<double>::infinity();
  const Var x = vector_of({1, 2}), bad = vector_of({std::nan(""), 1});
  const Var masked = masked_fill(x, Tensor::from({0, 1}), -inf);
  const DetectAnomaly detect;
  EXPECT_EQ(error_of<AnomalyError>([&] { (void)(masked - masked); }),
            "anomaly: sub made the first number that is not finite, in the forward pass: its value "
            "(2), NaN from infinite inputs");
  EXPECT_EQ(error_of<AnomalyError>([&] { sum(masked).backward(); }),
            "anomaly: the loss is not finite; an infinite input has reached it");
  const auto named = [&](const auto& call) {
    return error_of<AnomalyError>([&] { (void)call(); });
  };
  const std::string given = " was given a number that is not finite: its input ";
  EXPECT_EQ(named([&] { return logsumexp(bad, 0); }),
            "anomaly: logsumexp" + given + "1 of 1, constant (2)");
  EXPECT_EQ(named([&] { return gumbel_softmax(bad, 1, {.seed = 1}); }),
            "anomaly: gumbel_softmax" + given + "1 of 2, parameter (2)");
  const Var row = Tensor::from(std::vector<double>{std::nan("")}, {1});
  EXPECT_EQ(named([&] { return x + row; }), "anomaly: add" + given + "1 of 1, constant (1)");
}

}  // namespace
}  // namespace heed
