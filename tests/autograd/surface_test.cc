// What a first program gets wrong with gradients is an error, never a number that is not what it
// seems.
#include <gtest/gtest.h>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Vec = std::vector<double>;

// As an optimiser's step between the forward and the backward pass would change it.
TEST(Backward, AValueThatWasChangedIsAnError) {
  const auto change = [](const Var& x) { x.value().fill(2); };
  const auto expect_named = [](const std::string& op, const Var& loss, const std::string& shape) {
    EXPECT_EQ(error_of<UsageError>([&] { loss.backward(); }),
              "backward: the gradient of " + op + " needs a value " + shape +
                  " that was changed after the forward pass, as by an optimiser's step; call "
                  "backward() first");
  };
  const Var x = Var::parameter(Tensor::full({2, 2}, 1)),
            w = Var::parameter(Tensor::full({2, 2}, 1));
  Var loss = sum(matmul(x, w));
  change(w);
  expect_named("matmul", loss, "(2, 2)");
  loss = sum(square(affine(x, w)));
  change(w);
  expect_named("affine", loss, "(2, 2)");
  const Var y = tanh(x);
  loss = sum(y);
  y.value().rows(0, 1).fill(0);  // a view of what is kept
  expect_named("tanh", loss, "(2, 2)");
  loss = sum(x * w);
  w.value().mark_written();  // as an optimiser says it
  expect_named("mul", loss, "(2, 2)");

  const auto expect_ids_named = [&](const std::string& op, const auto& of) {
    const Tensor ids = Tensor::from(std::vector<int32_t>{0, 1});
    const Var result = sum(of(ids));
    ids.fill(1);
    expect_named(op, result, ids.shape().rank() == 1 ? "(2)" : "(2, 1)");
  };
  expect_ids_named("cross_entropy", [&](const Tensor& ids) { return cross_entropy(x, ids); });
  expect_ids_named("gather_rows", [&](const Tensor& ids) { return gather_rows(x, ids); });
  expect_ids_named("scatter_rows", [&](const Tensor& ids) { return scatter_rows(x, ids, 3); });
  const Var row = Var::parameter(Tensor::full({2}, 1));
  expect_ids_named("gather_along", [&](const Tensor& ids) { return gather_along(row, ids, 0); });
  expect_ids_named("scatter_along",
                   [&](const Tensor& ids) { return scatter_along(row, ids, 2, 0); });

  loss = sum(x + w);
  change(w);
  loss.backward();  // no gradient reads it
  loss = sum(matmul(x, w));
  loss.backward();
  change(w);
}

// What had been collected in between does not come to the next pass, and the graph is used.
TEST(Backward, AnExceptionLeavesNothingForTheNextPass) {
  const Var w = Var::parameter(Tensor::of({1, 2, 3})), h = w * 2.0;
  const Tensor factor = Tensor::of({1, 1, 1});
  const Var loss = sum(h * Var(factor)) + sum(square(h));
  factor.fill(4);
  EXPECT_THROW(loss.backward(), UsageError);
  EXPECT_THROW(loss.backward(), UsageError);
  EXPECT_THROW(sum(h).backward(), UsageError);
  w.zero_grad();
  sum(w * 6.0).backward();
  EXPECT_EQ(w.grad().to_vector(), (Vec{6, 6, 6}));
}

// Leaves keep what had come to them, also what was put aside: the gradient that can be read is the
// one that the next pass adds to.
TEST(Backward, AnExceptionHidesNoGradient) {
  const Var w = Var::parameter(Tensor::of({{1}})), other = Var::parameter(Tensor::of({{1}}));
  const Var table = Var::parameter(Tensor::of({{1}}), /*sparse_rows=*/true);
  const Tensor factor = Tensor::of({{1}}), one = Tensor::of({{1}});
  const Var fails = sum(other * Var(factor));  // the oldest op runs last
  const Var loss = fails + sum(affine(one, w)) + sum(gather_rows(table, Tensor::from({0})));
  factor.fill(4);
  EXPECT_THROW(loss.backward(), UsageError);
  for (const Var& leaf : {w, table}) {
    const Tensor left = leaf.grad();
    ASSERT_TRUE(left.defined());
    EXPECT_EQ(left.item(), 1);
    sum(leaf * 1.0).backward();
    EXPECT_EQ(leaf.grad().item(), 2);
  }
}

