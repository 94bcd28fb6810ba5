// The losses of nn/losses.h: known answers, gradients, and logits that are far from 0.
#include "nn/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "autograd/gradcheck.h"
#include "tensor/random_tensor.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Values = std::vector<double>;

Tensor column(const Values& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

void expect_values(const Var& got, const Values& want, double tolerance = 1e-12) {
  const Values values = got.value().to_vector();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(values[i], want[i], tolerance) << i;
}

// Gradients of inputs of one shape, drawn from [-2, 2).
void expect_gradients(const std::function<Var(const std::vector<Var>&)>& loss, size_t inputs,
                      Shape shape = {4, 3}) {
  std::vector<Tensor> x;
  for (size_t i = 0; i < inputs; ++i) x.push_back(uniform(shape, -2, 2, {i, 1}, DType::f64));
  const GradCheck check = check_gradient(loss, x);
  EXPECT_LT(check.max_error, 1e-6) << check.worst;
}

TEST(Losses, WeightedCrossEntropy) {
  const Var logits = Tensor::from(Values{0, std::log(3.0), 0, std::log(3.0)}, {2, 2});
  const Tensor targets = Tensor::from({1, 0});
  expect_values(weighted_cross_entropy(logits, targets, column({10, 2})),
                {-2 * std::log(0.75), -10 * std::log(0.25)});
  // smoothed by 0.2: 0.9 of the target, 0.1 of the other one
  const double a = -std::log(0.75), b = -std::log(0.25);
  expect_values(weighted_cross_entropy(logits, targets, column({10, 2}), 0.2),
                {2 * (0.9 * a + 0.1 * b), 10 * (0.9 * b + 0.1 * a)});
  expect_gradients(
      [&](const std::vector<Var>& in) {
        return weighted_cross_entropy(in[0], Tensor::from({0, 2, 1, 1}), column({1, 2, 3}), 0.1);
      },
      1);
  EXPECT_EQ(
      error_of<ShapeError>([&] { (void)weighted_cross_entropy(logits, targets, column({1})); }),
      "weighted_cross_entropy: class weights (1) do not fit logits (2, 2)");
}

// The optimum of a smoothed loss is the smoothed distribution, not certainty.
TEST(Losses, LabelSmoothingIsLeastAtTheSmoothedDistribution) {
  const Tensor target = Tensor::from({1});
  const auto loss_and_slope = [&](const Values& p) {
    const Var logits = Var::parameter(log(column(p).reshape({1, 3})).value());
    const Var loss = cross_entropy(logits, target, 0.3);
    sum(loss).backward();
    return std::pair(loss.value().item(), logits.grad().to_vector());
  };
  const auto [least, slope] = loss_and_slope({0.1, 0.8, 0.1});
  EXPECT_NEAR(least, -0.8 * std::log(0.8) - 0.2 * std::log(0.1), 1e-12);
  for (double s : slope) EXPECT_NEAR(s, 0, 1e-12);
  EXPECT_GT(loss_and_slope({0.001, 0.998, 0.001}).first, least);
}

TEST(Losses, SmoothedFusedLossKeepsTheTrueNll) {
  const Var x = uniform({5, 3}, -1, 1, {1, 1}, DType::f64);
  const Var w = uniform({4, 3}, -1, 1, {1, 2}, DType::f64);
  const Tensor targets = Tensor::from({0, 1, 2, 3, 1});
  const CrossEntropy fused = linear_cross_entropy(x, w, targets, 0.3);
  expect_values(fused.nll, cross_entropy(affine(x, w), targets).value().to_vector());
  expect_values(fused.total, sum(cross_entropy(affine(x, w), targets, 0.3)).value().to_vector());
}

// A batch of no rows leaves no mark, whatever the memory held that its gradient gets.
TEST(Losses, OfNoRows) {
  for (const Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Var w = Var::parameter(uniform({64, 32}, -1, 1, {1, 2}, DType::f64).to(device));
    { const Tensor used = Tensor::full({64, 32}, NAN, DType::f64, device); }
    const Tensor none = Tensor::from(std::vector<int32_t>{}, device);
    const CrossEntropy loss =
        linear_cross_entropy(Var(Tensor::zeros({0, 32}, DType::f64, device)), w, none);
    EXPECT_EQ(loss.total.value().item(), 0);
    loss.total.backward();
    for (const double g : w.grad().to_vector()) ASSERT_EQ(g, 0);
  }
}

TEST(Losses, BinaryCrossEntropy) {
  const Var x = column({0, std::log(3.0), 0, std::log(3.0)}), t = column({1, 1, 0, 0.5});
  const double soft = -0.5 * std::log(0.75) - 0.5 * std::log(0.25);
  expect_values(binary_cross_entropy(x, t), {std::log(2.0), -std::log(0.75), std::log(2.0), soft});
  expect_values(binary_cross_entropy(x, t, 3),
                {3 * std::log(2.0), -3 * std::log(0.75), std::log(2.0),
                 -1.5 * std::log(0.75) - 0.5 * std::log(0.25)});
  expect_gradients(
      [](const std::vector<Var>& in) { return binary_cross_entropy(in[0], sigmoid(in[1]), 2); }, 2);
  EXPECT_EQ(error_of<ShapeError>([&] { (void)binary_cross_entropy(x, column({1})); }),
            "binary_cross_entropy: shapes differ, (4) and (1)");
  for (const double target : {1.5, -0.25, double{NAN}}) {  // 0 to 1, and no class
    const Var targets = column({1, 1, target, 0});
    EXPECT_EQ(error_of<ShapeError>([&] { (void)binary_cross_entropy(x, targets); }),
              "binary_cross_entropy: a target is " + text(target) + ", expected numbers in [0, 1]");
    EXPECT_THROW(
        (void)binary_cross_entropy(x.value().to(DType::f32), targets.value().to(DType::f32)),
        ShapeError);
  }
  for (const double weight : {-1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_EQ(error_of<UsageError>([&] { (void)binary_cross_entropy(x, t, weight); }),
              "binary_cross_entropy: needs a finite positive_weight >= 0, got " + text(weight));
  }
}

TEST(Losses, NameThemselves) {
  const Var x = column({1, 2}), i = Tensor::of({1, 2}, DType::i32);
  const std::string integers = ": element type i32: expected f32 or f64";
  const auto error = [](const auto& call) { return error_of<ShapeError>([&] { (void)call(); }); };
  EXPECT_EQ(error([&] { return hinge(x, i); }), "hinge" + integers);
  EXPECT_EQ(error([&] { return binary_cross_entropy(i, i); }), "binary_cross_entropy" + integers);
  EXPECT_EQ(error([&] { return huber(x.value().to(DType::f32), x); }),
            "huber: element types differ, f32 and f64");
  EXPECT_EQ(error([&] { return margin_ranking(i, x); }), "margin_ranking" + integers);
  EXPECT_EQ(error([&] {
              return margin_ranking(x, column({1, 2, 3}));
            }),
            "margin_ranking: shapes do not broadcast, (2) and (3)");
  EXPECT_EQ(error([&] {
              return weighted_cross_entropy(x.value().reshape({1, 2}), Tensor::from({0}), i);
            }),
            "weighted_cross_entropy" + integers);
  const auto weighted = [&](const Tensor& targets) {
    return error([&] {
      return weighted_cross_entropy(x.value().reshape({1, 2}), targets, x.value());
    });
  };
  EXPECT_EQ(weighted(Tensor::from({5})), "weighted_cross_entropy: id 5 is outside of [0, 2)");
  EXPECT_EQ(weighted(Tensor::from({0, 1})),
            "weighted_cross_entropy: targets (2) do not fit logits (1, 2)");
}

TEST(Losses, BinaryCrossEntropyOfFarLogits) {
  const Var x = Var::parameter(column({1000, -1000, 30, -1000, 0}).to(DType::f32));
  const Var loss = binary_cross_entropy(x, column({1, 0, 1, 1, 1}).to(DType::f32));
  sum(loss).backward();
  expect_values(loss, {0, 0, 9.357623e-14, 1000, std::log(2.0)}, 1e-7);
  EXPECT_NEAR(loss.value().to_vector()[2] / std::exp(-30.0), 1, 1e-5);  // nothing cancels
  const Values slopes = x.grad().to_vector(), want{0, 0, -std::exp(-30.0), -1, -0.5};
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(slopes[i], want[i], 1e-12) << i;
}

// Targets of hinge(), 1 and -1 by turns.
Var signs(const Var& x) {
  std::vector<double> values(x.shape().numel(), 1);
  for (size_t i = 1; i < values.size(); i += 2) values[i] = -1;
  return Tensor::from(values, x.shape()).to(x.device());
}

TEST(Losses, Hinge) {
  const Var x = column({2, 0.5, -0.5, -2}), t = column({1, 1, 1, -1});
  expect_values(hinge(x, t), {0, 0.5, 1.5, 0});
  expect_values(hinge(x, t, 3), {1, 2.5, 3.5, 1});
  expect_gradients([&](const std::vector<Var>& in) { return hinge(in[0], signs(in[0])); }, 1);
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)hinge(x, column({1, 0, 1, 0}));
            }),
            "hinge: a target is 0, expected -1 or 1");
}

