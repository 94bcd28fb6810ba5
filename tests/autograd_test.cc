// The engine: graphs, the backward pass, gradients of leaves. The ops are in op_table_test.cc.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/allocator.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

Var scalar(double value) {
  return Var::parameter(Tensor::full({}, value, DType::f64));
}
Tensor matrix(const std::vector<double>& values, int64_t rows) {
  const int64_t cols = static_cast<int64_t>(values.size()) / rows;
  return Tensor::from(values, {rows, cols});
}
std::vector<double> grad_of(const Var& x) {
  return x.grad().to_vector();
}

// ---- the graph

TEST(Backward, FanOutAddsUp) {
  const Var x = scalar(3);
  (x * x + 2.0 * x + x).backward();
  EXPECT_EQ(x.grad().item(), 2 * 3 + 2 + 1);
}

TEST(Backward, SharedSubExpressionsRunOnce) {
  const Var x = scalar(2);
  int runs = 0;
  const Var shared = record("counted", Tensor::full({}, 4, DType::f64), {x},
                            [&runs](const Tensor& dy, const Grads& dx) {
                              ++runs;
                              dx[0].fill(dx[0].item() + 2 * dy.item());
                            });
  (shared * shared + shared).backward();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(x.grad().item(), (2 * 4 + 1) * 2);
}

// 2^60 paths lead from the loss to x.
TEST(Backward, DiamondsCostOneVisitEach) {
  const Var x = scalar(1);
  Var y = x;
  for (int i = 0; i < 60; ++i) y = y + y;
  y.backward();
  EXPECT_EQ(x.grad().item(), std::ldexp(1.0, 60));
}

// An old branch joins late: nodes must run by age, not by distance from the loss.
TEST(Backward, LongAndShortPathsMeet) {
  const Var x = scalar(0.5);
  const Var early = square(x);
  Var late = early;
  for (int i = 0; i < 5; ++i) late = mul(late, 2);
  (late * early).backward();
  EXPECT_DOUBLE_EQ(x.grad().item(), 32 * 4 * std::pow(0.5, 3));
}

TEST(Backward, ConstantsStayOutOfTheGraph) {
  const Var x = scalar(2), c = Tensor::full({}, 5, DType::f64);
  EXPECT_FALSE((c * c).needs_grad());
  const Var y = c * x;
  EXPECT_TRUE(y.needs_grad());
  y.backward();
  EXPECT_EQ(x.grad().item(), 5);
  EXPECT_FALSE(c.needs_grad());
}

TEST(Backward, DetachCutsTheGraph) {
  const Var x = scalar(3);
  const Var y = square(x);
  EXPECT_FALSE(y.detach().needs_grad());
  EXPECT_EQ(y.detach().value().raw(), y.value().raw());
  (y.detach() * x).backward();
  EXPECT_EQ(x.grad().item(), 9);
}

TEST(Backward, NoGradRecordsNothingAndNests) {
  const Var x = scalar(3);
  {
    NoGrad outer;
    { NoGrad inner; }
    EXPECT_TRUE(NoGrad::active());
    EXPECT_FALSE(square(x).needs_grad());
  }
  EXPECT_FALSE(NoGrad::active());
  EXPECT_TRUE(square(x).needs_grad());
}

TEST(Backward, GradientsOfSeveralGraphsAddUpUntilZeroGrad) {
  const Var x = scalar(3);
  EXPECT_FALSE(x.grad().defined());
  square(x).backward();
  mul(x, 10).backward();
  EXPECT_EQ(x.grad().item(), 16);
  x.zero_grad();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(x.gradient().defined());
  square(x).backward();
  EXPECT_EQ(x.grad().item(), 6);
}

TEST(Backward, OfAParameterItselfIsOne) {
  const Var x = Var::parameter(Tensor::full({1, 1}, 3));
  x.backward();
  x.backward();
  EXPECT_EQ(x.grad().shape(), (Shape{1, 1}));
  EXPECT_EQ(x.grad().item(), 2);
}

TEST(Backward, RunsOnceOnAGraph) {
  const Var x = scalar(3);
  const Var y = square(x), z = mul(y, 2);
  z.backward();
  const char* const rule = "); run the forward pass again, or add the losses first";
  EXPECT_EQ(error_of<UsageError>([&] { z.backward(); }),
            std::string("backward: the graph was used already (op mul") + rule);
  EXPECT_EQ(error_of<UsageError>([&] { exp(y).backward(); }),
            std::string("backward: the graph was used already (op square") + rule);
  EXPECT_EQ(x.grad().item(), 12);  // the refused calls changed nothing
}

TEST(Backward, SaysWhatIsWrong) {
  const Var x = Var::parameter(Tensor::zeros({2, 3}));
  EXPECT_EQ(error_of<ShapeError>([&] { x.backward(); }),
            "backward: needs a single value (a loss), got the shape (2, 3)");
  EXPECT_THROW(Var().backward(), ShapeError);
  const Var constant = Tensor::zeros({});
  const std::string nothing = "backward: the value does not depend on any parameter";
  EXPECT_EQ(error_of<UsageError>([&] { constant.backward(); }), nothing);
  EXPECT_EQ(error_of<UsageError>([&] { constant.grad(); }), "gradient: not a parameter");
  EXPECT_EQ(error_of<ShapeError>([&] { Var::parameter(Tensor::zeros({2}, DType::i32)); }),
            "parameter: element type i32: expected f32 or f64");
}

