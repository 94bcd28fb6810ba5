// The norm of all gradients, and steps that it bounds.
#include <cmath>

#include "nn/init.h"
#include "nn/layers.h"
#include "optim/optim.h"
#include "tests/optim/optim_helpers.h"

namespace heed {
namespace {

TEST(Clipping, TheNormIsOfAllElements) {
  for (const int64_t n : {31, 32, 33, 1000}) {
    Linear layer(n, 1, /*with_bias=*/false);
    init(layer, /*seed=*/1);
    const Tensor values = xavier_uniform({1, n}, {1});
    double squares = 0;
    for (const double x : values.to_vector()) squares += x * x;
    sum(layer.weight * Var(values)).backward();
    EXPECT_NEAR(grad_norm(parameters(layer)), std::sqrt(squares), 1e-5) << n;
  }
}

TEST(Clipping, ScalesTheStepAndNotTheGradients) {
  Two model({0, 0}, {0});
  EXPECT_EQ(grad_norm(parameters(model)), 0);
  set_grad(model.a, {2, -3});
  set_grad(model.b, {6});
  EXPECT_DOUBLE_EQ(grad_norm(parameters(model)), 7);
  EXPECT_DOUBLE_EQ(clip_scale(7, 3.5), 0.5);
  EXPECT_EQ(clip_scale(7, 7), 1);
  EXPECT_EQ(clip_scale(7, 100), 1);
  Sgd sgd(model, {.rate = 1});
  sgd.step({.max_norm = 3.5});
  expect_near(model.a, {-1, 1.5});
  expect_near(model.b, {-3});
  EXPECT_EQ(model.b.grad().item(), 6);         // the gradients stay as they are
  sgd.step({.scale = 0.25, .max_norm = 3.5});  // 7 / 4 is small enough
  expect_near(model.b, {-4.5});
  sgd.step({.scale = 2, .max_norm = 3.5});  // 14 is not
  expect_near(model.b, {-7.5});

  Tables tables;  // repeated rows are summed before they are squared: 2 (1 + 1), 2 (2 + 2)
  sum(square(gather_rows(tables.sparse, Tensor::from(std::vector<int32_t>{0, 0})))).backward();
  EXPECT_DOUBLE_EQ(grad_norm(parameters(tables)), std::sqrt(16.0 + 64.0));
}

// A step that cannot be right leaves no number that looks right.
TEST(Clipping, OfNaNMakesAllNaN) {
  EXPECT_TRUE(std::isnan(clip_scale(NAN, 1)));
  EXPECT_EQ(clip_scale(INFINITY, 1), 0);
  EXPECT_EQ(clip_scale(0, 1), 1);
  Two model({0}, {0});
  set_grad(model.a, {1e6});
  set_grad(model.b, {NAN});
  Sgd(model, {.rate = 1}).step({.max_norm = 1});
  EXPECT_TRUE(std::isnan(model.a.value().item()));
  EXPECT_TRUE(std::isnan(model.b.value().item()));
}

// Of all element types: one parameter of f64 and one of f32, in either order.
TEST(Clipping, TheNormIsOfAllElementTypes) {
  struct Mixed : Module {
    Var a, b;
    void visit(Visitor& v) override {
      v("a", a);
      v("b", b);
    }
  };
  for (const bool wide_first : {true, false}) {
    const DType first = wide_first ? DType::f64 : DType::f32,
                second = wide_first ? DType::f32 : DType::f64;
    Mixed model;
    model.a = Var::parameter(Tensor::zeros({2}, first));
    model.b = Var::parameter(Tensor::zeros({1}, second));
    sum(model.a * Var(Tensor::from(Vec{2, -3}, {2}).to(first))).backward();
    sum(model.b * Var(Tensor::from(Vec{6}, {1}).to(second))).backward();
    EXPECT_DOUBLE_EQ(grad_norm(parameters(model)), 7);
    Sgd(model, {.rate = 1}).step({.max_norm = 3.5});
    expect_near(model.a, {-1, 1.5});
    expect_near(model.b, {-3});
  }
}

}  // namespace
}  // namespace heed
