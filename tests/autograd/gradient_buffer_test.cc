// What a leaf collects in the backward pass: sparse gradients of embedding tables, and products
// that are put aside.
#include <gtest/gtest.h>

#include "autograd/gradcheck.h"
#include "autograd/ops.h"
#include "tensor/allocator.h"
#include "tests/autograd/tensor_helpers.h"

namespace heed {
namespace {

std::vector<double> grad_of(const Var& x) {
  return x.grad().to_vector();
}

// ---- sparse gradients of embedding tables

Var table() {
  return Var::parameter(matrix({1, 2, 3, 4, 5, 6, 7, 8}, 4), /*sparse_rows=*/true);
}
Var look_up(const Var& t, const std::vector<int32_t>& ids, double factor) {
  return mul(sum(gather_rows(t, Tensor::from(ids))), factor);
}

TEST(SparseGradient, HoldsTheRowsThatWereLookedUp) {
  const Var t = table();
  EXPECT_TRUE(t.sparse_rows());
  (look_up(t, {3, 1, 3}, 1) + look_up(t, {1}, 10)).backward();
  EXPECT_TRUE(t.gradient().sparse());
  EXPECT_FALSE(t.gradient().dense.defined());
  EXPECT_EQ(t.gradient().ids.to_ints(), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(t.gradient().rows.to_vector(), (std::vector<double>{11, 11, 2, 2}));
  EXPECT_EQ(grad_of(t), (std::vector<double>{0, 0, 11, 11, 0, 0, 2, 2}));
}

TEST(SparseGradient, AddsUpOverGraphs) {
  const Var t = table();
  look_up(t, {3}, 1).backward();
  look_up(t, {0, 3}, 2).backward();
  EXPECT_EQ(t.gradient().ids.to_ints(), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(grad_of(t), (std::vector<double>{2, 2, 0, 0, 0, 0, 3, 3}));
  t.zero_grad();
  EXPECT_FALSE(t.gradient().defined());
}

// In one graph or in two, in either order.
TEST(SparseGradient, BecomesDenseWhereAnotherOpUsesTheTable) {
  const std::vector<double> expected{1, 1, 2, 2, 1, 1, 1, 1};
  for (int order = 0; order < 3; ++order) {
    const Var t = table();
    if (order == 0) (look_up(t, {1}, 1) + sum(t)).backward();
    if (order == 1) sum(t).backward();
    if (order >= 1) look_up(t, {1}, 1).backward();
    if (order == 2) sum(t).backward();
    EXPECT_FALSE(t.gradient().sparse()) << order;
    EXPECT_EQ(grad_of(t), expected) << order;
  }
  const Var tied = table();  // a weight that is embedding and output layer at once
  const Var ones = Tensor::full({1, 2}, 1, DType::f64);
  (look_up(tied, {1}, 1) + sum(affine(ones, tied))).backward();
  EXPECT_EQ(grad_of(tied), expected);
  look_up(tied, {0}, 1).backward();
  EXPECT_EQ(grad_of(tied), (std::vector<double>{2, 2, 2, 2, 1, 1, 1, 1}));
}

TEST(SparseGradient, WithoutTheFlagIsDense) {
  const Var t = Var::parameter(matrix({1, 2, 3, 4}, 2));
  look_up(t, {1, 1}, 1).backward();
  EXPECT_FALSE(t.gradient().sparse());
  EXPECT_EQ(grad_of(t), (std::vector<double>{0, 0, 2, 2}));
}

TEST(SparseGradient, RowsMayHaveAnyShape) {
  for (const Shape& shape : {Shape{4}, Shape{4, 2, 3}}) {
    const Var t = Var::parameter(Tensor::zeros(shape, DType::f64), true);
    look_up(t, {2, 0}, 1).backward();
    EXPECT_TRUE(t.gradient().sparse());
    const int64_t width = shape.numel() / 4;
    std::vector<double> expected(shape.numel());
    for (int64_t i = 0; i < width; ++i) expected[i] = expected[2 * width + i] = 1;
    EXPECT_EQ(grad_of(t), expected);
  }
}

TEST(SparseGradient, NoLookupsGiveNoRows) {
  const Var t = table();
  look_up(t, {}, 1).backward();
  EXPECT_EQ(grad_of(t), std::vector<double>(8));
}

// ---- products that are put aside for the weight

TEST(DeferredProducts, ALoopEqualsOneProduct) {
  const Tensor x = matrix({1, 2, 3, 4, 5, 6, 7, 8}, 4), w0 = matrix({.5, -1, 2, .25, 1, -2}, 3);
  const Var whole = Var::parameter(w0.clone()), looped = Var::parameter(w0.clone());
  const Var xs = Var::parameter(x);
  sum(square(affine(xs, whole))).backward();
  const std::vector<double> dx = grad_of(xs);
  xs.zero_grad();
  Var loss = sum(square(affine(rows(xs, 0, 1), looped)));
  for (int64_t i = 1; i < 4; ++i) loss = loss + sum(square(affine(rows(xs, i, i + 1), looped)));
  loss.backward();
  EXPECT_EQ(grad_of(looped), grad_of(whole));
  EXPECT_EQ(grad_of(xs), dx);
}

// More rows than are put aside: of 200 pieces of 60 rows most are multiplied on the way, and their
// memory is free again.
TEST(DeferredProducts, ManyRowsDoNotWait) {
  const int64_t pieces = 200, rows_each = 60, width = 30;
  Rng rng(1, "deferred");
  std::vector<double> values(pieces * rows_each * width);
  for (double& v : values) v = rng.uniform() - 0.5;
  const Var xs = Tensor::from(values, {pieces * rows_each, width});
  const Tensor w0 = xs.value().rows(0, width).clone();
  const Var whole = Var::parameter(w0.clone()), looped = Var::parameter(w0.clone());
  sum(square(affine(xs, whole))).backward();

  Var loss = sum(square(affine(rows(xs, 0, rows_each), looped)));
  for (int64_t i = 1; i < pieces; ++i) {
    loss = loss + sum(square(affine(rows(xs, i * rows_each, (i + 1) * rows_each), looped)));
  }
  release_cached();  // a reused block may be larger than what was asked for
  reset_peak();
  const int64_t before = memory_stats().bytes_in_use;
  loss.backward();
  const std::vector<double> expected = grad_of(whole), found = grad_of(looped);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-9);  // values up to 900
  }
  // dy of all pieces would be as large as the outputs, which backward() lets go of one by one.
  EXPECT_LT(memory_stats().peak_bytes - before, pieces * rows_each * width * 8 / 2);
}

// Column ranges, the whole width and a dense gradient of the same weight, all in one graph.
TEST(DeferredProducts, MixWithEverythingElse) {
  const auto f = [](const std::vector<Var>& in) {
    const Var &x = in[0], &w = in[1];
    const Var left = slice(x, 1, 0, 2), right = slice(x, 1, 2, 3);
    Var y = affine_columns(left, w, 0) + affine_columns(right, w, 2) + affine(x, w);
    y = y + affine_columns(left, w, 1) + affine(tanh(x), w);
    return sum(square(y)) + sum(square(w));
  };
  Rng rng(1);
  std::vector<Tensor> inputs;
  for (const Shape& shape : {Shape{2, 3}, Shape{4, 3}}) {
    std::vector<double> values(shape.numel());
    for (double& v : values) v = 2 * rng.uniform() - 1;
    inputs.push_back(Tensor::from(values, shape));
  }
  const GradCheck check = check_gradient(f, inputs);
  EXPECT_LT(check.max_error, 1e-6) << check.worst;
}

}  // namespace
}  // namespace heed