TEST(Backward, AnUnusedInputGetsNoGradient) {
  const Var x = scalar(3), unused = scalar(4);
  const Var y = record("first_of_two", Tensor::full({}, 3, DType::f64), {x, square(unused)},
                       [](const Tensor& dy, const Grads& dx) { dx.add(0, dy); });
  y.backward();
  EXPECT_EQ(x.grad().item(), 1);
  EXPECT_FALSE(unused.grad().defined());
}

// dy is passed on as it is: two inputs must not end up sharing one gradient tensor.
TEST(Backward, GradientsThatAreHandedOnAreNotShared) {
  const Var a = scalar(1), b = scalar(1);
  const Var older = mul(a, 10);  // its gradient comes after that of `both`
  const Var y = record("both", Tensor::full({}, 2, DType::f64), {a, b},
                       [](const Tensor& dy, const Grads& dx) {
                         dx.add(0, dy);
                         dx.add(1, dy);
                       });
  (y + older).backward();
  EXPECT_EQ(a.grad().item(), 11);
  EXPECT_EQ(b.grad().item(), 1);
  EXPECT_NE(a.grad().raw(), b.grad().raw());
}

// Far deeper than any stack, in the backward pass and when it is freed.
TEST(Backward, ChainsOfHalfAMillionNodes) {
  constexpr int kNodes = 500'000, kFewer = 200'000;
  const Var x = scalar(1);
  {
    Var y = x;
    for (int i = 0; i < kNodes; ++i) y = add(y, 1);
    EXPECT_EQ(y.value().item(), kNodes + 1);
    y.backward();
    EXPECT_EQ(x.grad().item(), 1);
  }
  Var unused = x;
  for (int i = 0; i < kFewer; ++i) unused = add(unused, 1);
  unused = Var();
  Var twice = x;
  for (int i = 0; i < kFewer; ++i) twice = twice + twice;
  twice = Var();
  EXPECT_EQ(x.node().use_count(), 1);
}

TEST(Backward, FreesMemoryOnTheWay) {
  constexpr int64_t kBytes = int64_t{1} << 20;
  constexpr int kLayers = 40;
  release_cached();  // a block from before may be larger than what it is taken for
  const int64_t before = memory_stats().bytes_in_use;
  {
    const Var x = Var::parameter(Tensor::full({kBytes / 4}, 0.1));
    Var y = x;
    for (int i = 0; i < kLayers; ++i) y = tanh(y);
    Var loss = sum(y);
    y = Var();
    const int64_t forward = memory_stats().bytes_in_use - before;
    EXPECT_LT(forward, (kLayers + 2) * kBytes);  // x and one saved output for each layer
    reset_peak();
    loss.backward();
    EXPECT_LT(memory_stats().peak_bytes - before, forward + 3 * kBytes);
    EXPECT_LT(memory_stats().bytes_in_use - before, 2 * kBytes + 4096);  // x and its gradient
  }
  EXPECT_EQ(memory_stats().bytes_in_use, before);
}

// ---- the dump

TEST(GraphDump, TextAndDot) {
  const Var x = Var::parameter(Tensor::zeros({2, 3}));
  const Var c = Tensor::zeros({2, 3});
  const Var y = sum(mul(x, c));
  const uint64_t first = x.node()->number;
  const auto n = [&](uint64_t i) { return std::to_string(first + i); };
  EXPECT_EQ(graph_text(y), "%" + n(0) + " = parameter f32 (2, 3)\n" + "%" + n(1) +
                               " = mul f32 (2, 3)  <- %" + n(0) + ", constant\n" + "%" + n(2) +
                               " = sum f32 ()  <- %" + n(1) + "\n");
  EXPECT_EQ(graph_dot(y),
            "digraph heed {\n  node [shape=box, fontname=\"monospace\"];\n"
            "  n" +
                n(0) +
                " [label=\"parameter\\n(2, 3)\", style=rounded];\n"
                "  n" +
                n(1) +
                " [label=\"mul\\n(2, 3)\"];\n"
                "  n" +
                n(0) + " -> n" + n(1) +
                ";\n"
                "  n" +
                n(2) +
                " [label=\"sum\\n()\"];\n"
                "  n" +
                n(1) + " -> n" + n(2) + ";\n}\n");
  EXPECT_EQ(graph_text(c), "");
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

// ---- the gradient check itself

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

TEST(GradCheck, LeavesTheInputsAsTheyWere) {
  const Tensor x = matrix({1, 2, 3}, 1);
  check_gradient([](const std::vector<Var>& in) { return exp(in[0]); }, {x});
  EXPECT_EQ(x.to_vector(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(error_of<ShapeError>([] {
              check_gradient([](const std::vector<Var>& in) { return in[0]; },
                             {Tensor::zeros({1})});
            }),
            "check_gradient: needs f64 inputs");
}

}  // namespace
}  // namespace heed
