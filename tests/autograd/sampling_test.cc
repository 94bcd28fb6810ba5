// Random tensors, gumbel_softmax() and categorical(): the same numbers everywhere, from the right
// distributions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "autograd/discrete.h"
#include "autograd/ops.h"
#include "tensor/parallel.h"
#include "tensor/random_tensor.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

constexpr RandomKey kKey{3, purpose_id("sampling"), 1};

// n rows with the same logits.
Tensor rows_of(const std::vector<double>& logits, int64_t n, Device device = {}) {
  const Tensor row = Tensor::from(logits, {1, static_cast<int64_t>(logits.size())});
  return expand(row, {n, row.shape()[1]}).value().to(device);
}

std::vector<double> shares(const std::vector<int32_t>& drawn, size_t classes) {
  std::vector<double> share(classes);
  for (int32_t c : drawn) share[c] += 1.0 / static_cast<double>(drawn.size());
  return share;
}

TEST(RandomTensors, TheSameOnEveryDeviceAndForAnyNumberOfThreads) {
  using Draw = std::function<Tensor(DType, Device)>;
  const std::vector<Draw> draws = {[](DType t, Device d) {
                                     return uniform({3, 9001}, -1, 2, kKey, t, d);
                                   },
                                   [](DType t, Device d) {
                                     return normal({3, 9001}, 1, 2, kKey, t, d);
                                   },
                                   [](DType t, Device d) {
                                     return gumbel({3, 9001}, kKey, t, d);
                                   }};
  for (const Draw& draw : draws) {
    for (DType dtype : {DType::f32, DType::f64}) {
      set_num_threads(1);
      const std::vector<double> one = draw(dtype, {}).to_vector();
      set_num_threads(4);
      EXPECT_EQ(draw(dtype, {}).to_vector(), one);
      set_num_threads(0);
      if (!has_cuda()) continue;
      const Tensor there = draw(dtype, kCuda);
      EXPECT_EQ(there.device(), kCuda);
      const std::vector<double> got = there.to_vector();
      for (size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(got[i], one[i], 2e-6);
    }
  }
}

// Mean 0.5772 (Euler's constant), variance pi^2 / 6, finite at both ends.
TEST(RandomTensors, GumbelMoments) {
  const std::vector<double> g = gumbel({400'000}, kKey, DType::f64).to_vector();
  double mean = 0, variance = 0;
  for (double v : g) mean += v / 4e5;
  for (double v : g) variance += (v - mean) * (v - mean) / 4e5;
  EXPECT_NEAR(mean, 0.5772157, 0.01);
  EXPECT_NEAR(variance, std::acos(-1) * std::acos(-1) / 6, 0.02);
  EXPECT_GT(*std::min_element(g.begin(), g.end()), -2.9);
  EXPECT_LT(*std::max_element(g.begin(), g.end()), 17.4);
}

TEST(Categorical, DrawsWithTheProbabilities) {
  const std::vector<double> p{0.5, 0.3, 0.15, 0.05};
  std::vector<double> logits;
  for (double v : p) logits.push_back(std::log(v) + 3);
  for (Device device : test_devices()) {
    const Tensor drawn = categorical(rows_of(logits, 100'000, device), kKey);
    EXPECT_EQ(drawn.dtype(), DType::i32);
    EXPECT_EQ(drawn.device(), device);
    const std::vector<double> share = shares(drawn.to_ints(), 4);
    for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(share[c], p[c], 0.006) << c;
  }
}

TEST(Categorical, IsAFunctionOfTheKey) {
  const Tensor logits = rows_of({0, 0, 0}, 50);
  EXPECT_EQ(categorical(logits, kKey).to_ints(), categorical(logits, kKey).to_ints());
  EXPECT_NE(categorical(logits, kKey).to_ints(),
            categorical(logits, {4, kKey.purpose, kKey.step}).to_ints());
}

TEST(Categorical, NeverDrawsWhatIsImpossible) {
  const Tensor logits = rows_of({-INFINITY, 0, -INFINITY}, 1000);
  EXPECT_EQ(categorical(logits, kKey).to_ints(), std::vector<int32_t>(1000, 1));
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)categorical(Tensor::zeros({3, 0}), kKey);
            }),
            "categorical: needs a last axis that is not empty, got (3, 0)");
}

TEST(Categorical, NeverDrawsANan) {
  for (Device device : test_devices()) {
    const std::vector<int32_t> drawn =
        categorical(rows_of({NAN, 0, -INFINITY}, 1000, device), kKey).to_ints();
    EXPECT_EQ(drawn, std::vector<int32_t>(1000, 1));
  }
}

TEST(GumbelSoftmax, HardIsOneHotOfWhatCategoricalDraws) {
  for (Device device : test_devices()) {
    const Tensor logits = rows_of({1, 0, -1}, 200, device);
    const Tensor hard = gumbel_softmax(logits, 0.5, kKey, /*hard=*/true).value();
    EXPECT_EQ(hard.to_vector(), one_hot(categorical(logits, kKey), 3, DType::f64).to_vector());
  }
}

TEST(GumbelSoftmax, HardHasTheGradientOfSoft) {
  for (Device device : test_devices()) {
    const Var weights = uniform({20, 3}, -1, 1, kKey, DType::f64).to(device);
    const auto gradient = [&](bool hard) {
      const Var x = Var::parameter(rows_of({1, 0, -1}, 20, device));
      sum(weights * gumbel_softmax(x, 0.5, kKey, hard)).backward();
      return x.grad().to_vector();
    };
    EXPECT_EQ(gradient(true), gradient(false));
  }
}

// The colder, the nearer to one-hot.
TEST(GumbelSoftmax, TemperatureDecidesHowSoft) {
  const auto mean_of_largest = [](double temperature) {
    return mean(max(gumbel_softmax(rows_of({1, 0, -1}, 500), temperature, kKey), 1)).value().item();
  };
  EXPECT_GT(mean_of_largest(0.01), 0.98);
  EXPECT_LT(mean_of_largest(100), 0.36);
}

}  // namespace
}  // namespace heed
