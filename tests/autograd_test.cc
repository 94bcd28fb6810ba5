// The engine: graphs and the backward pass. The ops are in op_table_test.cc.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/allocator.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

Var scalar(double value) {
  return Var::parameter(Tensor::full({}, value, DType::f64));
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
  EXPECT_EQ(error_of<ShapeError>([&] { (void)Var::parameter(Tensor::zeros({2}, DType::i32)); }),
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

}  // namespace
}  // namespace heed
