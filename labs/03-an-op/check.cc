// Lab 3, first part: derivatives of the ops on single numbers. Kernels are called directly, and
// compared with central differences of their own, so that a checker that is wrong hides nothing.
#include <cmath>

#include "autograd/ops.h"
#include "labs/03-an-op/each.h"
#include "tensor/kernels/elementwise.h"

namespace heed::lab {
namespace {

// ---- task: derivatives

template <class Op> Tensor slopes(const Tensor& x) {
  const Tensor saved = Op::kSaves == Saves::kOutput ? map(x, Op::template f<double>) : x;
  const Tensor dx = unwritten(x.shape());
  cpu::unary_backward<Op>(Out<double>(dx.data<double>()), saved.data<double>(),
                          ones(x.shape()).template data<double>(), Op{}, x.numel());
  return dx;
}

template <class Op> Tensor wanted(const Tensor& x) {
  return map(x, [](double at) { return (Op::f(at + 1e-5) - Op::f(at - 1e-5)) / 2e-5; });
}

const Tolerance kRough = {.relative = 1e-8, .absolute = 1e-9};

// With numbers far outside on either side, and others between them.
Tensor places(Draw& draw) {
  const Tensor x = draw.normal({draw.between(17, 22)});
  const double far[] = {3.2, 4.5, 6, 14, 16};
  for (int64_t i = 0; i < 4; ++i) {
    x.data<double>()[4 * i] = draw.uniform(far[i], far[i + 1]);
    x.data<double>()[4 * i + 2] = -draw.uniform(far[i], far[i + 1]);
  }
  return x;
}

LAB_CHECK(SlopeOfTanh) {
  Draw draw;
  const Tensor x = places(draw);
  expect_close(
      "the slope of tanh", slopes<Tanh>(x), wanted<Tanh>(x),
      {.tolerance = kRough,
       .suspects = {{"1 - tanh(y)^2: df gets the output already", map(x,
                                                                      [](double v) {
                                                                        const double y =
                                                                            std::tanh(std::tanh(v));
                                                                        return 1 - y * y;
                                                                      })},
                    {"1 - y: the square is missing",
                     map(x, [](double v) { return 1 - std::tanh(v); })},
                    {"1 + y^2: a sign",
                     map(x, [](double v) { return 1 + std::tanh(v) * std::tanh(v); })}},
       .law = "write tanh as a quotient of exponentials, differentiate, and express it by y"});
}

LAB_CHECK(SlopeOfSigmoid) {
  Draw draw;
  const Tensor x = places(draw);
  const auto y = [](double v) { return 1 / (1 + std::exp(-v)); };
  expect_close(
      "the slope of sigmoid", slopes<Sigmoid>(x), wanted<Sigmoid>(x),
      {.tolerance = kRough,
       .suspects = {{"a function of sigmoid(y): df gets the output already",
                     map(x, [&](double v) { return y(y(v)) * (1 - y(y(v))); })},
                    {"y (1 + y): a sign", map(x, [&](double v) { return y(v) * (1 + y(v)); })}},
       .law = "e^-x / (1 + e^-x)^2, expressed by y"});
}

double density(double x) {
  return 0.39894228040143268 * std::exp(-0.5 * x * x);
}

LAB_CHECK(SlopeOfGelu) {
  Draw draw;
  const Tensor x = places(draw);
  expect_close(
      "the slope of gelu", slopes<Gelu>(x), wanted<Gelu>(x),
      {.tolerance = kRough,
       .suspects = {{"Phi(x) alone: the second term of the product rule is missing",
                     map(x, Gelu::cdf<double>)},
                    {"Phi(x) - x phi(x): a sign",
                     map(x, [](double v) { return Gelu::cdf(v) - v * density(v); })},
                    {"Phi(x) + phi(x): the factor x is missing",
                     map(x, [](double v) { return Gelu::cdf(v) + density(v); })},
                    {"x phi(x) alone", map(x, [](double v) { return v * density(v); })},
                    {"Phi(x) + x e^(-x^2/2): 1 / sqrt(2 pi) is missing",
                     map(x, [](double v) { return Gelu::cdf(v) + v * density(v) / density(0); })}},
       .law = "x Phi(x) is a product; the derivative of Phi is the density of the normal "
              "distribution"});
}

std::pair<Tensor, Tensor> slopes_of_div(const Tensor& a, const Tensor& b) {
  const Tensor da = unwritten(a.shape()), db = unwritten(a.shape()), dy = ones(a.shape());
  cpu::binary_backward_a<Div>(Out<double>(da.data<double>()), a.data<double>(), b.data<double>(),
                              dy.data<double>(), a.numel());
  cpu::binary_backward_b<Div>(Out<double>(db.data<double>()), a.data<double>(), b.data<double>(),
                              dy.data<double>(), a.numel());
  return {da, db};
}

LAB_CHECK(SlopesOfDiv) {
  Draw draw;
  const Tensor a = draw.normal({draw.between(5, 12)}), b = away_from_zero(draw, a.shape());
  for (const int sign : {0, 1}) {  // both are there
    b.data<double>()[sign] = (sign == 0 ? 1 : -1) * std::fabs(b.data<double>()[sign]);
  }
  const auto [da, db] = slopes_of_div(a, b);
  const Tensor over = map(b, [](double v) { return 1 / v; });
  const Tensor minus = map(a, [](double v) { return -v; });
  expect_close("d(a/b)/da", da, over,
               {.suspects = {{"b, not 1/b", b},
                             {"1/b^2: that belongs to db", product(over, over)},
                             {"made with a: a/b is linear in a", product(a, over)}},
                .law = "a/b is linear in a"});
  expect_close(
      "d(a/b)/db", db, product(minus, product(over, over)),
      {.suspects = {{"-a/b: the square is missing", product(minus, over)},
                    {"-1/b^2: a is missing", product(over, map(over, [](double v) { return -v; }))},
                    {"-a: -a / b * b is (-a / b) b", minus},
                    {"made with a in the square, too",
                     product(minus, product(a, product(over, over)))}},
       .law = "what happens to a/b if b grows?"});
  if (testing::Test::HasFailure()) return;
  const double small = draw.uniform(1e-3, 2e-3);
  const auto [da_near, db_near] = slopes_of_div(ones({2}), Tensor::from({small, -2 * small}, {2}));
  const std::string law = "the slope as it is, where b is small, too: nothing is to be added to b";
  expect_close("d(a/b)/da near b = 0", da_near, Tensor::from({1 / small, -0.5 / small}, {2}),
               {.law = law});
  const double steep = -1 / (small * small);
  expect_close("d(a/b)/db near b = 0", db_near, Tensor::from({steep, steep / 4}, {2}),
               {.law = law});
  const Tolerance exact = {.relative = 1e-12, .absolute = 1e-14};
  const std::string digits = "T is f64 here: nothing is to be made in f32 on the way";
  expect_close("d(a/b)/da, all digits", da, over, {.tolerance = exact, .law = digits});
  expect_close("d(a/b)/db, all digits", db, product(minus, product(over, over)),
               {.tolerance = exact, .law = digits});
  if (testing::Test::HasFailure()) return;
  // Through the op, which gives da and db what they read alone.
  const Var pa = Var::parameter(a), pb = Var::parameter(b);
  sum(pa / Var(b)).backward();
  expect_close("d(a/b)/da in an op that kept b alone", pa.grad(), over,
               {.law = "kDa says that da may read b alone: a is 0 there"});
  sum(Var(a) / pb).backward();
  expect_close("d(a/b)/db in an op", pb.grad(), product(minus, product(over, over)));
}

}  // namespace
}  // namespace heed::lab
