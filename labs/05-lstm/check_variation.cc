// The variations of lab 5: a cell by plain formulas, gradients by central differences.
#include "labs/05-lstm/variation.h"

#include <cmath>

#include "labs/support/check.h"

namespace heed::lab {
namespace {

// c and h of one part of a cell, from its preactivations and the state before.
struct State {
  double c, h;
};
using Formula = std::function<State(const std::vector<double>& a, double c_prev)>;
using Forward = void (*)(double*, double*, const double*, const double*, int64_t);
using Backward = void (*)(double*, double*, const double*, const double*, const double*,
                          const double*, int64_t);

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// (2, hidden): c, then h
Tensor states(const Formula& f, const Tensor& a, const Tensor& c_prev) {
  const int64_t gates = a.shape()[0], hidden = a.shape()[1];
  const Tensor both = Tensor::zeros({2, hidden}, DType::f64);
  for (int64_t k = 0; k < hidden; ++k) {
    std::vector<double> part(gates);
    for (int64_t g = 0; g < gates; ++g) part[g] = a.data<double>()[g * hidden + k];
    const State state = f(part, c_prev.data<double>()[k]);
    both.data<double>()[k] = state.c;
    both.data<double>()[hidden + k] = state.h;
  }
  return both;
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.numel(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}

void check_cell(int64_t gates, Forward forward, Backward backward, const Formula& f) {
  Draw draw;
  const int64_t hidden = 2 * draw.between(33, 45) + 1;  // ends in the middle of two
  const Tensor a = draw.normal({gates, hidden}), c_prev = draw.normal({hidden}),
               d = draw.normal({2, hidden}), nothing = zeros_like(d[0]);
  for (int64_t g = 0; g < gates; ++g) {  // sigmoids that are 0 and 1, each gate at other places
    a.data<double>()[g * hidden + 2 * g] = 800;
    a.data<double>()[g * hidden + 2 * g + 1] = -800;
  }
  const Tensor before[] = {a.clone(), c_prev.clone(), d.clone()};
  const Tensor both = unwritten({2, hidden}), da = unwritten(a.shape()), dc = unwritten({hidden});
  forward(both[1].data<double>(), both[0].data<double>(), a.data<double>(), c_prev.data<double>(),
          hidden);
  const auto expect_as_it_was = [&] {
    expect(a.to_vector() == before[0].to_vector() && c_prev.to_vector() == before[1].to_vector() &&
               d.to_vector() == before[2].to_vector(),
           "a, c_prev, dh or dc was written to: they are read.");
  };
  expect_as_it_was();
  if (testing::Test::HasFailure()) return;
  expect_close("c, and h below it", both, states(f, a, c_prev),
               {.tolerance = {.relative = 1e-11, .absolute = 1e-12},
                .law = "p and q are those of your name"});
  const auto wanted = [&](const Tensor& weights, bool of_a) {
    return central_differences(
        [&](const Tensor& at) {
          return dot(weights, of_a ? states(f, at, c_prev) : states(f, a, at));
        },
        of_a ? a : c_prev);
  };
  const Tensor without_dc = d.clone(), without_dh = d.clone();
  without_dc[0].copy_from(nothing);
  without_dh[1].copy_from(nothing);
  backward(da.data<double>(), dc.data<double>(), a.data<double>(), c_prev.data<double>(),
           d[1].data<double>(), d[0].data<double>(), hidden);
  expect_as_it_was();
  if (testing::Test::HasFailure()) return;
  const Tolerance rough = {.relative = 1e-5, .absolute = 1e-8};
  for (const bool of_a : {true, false}) {
    expect_close(
        of_a ? "da, a row for each gate" : "dc of the step before", of_a ? da : dc, wanted(d, of_a),
        {.tolerance = rough,
         .suspects = {{"right without dc: what the step after gives is missing",
                       wanted(without_dc, of_a)},
                      {"right without dh: c also counts through h", wanted(without_dh, of_a)}},
         .law = "c has two ways to the loss, dc and through h; c_prev has one for each "
                "place where the formulas name it"});
  }
}

}  // namespace

LAB_VARIATION(Coupled) {
  const double p = number(0), q = number(1);
  check_cell(3, coupled, coupled_backward, [=](const std::vector<double>& a, double c_prev) {
    const double i = sigmoid(p * a[0]), c = (1 - i) * c_prev + i * std::tanh(a[1]);
    return State{c, sigmoid(a[2]) * std::tanh(q * c)};
  });
}

LAB_VARIATION(Peephole) {
  const double p = number(0), q = number(1);
  check_cell(4, peephole, peephole_backward, [=](const std::vector<double>& a, double c_prev) {
    const double i = sigmoid(a[0] + p * c_prev), f = sigmoid(a[1] + q * c_prev);
    const double c = f * c_prev + i * std::tanh(a[2]);
    return State{c, sigmoid(a[3] + p * c) * std::tanh(c)};
  });
}

}  // namespace heed::lab