TEST(Grad, OfAValueInBetweenIsKeptWhereItIsAskedFor) {
  const Var x = Var::parameter(Tensor::of({1, 2, 3}));
  const Var h = square(x), y = 3 * h;
  EXPECT_EQ(
      error_of<UsageError>([&] { (void)h.grad(); }),
      "grad: the value is not a parameter, an op made it (square); call keep_grad() on it before "
      "backward()");
  h.keep_grad();
  EXPECT_FALSE(h.grad().defined());  // nothing has arrived
  sum(y * y).backward();             // d/dh 9 h^2
  EXPECT_EQ(h.grad().to_vector(), (Vec{18, 72, 162}));
  EXPECT_EQ(x.grad().to_vector(), (Vec{36, 288, 972}));  // the same as without
  EXPECT_THROW((void)y.grad(), UsageError);
  EXPECT_EQ(error_of<UsageError>([] { (void)Var(Tensor::of({1})).grad(); }),
            "grad: a constant, which collects no gradient");
}

// What an op gives to its only user is the same tensor on both sides: the closure may change it.
TEST(Grad, ThatIsKeptIsNotChangedByTheOpsBelow) {
  const Var x = Var::parameter(Tensor::of({-1, 2}));
  const Var h = x + Var(Tensor::of({1, 1}));
  const Var r = relu(h);
  h.keep_grad();
  r.keep_grad();
  sum(r * Var(Tensor::of({5, 7}))).backward();
  EXPECT_EQ(r.grad().to_vector(), (Vec{5, 7}));
  EXPECT_EQ(h.grad().to_vector(), (Vec{0, 7}));
}

// An addition hands on the gradient that it gets.
TEST(Grad, ThatIsKeptHasMemoryOfItsOwn) {
  const Var x = Var::parameter(Tensor::of({1, 2}));
  const Var y = exp(x), z = y + 1.0;
  y.keep_grad();
  z.keep_grad();
  sum(z).backward();
  z.grad().fill(50);
  EXPECT_EQ(y.grad().to_vector(), (Vec{1, 1}));
}

TEST(Grad, ThatIsKeptIsForgottenByZeroGrad) {
  const Var y = Var::parameter(Tensor::of({1, 2})) * 2.0;
  y.keep_grad();
  sum(y).backward();
  EXPECT_TRUE(y.grad().defined());
  y.zero_grad();
  EXPECT_FALSE(y.grad().defined());
}

// Without a closure it would be taken for a leaf, and x would get no gradient.
TEST(Record, NeedsAClosureWhereAnInputNeedsAGradient) {
  const Var x = Var::parameter(Tensor::of({1})), c = Tensor::of({1});
  const std::string text = "mine: an input needs a gradient, and record() was given no closure";
  EXPECT_EQ(error_of<UsageError>([&] {
              (void)record("mine", Tensor::of({2}), {c, x}, Backward{});
            }),
            text);
  EXPECT_EQ(error_of<UsageError>([&] {
              (void)record("mine", std::vector<Tensor>{Tensor::of({2})}, {x}, Backward{});
            }),
            text);
  EXPECT_FALSE(record("mine", Tensor::of({2}), {c}, Backward{}).needs_grad());
}

TEST(Undefined, IsWhatTheErrorSays) {
  const auto said = [](const auto& call) { return error_of<ShapeError>(call); };
  const std::string undefined = ": an input is undefined; it never got a value";
  const Var x = Tensor::ones({1, 2});
  EXPECT_EQ(said([] { (void)matmul(Var(), Var()); }), "matmul" + undefined);
  EXPECT_EQ(said([] { (void)bmm(Var(), Var()); }), "bmm" + undefined);
  EXPECT_EQ(said([&] { (void)affine(x, Var()); }), "affine" + undefined);
  EXPECT_EQ(said([] { (void)rows(Var(), 0, kEnd); }), "rows" + undefined);
  EXPECT_EQ(said([] { (void)reshape(Var(), {0}); }), "reshape" + undefined);
  EXPECT_EQ(said([] { (void)expand(Var(), {0}); }), "expand" + undefined);
  EXPECT_EQ(said([&] { (void)layer_norm(x, Var(), Var()); }), "layer_norm" + undefined);
  EXPECT_EQ(said([] { Var().backward(); }), "backward" + undefined);
  EXPECT_EQ(said([] { (void)Var::parameter(Tensor()); }), "parameter" + undefined);
  EXPECT_EQ(said([] { (void)Var::buffer(Tensor()); }), "parameter" + undefined);
  EXPECT_EQ(said([&] { (void)record("mine", Tensor(), {x}, Backward{}); }),
            "mine: the op made an undefined value");
  const std::string empty = "tensor: an undefined one has no elements; it never got a value";
  EXPECT_EQ(said([] { Tensor().fill(1); }), empty);
  EXPECT_EQ(said([] { (void)Tensor().to(DType::f64); }), empty);
  EXPECT_EQ(said([] { (void)Tensor().to_ints(); }), empty);
}

