// The gradient check notices what it is there for.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "tests/autograd/tensor_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

TEST(GradCheck, NoticesAWrongGradient) {
  const auto square_with = [](double factor) {
    return [factor](const std::vector<Var>& in) {
      const Tensor x = in[0].value();
      return record("planted", square(in[0]).value(), {in[0]},
                    [x, factor](const Tensor& dy, const Grads& dx) {
                      const Var d = mul(Var(dy) * Var(x), factor);
                      dx.add(0, d.value());
                    });
    };
  };
  const std::vector<Tensor> x{matrix({0.5, -1, 2, 0}, 2)};
  EXPECT_LT(check_gradient(square_with(2), x).max_error, 1e-6);
  EXPECT_GT(check_gradient(square_with(2.001), x).max_error, 4e-4);
  EXPECT_GT(check_gradient(square_with(-2), x).max_error, 1);
  EXPECT_EQ(check_gradient(square_with(0), x).max_error, 1);
  EXPECT_TRUE(std::isnan(check_gradient(square_with(NAN), x).max_error));
  EXPECT_EQ(check_gradient(square_with(0), x).worst.find("input 0, element "), 0u);
}

TEST(GradCheck, NoticesAGradientThatNeverArrives) {
  const auto detached = [](const std::vector<Var>& in) { return in[0] + in[1].detach(); };
  const std::vector<Tensor> x{matrix({1}, 1), matrix({2}, 1)};
  EXPECT_EQ(check_gradient(detached, x).max_error, 1);
  EXPECT_EQ(check_gradient(detached, x).worst.find("input 1, element 0: analytic 0"), 0u);
}

// Of a function that uses something else than what it is given, all gradients would be right.
TEST(GradCheck, NoticesAFunctionThatDoesNotUseItsInputs) {
  const Var other = scalar(2);
  EXPECT_EQ(
      error_of<UsageError>([&] {
        (void)check_gradient([&](const std::vector<Var>&) { return square(other); },
                             {matrix({1}, 1)});
      }),
      "check_gradient: no gradient reached an input; does the function use what it is given?");
}

TEST(GradCheck, LeavesTheInputsAsTheyWere) {
  const Tensor x = matrix({1, 2, 3}, 1);
  (void)check_gradient([](const std::vector<Var>& in) { return exp(in[0]); }, {x});
  EXPECT_EQ(x.to_vector(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)check_gradient([](const std::vector<Var>& in) { return in[0]; },
                                   {Tensor::zeros({1})});
            }),
            "check_gradient: needs f64 inputs");
}

}  // namespace
}  // namespace heed
