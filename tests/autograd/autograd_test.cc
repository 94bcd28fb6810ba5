// The engine: graphs and the backward pass. The ops are in op_table_test.cc.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/allocator.h"
#include "tests/autograd/tensor_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// ---- the graph

TEST(Backward, FanOutAddsUp) {
  const Var x = scalar(3);
  (x * x + 2.0 * x + x).backward();
  EXPECT_EQ(x.grad().item(), 2 * 3 + 2 + 1);
}

TEST(Backward, SharedSubExpressionsRunOnce) {
  const Var x = scalar(2);
  int runs = 0;
  const Var shared =
      record("counted", Tensor::full({}, 4, DType::f64), {x}, [&runs](Tensor dy, const Grads& dx) {
        ++runs;
        dx.add(0, mul(Var(dy), 2).value());
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
  const std::string nothing =
      "backward: the value depends on no parameter in the graph; constants, detach(), frozen "
      "parameters and NoGrad are outside of it";
  EXPECT_EQ(error_of<UsageError>([&] { constant.backward(); }), nothing);
  EXPECT_EQ(error_of<UsageError>([&] { (void)constant.grad(); }),
            "grad: a constant, which collects no gradient");
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

// The first contribution is assigned, the others are added, in whatever form they come, also where
// inputs are the same.
TEST(Backward, EveryFormOfGradientAddsUp) {
  const auto give = [](const Var& x, const std::vector<int>& forms) {
    return record("forms", Tensor::full({}, 1, DType::f64), std::vector<Var>(forms.size(), x),
                  [forms](Tensor dy, const Grads& dx) {
                    for (int i = 0; i < static_cast<int>(forms.size()); ++i) {
                      if (forms[i] == 0) dx.add(i, dy);
                      if (forms[i] == 1) dx.sum(i).fill(dx.sum(i).item() + dy.item());
                      if (forms[i] != 2) continue;
                      const Out<double> to = dx.to<double>(i);
                      to.put(0, dy.item());
                    }
                  });
  };
  for (const std::vector<int>& forms : std::vector<std::vector<int>>{
           {0}, {1}, {2}, {0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}, {2, 2, 0, 1}}) {
    const Var x = scalar(1);
    (give(x, forms) + x).backward();
    EXPECT_EQ(x.grad().item(), forms.size() + 1.0);
  }
}

TEST(Backward, OpsWithSeveralOutputs) {
  const auto both = [](const Var& x) {  // x and 10 x
    return record("both", {x.value().clone(), mul(x.detach(), 10).value()}, {x},
                  [](const OutputGrads& dy, const Grads& dx) {
                    const Tensor first = dy.take(0), second = dy.take(1);
                    if (first.defined()) dx.add(0, first);
                    if (second.defined()) dx.add(0, mul(Var(second), 10).value());
                  });
  };
  const Var a = scalar(2), b = scalar(2), c = scalar(2);
  const std::vector<Var> y = both(a);
  EXPECT_EQ(y[1].value().item(), 20);
  EXPECT_EQ(y[0].node(), y[1].node());
  (y[0] * y[1] + y[1]).backward();  // 10 x^2 + 10 x
  EXPECT_EQ(a.grad().item(), 50);
  EXPECT_THROW(y[0].backward(), UsageError);  // one node, used
  both(b)[0].backward();
  EXPECT_EQ(b.grad().item(), 1);
  both(c)[1].backward();
  EXPECT_EQ(c.grad().item(), 10);
  EXPECT_FALSE(both(scalar(1).detach())[1].needs_grad());
  const std::vector<Var> z = both(scalar(1));
  const std::string text = graph_text(mul(z[1], 2));
  EXPECT_NE(text.find(" = both f64 (), ()  <- %"), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(z[1].node()->number) + ".1\n"), std::string::npos) << text;
}

// ---- what is kept and what is copied

constexpr int64_t kManyElements = 1 << 18;  // elements, 1 MiB
int64_t mib_in_use() {
  return memory_stats().bytes_in_use >> 20;
}

// Bytes of large tensors that the graph of f keeps besides its inputs and its value, in MiB.
template <class F> int64_t kept(F f) {
  const int64_t before = mib_in_use();
  const Var y = f();
  return mib_in_use() - before - (y.value().bytes() >> 20);
}

TEST(Graph, KeepsWhatAGradientNeeds) {
  const Shape shape{512, 512};
  const auto constant = [&] { return Var(Tensor::full(shape, 1)); };
  const Var w = Var::parameter(Tensor::full(shape, 1));
  const Var row = Var::parameter(Tensor::full({512}, 1));
  release_cached();
  EXPECT_EQ(kept([&] { return matmul(constant(), w); }), 1);
  EXPECT_EQ(kept([&] { return matmul(constant(), constant()); }), 0);
  EXPECT_EQ(kept([&] { return matmul(w * 1.0, constant()); }), 1);  // not w * 1
  EXPECT_EQ(kept([&] { return affine(w * 1.0, constant()); }), 1);
  EXPECT_EQ(kept([&] { return (w * 1.0) * constant(); }), 1);
  EXPECT_EQ(kept([&] { return (w * 1.0) / constant(); }), 1);
  EXPECT_EQ(kept([&] { return (w * 1.0) * row; }), 1);  // of w * 1; row not expanded
  EXPECT_EQ(kept([&] { return add(neg(w * 1.0), 1); }), 0);
  EXPECT_EQ(kept([&] { return (w * 1.0) - (w * 2.0); }), 0);
  const NoGrad guard;
  EXPECT_EQ(kept([&] { return matmul(w * 1.0, constant()); }), 0);
}

// dy goes through add, reshape and concat as it is: all gradients of x are one block.
TEST(Graph, HandsGradientsOn) {
  const Var x = Var::parameter(Tensor::full({kManyElements}, 1));
  Var y = x;
  for (int i = 0; i < 8; ++i)
    y = add(reshape(y, {kManyElements}), 1) + Tensor::full({kManyElements}, 1);
  y = concat({reshape(y, {2, kManyElements / 2}), Tensor::full({2, kManyElements / 2}, 1)}, 0);
  const Var loss = sum(y);
  y = Var();
  release_cached();
  reset_peak();
  const int64_t before = memory_stats().bytes_in_use;
  loss.backward();
  EXPECT_LE((memory_stats().peak_bytes - before) >> 20, 3);  // dy of sum (2 MiB), x's own (1 MiB)
  EXPECT_TRUE(x.grad().to_vector() == std::vector<double>(kManyElements, 1.0));
}

// Leaves whose gradients are one and the same tensor on the way do not share it in the end.
TEST(Graph, LeavesOwnTheirGradients) {
  const Var a = Var::parameter(Tensor::full({3}, 1)), b = Var::parameter(Tensor::full({3}, 1));
  sum(a + b).backward();
  a.grad().fill(7);
  EXPECT_EQ(b.grad().to_vector(), (std::vector<double>{1, 1, 1}));
  sum(a + b).backward();
  EXPECT_EQ(a.grad().to_vector(), (std::vector<double>{8, 8, 8}));
  EXPECT_EQ(b.grad().to_vector(), (std::vector<double>{2, 2, 2}));
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

TEST(Var, HasRowsByNumberAlsoFromTheEnd) {
  const Var x = Var::parameter(Tensor::of({{1, 2}, {3, 4}, {5, 6}}));
  const Var loss = sum(x[1] * 10 + x[-1]);
  EXPECT_EQ(loss.item(), 30 + 40 + 5 + 6);
  loss.backward();
  EXPECT_EQ(x.grad().to_vector(), (std::vector<double>{0, 0, 10, 10, 1, 1}));
  EXPECT_EQ(x[1][-1].item(), 4);
  EXPECT_EQ(error_of<ShapeError>([&] { (void)x[3]; }),
            "select: index 3 is outside of axis 0 of (3, 2)");
  const Var y = Var::parameter(Tensor::of({1, 2, 3, 4}));
  sum(square(slice(y, 0, -3, -1))).backward();
  EXPECT_EQ(y.grad().to_vector(), (std::vector<double>{0, 4, 6, 0}));
  EXPECT_EQ(Var(Tensor::from({7, 8}))[-1].value().to_ints(), std::vector<int32_t>{8});
}

}  // namespace
}  // namespace heed
