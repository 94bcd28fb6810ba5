// The variations of lab 3: values by plain loops, gradients by central differences.
#include "labs/03-an-op/variation.h"

#include <cmath>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "labs/03-an-op/each.h"
#include "tensor/allocator.h"

namespace heed::lab {
namespace {

using Function = std::function<double(double)>;

double slope(const Function& f, double x) {
  return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;
}

// A closure may keep x, which is there anyway, or one tensor more.
void check_memory(Var (*op)(const Var&), Draw& draw) {
  const Var x = Var::parameter(draw.normal({draw.between(50000, 60000)}));
  const int64_t before = memory_stats().bytes_in_use;
  const Var y = op(x);
  const int64_t tensors = (memory_stats().bytes_in_use - before) / x.value().bytes();
  expect(tensors <= 2, "y and what its closure keeps are " + std::to_string(tensors) +
                           " tensors: y and one more are enough.");
}

void check_op(const char* formula, Var (*op)(const Var&), const Function& f, double far) {
  Draw draw;
  const Tensor at = draw.normal({draw.between(2, 4), draw.between(3, 6)});
  at.data<double>()[0] = 0;
  at.data<double>()[at.numel() - 1] = far;
  at.data<double>()[at.numel() - 2] = -far;
  const Tensor dy = draw.normal(at.shape());
  const Var x = Var::parameter(at), y = op(x);
  const auto expect_as_it_was = [&] {
    expect_close(
        "x, afterwards", x.value(), at,
        {.tolerance = {.relative = 0, .absolute = 0}, .law = "x is read, and not written to"});
  };
  expect_as_it_was();
  expect_close(formula, y.value(), map(at, f),
               {.tolerance = {.relative = 1e-9, .absolute = 1e-12},
                .law = "p and q are those of your name; the last two elements are far from 0"});
  if (!y.node() || y.node()->inputs.size() != 1 || y.node()->inputs[0].node != x.node()) {
    return expect(false,
                  "the op is not one node on top of x: write it with record() and a closure "
                  "of its own, not of other ops.");
  }
  sum(mul(y, Var(dy))).backward();
  const Tensor slopes = map(at, [&](double v) { return slope(f, v); }), want = slopes.clone();
  for (int64_t i = 0; i < want.numel(); ++i) want.data<double>()[i] *= dy.data<double>()[i];
  expect_close("dx", x.grad(), want,
               {.tolerance = {.relative = 1e-5, .absolute = 1e-7},
                .suspects = {{"the slope alone, not times dy", slopes}},
                .law = "dx = dy f'(x); write f as a chain, and differentiate from the outside"});
  expect_as_it_was();
  if (testing::Test::HasFailure()) return;
  if_stopped("The op is used once more, on another shape: is something kept of the first time?");
  const Tensor dmore = draw.normal({draw.between(13, 20)}), more = draw.normal(dmore.shape());
  (void)op(Var::parameter(draw.normal(more.shape())));  // of this shape, and other numbers
  const Var again = Var::parameter(more), other = Var::parameter(more);  // of one gradient
  sum(mul(add(op(again), other), Var(dmore))).backward();
  expect_close("dx of another x", again.grad(),
               product(dmore, map(more, [&](double v) { return slope(f, v); })),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-7},
                .law = "right the first time: is something kept of it?"});
  expect_close("the gradient of what y is added to", other.grad(), dmore,
               {.tolerance = {.relative = 1e-12, .absolute = 0},
                .law = "dy is read, and not written to: others have the same gradient, in the same "
                       "memory"});
  if_stopped("");
  check_memory(op, draw);
}

}  // namespace

LAB_VARIATION(Gated) {
  const double p = number(0), q = number(1);
  // 1 + p e^(q x) is infinite at `far`; ln(1 + p e^z) = z + ln(p + e^-z) is not.
  check_op(
      "x tanh(ln(1 + p e^(q x)))", gated,
      [=](double x) {
        const double z = q * x;
        return x * std::tanh(z > 0 ? z + std::log(p + std::exp(-z)) : std::log1p(p * std::exp(z)));
      },
      1000 / q);
}

LAB_VARIATION(Rational) {
  const double p = number(0), q = number(1);
  check_op(
      "(x^3 + p x) / (x^2 + q)", rational,
      [=](double x) { return (x * x * x + p * x) / (x * x + q); }, 100);
}

}  // namespace heed::lab