TEST(Losses, MarginRanking) {
  expect_values(margin_ranking(column({3, 1}), column({1, 2})), {0, 2});
  const Var one = column({3}), many = column({1, 2.5, 4});
  expect_values(margin_ranking(one, many), {0, 0.5, 2});
  expect_gradients([](const std::vector<Var>& in) { return margin_ranking(in[0], in[1]); }, 2);
}

TEST(Losses, TripletMargin) {
  const Var a = Tensor::from(Values{0, 0, 1, 1}, {2, 2});
  const Var p = Tensor::from(Values{3, 4, 1, 1}, {2, 2});
  const Var n = Tensor::from(Values{0, 2, 1, 3}, {2, 2});
  expect_values(triplet_margin(a, p, n, 0.5), {0.5 + 5 - 2, 0}, 1e-5);
  expect_gradients([](const std::vector<Var>& in) { return triplet_margin(in[0], in[1], in[2]); },
                   3);
  const Var same =
      Var::parameter(a.value());  // a distance of 0 has no slope, but a finite one here
  sum(triplet_margin(same, same, n)).backward();
  for (double slope : same.grad().to_vector()) EXPECT_TRUE(std::isfinite(slope));
}

TEST(Losses, KlDivergence) {
  const Var p = log(Tensor::from(Values{0.5, 0.5, 1, 1}, {2, 2}));  // as logits: up to a constant
  const Var q = log(Tensor::from(Values{0.9, 0.1, 5, 5}, {2, 2}));
  expect_values(kl_divergence(p, q), {0.5 * std::log(0.5 / 0.9) + 0.5 * std::log(0.5 / 0.1), 0});
  expect_gradients([](const std::vector<Var>& in) { return kl_divergence(in[0], in[1]); }, 2);
  const Var far = Tensor::from(std::vector<float>{1000, -1000}, {1, 2});
  EXPECT_EQ(kl_divergence(far, far).value().item(), 0);
}

