// What the op table does not ask of elementwise ops: where a function has a corner, and where it is
// easily inaccurate.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "autograd/ops.h"
#include "tests/devices.h"

namespace heed {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The value and the derivative of a function at a point, on every device.
void expect_at(const std::function<Var(const Var&)>& f, double x, double value, double slope) {
  for (Device device : test_devices()) {
    const Var v = Var::parameter(Tensor::from(std::vector<double>{x}, {}).to(device));
    const Var y = f(v);
    y.backward();
    EXPECT_DOUBLE_EQ(y.value().item(), value) << device.str() << ", value at " << x;
    EXPECT_DOUBLE_EQ(v.grad().item(), slope) << device.str() << ", slope at " << x;
  }
}

std::vector<double> f32(Var (*f)(const Var&), const std::vector<float>& x) {
  return f(Tensor::from(x, {static_cast<int64_t>(x.size())})).value().to_vector();
}

TEST(Elementwise, Corners) {
  expect_at([](const Var& x) { return abs(x); }, 0, 0, 0);
  expect_at([](const Var& x) { return abs(x); }, -2, 2, -1);
  expect_at([](const Var& x) { return leaky_relu(x, 0.1); }, -2, -0.2, 0.1);
  const auto clamped = [](const Var& x) { return clamp(x, -1, 2); };
  expect_at(clamped, -1, -1, 1);  // the ends belong to it
  expect_at(clamped, 2, 2, 1);
  expect_at(clamped, 2.5, 2, 0);
  expect_at(clamped, -kInf, -1, 0);
}

TEST(Elementwise, Powers) {
  const auto to_the = [](double c) { return [c](const Var& x) { return pow(x, c); }; };
  expect_at(to_the(2), -3, 9, -6);
  expect_at(to_the(0), 0, 1, 0);
  expect_at(to_the(1), 0, 0, 1);
  expect_at(to_the(2), 0, 0, 0);
  expect_at(to_the(-1), 4, 0.25, -1.0 / 16);
  expect_at([](const Var& b) { return pow(Tensor::full({}, 0, DType::f64).to(b.device()), b); }, 0,
            1, 0);
  expect_at([](const Var& b) { return pow(Tensor::full({}, 0, DType::f64).to(b.device()), b); }, 2,
            0, 0);
  expect_at([](const Var& a) { return pow(a, Tensor::full({}, 0, DType::f64).to(a.device())); }, 0,
            1, 0);
}

// Twice the same input: the halves make a whole.
TEST(Elementwise, TiesOfMinimumAndMaximumShareTheGradient) {
  expect_at([](const Var& x) { return maximum(x, x); }, 3, 3, 1);
  expect_at([](const Var& x) { return maximum(x, x.detach()); }, 3, 3, 0.5);
  expect_at([](const Var& x) { return minimum(x.detach(), x); }, 3, 3, 0.5);
}

TEST(Elementwise, FarAndNearValuesAreAccurate) {
  EXPECT_EQ(f32(softplus, {-200, 200}), (std::vector<double>{0, 200}));
  EXPECT_EQ(f32(silu, {-200, 200}), (std::vector<double>{-0.0, 200}));
  EXPECT_EQ(f32(log1p, {1e-10f}), (std::vector<double>{1e-10f}));
  EXPECT_EQ(f32(expm1, {1e-10f}), (std::vector<double>{1e-10f}));
  EXPECT_NEAR(f32(softplus, {-20})[0], std::exp(-20.0), 1e-15);
}

// The square of the divisor is no f32 here, the slope is one.
TEST(Elementwise, SlopesOfQuotientsAreRightWhereTheSquareOverflows) {
  for (const auto& [a, b] : {std::pair(1e-23, 1e-23), std::pair(1e25, 1e20)}) {
    for (Device device : test_devices()) {
      const Var x = Var::parameter(Tensor::full({}, a, DType::f32, device));
      const Var y = Var::parameter(Tensor::full({}, b, DType::f32, device));
      (x / y).backward();
      EXPECT_NEAR(y.grad().item() / (a / b / b), -1, 1e-6) << b << ", " << device.str();
      y.zero_grad();
      (a / y).backward();
      EXPECT_NEAR(y.grad().item() / (a / b / b), -1, 1e-6) << b << ", " << device.str();
    }
  }
}

TEST(Elementwise, NumbersOnTheLeftReadAsFormulas) {
  const Var x = Tensor::from(std::vector<double>{2, -4}, {2});
  EXPECT_EQ((1 - x).value().to_vector(), (std::vector<double>{-1, 5}));
  EXPECT_EQ((1 + -x).value().to_vector(), (std::vector<double>{-1, 5}));
  EXPECT_EQ((1 / x).value().to_vector(), (std::vector<double>{0.5, -0.25}));
}

}  // namespace
}  // namespace heed