TEST(GraphDot, EscapesTheNamesOfOps) {
  const Var x = Var::parameter(Tensor::of({1}));
  const Var y = record("a \"b\" \\", Tensor::of({2}), {x}, [](const OutputGrads&, const Grads&) {});
  EXPECT_NE(graph_dot(y).find(R"x([label="a \"b\" \\\n(1)"])x"), std::string::npos) << graph_dot(y);
}

TEST(Grad, ThatWasTakenIsNotChangedByTheNextPass) {
  const Var x = Var::parameter(Tensor::of({2, 3}));
  sum(square(x)).backward();
  const Tensor first = x.grad();
  sum(square(x)).backward();
  EXPECT_EQ(first.to_vector(), (Vec{4, 6}));
  EXPECT_EQ(x.grad().to_vector(), (Vec{8, 12}));
}

TEST(Record, KeepsTheNameOfAnOpThatIsMadeOnTheWay) {
  const Var x = Var::parameter(Tensor::of({1}));
  std::string name = "made on the way, and longer than what a string keeps in itself";
  const Var y = record(name.c_str(), Tensor::of({2}), {x}, [](const OutputGrads&, const Grads&) {});
  const std::string made = name;
  name.assign(name.size(), '?');
  EXPECT_NE(graph_text(y).find(made), std::string::npos);
}

TEST(Freeze, BetweenThePassesLosesNothing) {
  const Var w = Var::parameter(Tensor::of({2, 3}));
  const Var loss = sum(square(w));
  w.freeze();
  w.freeze(false);
  loss.backward();
  EXPECT_EQ(w.grad().to_vector(), (Vec{4, 6}));
  w.freeze();
  EXPECT_FALSE(w.grad().defined());
  w.freeze(false);
  EXPECT_FALSE(w.grad().defined());  // freezing has dropped it
  const Var again = sum(square(w));
  w.freeze();
  again.backward();
  w.zero_grad();
  w.freeze(false);
  EXPECT_FALSE(w.grad().defined());
}

TEST(Closure, OfAnInputThatIsNotThereIsTheOpsMistake) {
  const Var x = Var::parameter(Tensor::of({1})), c = Tensor::of({1});
  const auto loss = [&](const auto& backward) {
    return record("twice", Tensor::of({2}), {x, c}, backward);
  };
  EXPECT_EQ(
      error_of<UsageError>([&] {
        loss([](const OutputGrads&, const Grads& dx) { dx.add(2, Tensor::of({1})); }).backward();
      }),
      "twice: its gradient gives dx[2] of 2 inputs");
  EXPECT_EQ(error_of<UsageError>([&] {
              loss([](const OutputGrads&, const Grads& dx) { dx.to<float>(1); }).backward();
            }),
            "twice: its gradient gives dx[1], which nobody needs; ask needs(1) first");
}

TEST(Closure, OfAnOutputThatIsNotThereIsTheOpsMistake) {
  const Var x = Var::parameter(Tensor::of({1}));
  for (const int output : {1, -1}) {
    const Var y = record("twice", Tensor::of({2}), {x},
                         [output](const OutputGrads& dy, const Grads&) { (void)dy.take(output); });
    EXPECT_EQ(error_of<UsageError>([&] { y.backward(); }),
              "twice: its gradient takes dy[" + std::to_string(output) + "] of 1 outputs");
  }
}

}  // namespace
}  // namespace heed