// Classes that are masked (-infinity) add 0 ln(0 / q) = 0, also to the gradients.
TEST(Losses, KlDivergenceOfMaskedClasses) {
  const double none = -INFINITY;
  const Var p = Var::parameter(Tensor::from(Values{0, 0, none, none}, {1, 4}));
  const Var q = Var::parameter(Tensor::from(Values{std::log(3), 0, none, 0}, {1, 4}));
  const Var y = kl_divergence(p, q);
  expect_values(y, {0.5 * std::log(0.5 / 0.6) + 0.5 * std::log(0.5 / 0.2)});
  sum(y).backward();
  const double d = 0.25 * std::log(1.0 / 3);  // p_j (ln p_j / q_j - KL)
  expect_values(p.grad(), {d, -d, 0, 0});
  expect_values(q.grad(), {0.6 - 0.5, 0.2 - 0.5, 0, 0.2});
  const Var impossible = Tensor::from(Values{0, none}, {1, 2});
  EXPECT_EQ(kl_divergence(Tensor::from(Values{0, 0}, {1, 2}), impossible).value().item(), INFINITY);
}

// Against the integral of p ln(p / q).
TEST(Losses, GaussianKl) {
  const double m = 0.3, v = -0.5, m0 = -0.2, v0 = 0.4;
  double integral = 0;
  for (int i = -12'000; i < 12'000; ++i) {
    const double x = 1e-3 * i;
    const double log_p =
        -0.5 * (v + (x - m) * (x - m) * std::exp(-v) + std::log(2 * std::acos(-1)));
    const double log_q =
        -0.5 * (v0 + (x - m0) * (x - m0) * std::exp(-v0) + std::log(2 * std::acos(-1)));
    integral += 1e-3 * std::exp(log_p) * (log_p - log_q);
  }
  expect_values(gaussian_kl(column({m}), column({v}), column({m0}), column({v0})), {integral},
                1e-6);
  expect_values(gaussian_kl(column({1, 2}), column({0, 0}), column({0, 2}), column({0, 0})), {0.5});
  expect_gradients(
      [](const std::vector<Var>& in) { return gaussian_kl(in[0], in[1], in[2], in[3]); }, 4);
}

TEST(Losses, Huber) {
  const Var x = column({0, 1, -1, 3, -4}), zero = column({0, 0, 0, 0, 0});
  expect_values(huber(x, zero), {0, 0.5, 0.5, 2.5, 3.5});
  expect_values(huber(x, zero, 3), {0, 0.5, 0.5, 4.5, 7.5});
  expect_gradients([](const std::vector<Var>& in) { return huber(in[0], in[1], 0.7); }, 2);
  EXPECT_EQ(error_of<UsageError>([&] { (void)huber(x, zero, 0); }),
            "huber: delta must be positive, got 0");
}

TEST(Losses, TheSameOnTheDevice) {
  if (!has_cuda()) GTEST_SKIP() << kNoCuda;
  const auto all = [](Device device) {
    const auto draw = [&](uint32_t i) {
      return Var(uniform({6, 5}, -2, 2, {1, i}, DType::f64).to(device));
    };
    const Var a = draw(1), b = draw(2), c = draw(3), d = draw(4);
    const Tensor targets = Tensor::from({0, 1, 2, 3, 4, 0}, device);
    const Var weights = Tensor::from(Values{1, 2, 3, 4, 5}, {5}).to(device);
    return concat({weighted_cross_entropy(a, targets, weights, 0.1), mean(hinge(a, signs(b)), 1),
                   mean(binary_cross_entropy(a, sigmoid(b)), 1), triplet_margin(a, b, c),
                   kl_divergence(a, b), gaussian_kl(a, b, c, d), mean(huber(a, b), 1)},
                  0)
        .value()
        .to_vector();
  };
  const Values cpu = all({}), gpu = all(kCuda);
  for (size_t i = 0; i < cpu.size(); ++i) EXPECT_NEAR(gpu[i], cpu[i], 1e-12) << i;
}

}  // namespace
}  // namespace heed
