// The variation of lab 2: values by plain loops, gradients by central differences.
#include "labs/02-engine/variation.h"

#include <cmath>
#include <memory>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "labs/support/check.h"

namespace heed::lab {
namespace {

// What f(x) = w x^3 did: how often it ran, and whether what its closures keep is still held.
struct Witness {
  int runs = 0;
  std::weak_ptr<int> kept;
};

Var cube(const Var& x, const Var& w, Witness& witness) {
  ++witness.runs;
  const auto held = std::make_shared<int>(0);
  witness.kept = held;
  const Tensor at = x.value().clone(), y = empty_like(at);
  const double weight = w.value().item();
  for (int64_t i = 0; i < at.numel(); ++i) {
    y.data<double>()[i] = weight * std::pow(at.data<double>()[i], 3);
  }
  return record("cube", y, {x, w}, [at, weight, held](Tensor dy, const Grads& dx) {
    const Tensor slope = empty_like(at);
    double dw = 0;
    for (int64_t i = 0; i < at.numel(); ++i) {
      const double v = at.data<double>()[i], d = dy.data<double>()[i];
      slope.data<double>()[i] = d * weight * 3 * v * v;
      dw += d * v * v * v;
    }
    dx.add(0, slope);
    dx.add(1, Tensor::full({}, dw, DType::f64));
  });
}

// sum(dy (p w x^3 + q x)), a share of which can be left out
double loss(const Tensor& x, const Tensor& dy, double w, double p, double q) {
  double total = 0;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const double v = x.data<double>()[i];
    total += dy.data<double>()[i] * (p * w * v * v * v + q * v);
  }
  return total;
}

Tensor map(const Tensor& x, const std::function<double(double)>& f) {
  const Tensor y = x.clone();
  for (int64_t i = 0; i < y.numel(); ++i) y.data<double>()[i] = f(y.data<double>()[i]);
  return y;
}

// Two in one graph, of other functions, of one element each.
void check_two(Draw& draw, double p, double q) {
  const Tensor a = draw.normal({1}), b = draw.normal({1, 1});
  const Var x = Var::parameter(a), z = Var::parameter(b);
  const Var w = Var::parameter(Tensor::full({}, 0.5, DType::f64)),
            v = Var::parameter(Tensor::full({}, 2, DType::f64));
  Witness one, two;
  const Var first = checkpoint([&](const Var& at) { return cube(at, w, one); }, x);
  const Var second = checkpoint([&](const Var& at) { return cube(at, v, two); }, z);
  (sum(first) + sum(second)).backward();
  const auto slope = [&](const Tensor& at, double weight) {
    return map(at, [&](double value) { return p * weight * 3 * value * value + q; });
  };
  const std::string law = "of two checkpoints in one graph each has its own f, and its own x";
  expect_close("dx of the first of two", x.grad(), slope(a, 0.5), {.law = law});
  expect_close("dx of the second of two", z.grad(), slope(b, 2), {.law = law});
}

}  // namespace

LAB_VARIATION(Checkpoint) {
  Draw draw;
  const double p = number(0), q = number(1), weight = draw.uniform(0.5, 2);
  const Tensor at = draw.normal({draw.between(2, 3), draw.between(2, 4)}),
               dy = draw.normal(at.shape());
  const Var x = Var::parameter(at), w = Var::parameter(Tensor::full({}, weight, DType::f64));
  Witness witness;
  Tensor value;  // of f
  const auto f = [&](const Var& v) {
    const Var made = cube(v, w, witness);
    value = made.value();
    return made;
  };
  const Var y = checkpoint(f, x);
  expect(witness.runs == 1, "the forward pass ran f " + std::to_string(witness.runs) +
                                " times: once is enough for y.");
  expect(witness.kept.expired(),
         "after the forward pass the graph of f is still there, with all that its closures keep. "
         "That is what a checkpoint saves: y must be made without a graph.");
  expect(value.shares_memory_uniquely() || value.raw() == y.value().raw(),
         "after the forward pass the value of f is still there: of f nothing is to be kept.");
  const Tensor want = map(at, [&](double v) { return p * weight * v * v * v + q * v; });
  expect_close("p f(x) + q x", y.value(), want,
               {.tolerance = {.relative = 1e-12, .absolute = 1e-12},
                .law = "p and q are those of your name"});
  sum(mul(y, Var(dy))).backward();
  expect(witness.runs == 2, "after the backward pass f has run " + std::to_string(witness.runs) +
                                " times: twice is once for y and once for the gradient.");
  const auto slopes = [&](double a, double b) {
    return central_differences([&](const Tensor& v) { return loss(v, dy, weight, a, b); }, at);
  };
  const Tolerance rough = {.relative = 1e-5, .absolute = 1e-7};
  expect_close("dx", x.grad(), slopes(p, q),
               {.tolerance = rough,
                .suspects = {{"the share of f alone: x also counts by itself", slopes(p, 0)},
                             {"p is missing: f(x) counts p times", slopes(1, q)}},
                .law = "dx = p (df/dx)^T dy + q dy"});
  const Tensor dw =
      central_differences([&](const Tensor& v) { return loss(at, dy, v.item(), p, q); }, w.value());
  expect_close(
      "the gradient of a parameter that f uses", w.grad(), dw,
      {.tolerance = rough,
       .suspects = {{"without p: f(x) counts p times", map(dw, [&](double v) { return v / p; })}},
       .law = "what f uses gets its gradient when f runs again, of p dy"});
  expect_close(
      "x, afterwards", x.value(), at,
      {.tolerance = {.relative = 0, .absolute = 0}, .law = "x is read, and not written to"});
  if (testing::Test::HasFailure()) return;
  check_two(draw, p, q);
  if (testing::Test::HasFailure()) return;
  const Var u = Var::parameter(draw.normal(at.shape())), inside = mul(u, 2.0);
  const Var other = mul(inside, 3.0);  // reads x, too, and runs after the checkpoint
  sum(add(checkpoint(f, inside), other)).backward();
  const Tensor both =
      map(inside.value(), [&](double v) { return 2 * (p * weight * 3 * v * v + q + 3); });
  const std::string early =
      "without what the other reader of x gives: a pass that goes on through x, and "
      "not to a leaf made of its value, runs what is below too early";
  expect_close("the gradient of u, where x = 2 u has another reader", u.grad(), both,
               {.tolerance = rough,
                .suspects = {{early, map(both, [](double v) { return v - 6; })}},
                .law = "f runs on the x of this call, and dx = p (df/dx)^T dy + q dy"});
}

}  // namespace heed::lab
