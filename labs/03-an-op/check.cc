// Lab 3, first part: derivatives of the ops on single numbers. Kernels are called directly, and
// compared with central differences of their own, so that a checker that is wrong hides nothing.
#include <cmath>

#include "autograd/ops.h"
#include "labs/03-an-op/each.h"
#include "tensor/kernels/elementwise.h"

namespace heed::lab {
namespace {

// ---- task: derivatives

template <class Op, class T = double> Tensor slopes(const Tensor& x) {
  const DType type = sizeof(T) == 4 ? DType::f32 : DType::f64;
  const Tensor saved = (Op::kSaves == Saves::kOutput ? map(x, Op::template f<double>) : x).to(type);
  const Tensor dx = unwritten(x.shape(), type), dy = ones(x.shape()).to(type);
  cpu::unary_backward<Op>(Out<T>(dx.data<T>()), saved.data<T>(), dy.data<T>(), Op{}, x.numel());
  return dx;
}

template <class Op> Tensor wanted(const Tensor& x) {
  return map(x, [](double at) { return (Op::f(at + 1e-5) - Op::f(at - 1e-5)) / 2e-5; });
}

const Tolerance kRough = {.relative = 1e-8, .absolute = 1e-9};

// Where the numbers are small, which a difference of two values does not show.
template <class Op>
void check_small(const std::string& name, const Tensor& x,
                 const std::function<double(double)>& exact) {
  if (testing::Test::HasFailure()) return;
  expect_close("the slope of " + name + " where it is small, too", slopes<Op>(x), map(x, exact),
               {.tolerance = {.relative = 1e-9, .absolute = 1e-13},
                .law = "the formula holds wherever x is: nothing is to be left out of it"});
}

// What the numbers are worth in f32, too; and that NaN stays NaN.
template <class Op> void check_f32(const std::string& name, const Tensor& x) {
  if (testing::Test::HasFailure()) return;
  expect_close("the slope of " + name + " in f32", slopes<Op, float>(x).to(DType::f64),
               wanted<Op>(x),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-5},
                .law = "right in f64, and not in f32: df is for both, and a difference of two "
                       "values that are nearly the same has few digits in f32"});
  expect(std::isnan(slopes<Op>(Tensor::full({1}, NAN, DType::f64)).item()),
         "the slope of " + name + " at NaN is a number: NaN stays NaN, so that it is seen.");
}

// With numbers far outside on either side, a 0, numbers near it, and others between them.
Tensor places(Draw& draw, double farthest = 1000) {
  const Tensor x = draw.normal({draw.between(23, 28)});
  const double odd[] = {0, draw.uniform(3e-4, 1e-3), -draw.uniform(1e-3, 1e-2), farthest,
                        -farthest};
  for (int64_t i = 0; i < 5; ++i) x.data<double>()[2 * i + 1] = odd[i];
  const double far[] = {3.2, 4.5, 6, 10, 14, 16, 18};
  for (int64_t i = 0; i < 6; ++i) {
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
                     map(x, [](double v) { return 1 + std::tanh(v) * std::tanh(v); })},
                    {"1 - |y| y: the square has no sign", map(x,
                                                              [](double v) {
                                                                const double y = std::tanh(v);
                                                                return 1 - std::fabs(y) * y;
                                                              })},
                    {"1 - y^4: the square was squared",
                     map(x, [](double v) { return 1 - std::pow(std::tanh(v), 4); })}},
       .law = "write tanh as a quotient of exponentials, differentiate, and express it by y"});
  check_small<Tanh>("tanh", x, [](double v) {
    const double e = std::exp(-2 * std::fabs(v));
    return 4 * e / ((1 + e) * (1 + e));
  });
  check_f32<Tanh>("tanh", x);
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
  check_small<Sigmoid>("sigmoid", x, [](double v) {
    const double e = std::exp(-std::fabs(v));
    return e / ((1 + e) * (1 + e));
  });
  check_f32<Sigmoid>("sigmoid", x);
}

double density(double x) {
  return 0.39894228040143268 * std::exp(-0.5 * x * x);
}

LAB_CHECK(SlopeOfGelu) {
  Draw draw;
  const Tensor x = places(draw, 30);
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
                    {"made with e^(-x^2), where the density has e^(-x^2/2)",
                     map(x,
                         [](double v) {
                           return Gelu::cdf(v) + v * density(v) * density(v) / density(0);
                         })},
                    {"Phi(x) + x e^(-x^2/2): 1 / sqrt(2 pi) is missing",
                     map(x, [](double v) { return Gelu::cdf(v) + v * density(v) / density(0); })}},
       .law = "x Phi(x) is a product; the derivative of Phi is the density of the normal "
              "distribution",
       .not_finite = "The slope of gelu is finite everywhere; at 0 it is 1/2."});
  check_f32<Gelu>("gelu", x);
  if (testing::Test::HasFailure()) return;
  const double five = draw.uniform(5, 6), six = draw.uniform(6, 7);
  for (const Tensor& at : {x, Tensor::from({five, -five, six, -six}, {4})}) {
    expect_close("the slope of gelu, all digits", slopes<Gelu>(at),
                 map(at, [](double v) { return Gelu::cdf(v) + v * density(v); }),
                 {.tolerance = {.relative = 1e-11, .absolute = 1e-13},
                  .law = "Phi(x) + x phi(x), with all digits of 1 / sqrt(2 pi), wherever x is"});
  }
}

template <class T = double>
std::pair<Tensor, Tensor> slopes_of_div(const Tensor& x, const Tensor& y) {
  const DType type = sizeof(T) == 4 ? DType::f32 : DType::f64;
  const Tensor a = x.to(type), b = y.to(type), dy = ones(a.shape()).to(type);
  const Tensor da = unwritten(a.shape(), type), db = unwritten(a.shape(), type);
  cpu::binary_backward_a<Div>(Out<T>(da.data<T>()), a.data<T>(), b.data<T>(), dy.data<T>(),
                              a.numel());
  cpu::binary_backward_b<Div>(Out<T>(db.data<T>()), a.data<T>(), b.data<T>(), dy.data<T>(),
                              a.numel());
  return {da.to(DType::f64), db.to(DType::f64)};
}

LAB_CHECK(SlopesOfDiv) {
  Draw draw;
  const Tensor a = draw.normal({draw.between(5, 12)}), b = away_from_zero(draw, a.shape());
  a.data<double>()[2] = 0;
  for (const int i : {0, 1, 3, 4}) {  // all signs of both are there
    a.data<double>()[i] = (i < 3 ? 1 : -1) * std::fabs(a.data<double>()[i]);
    b.data<double>()[i] = (i % 3 == 0 ? 1 : -1) * std::fabs(b.data<double>()[i]);
  }
  const auto [da, db] = slopes_of_div(a, b);
  const Tensor over = map(b, [](double v) { return 1 / v; });
  const Tensor minus = map(a, [](double v) { return -v; });
  expect_close(
      "d(a/b)/da", da, over,
      {.suspects = {{"b, not 1/b", b},
                    {"1/b^2: that belongs to db", product(over, over)},
                    {"1/|b|: b may be below 0", map(over, [](double v) { return std::fabs(v); })},
                    {"made with a: a/b is linear in a", product(a, over)}},
       .law = "a/b is linear in a"});
  expect_close(
      "d(a/b)/db", db, product(minus, product(over, over)),
      {.suspects =
           {{"-a/b: the square is missing", product(minus, over)},
            {"-1/b^2: a is missing", product(over, map(over, [](double v) { return -v; }))},
            {"-a: -a / b * b is (-a / b) b", minus},
            {"-a / (b |b|): the square of b has no sign",
             product(product(minus, over), map(over, [](double v) { return std::fabs(v); }))},
            {"made with a in the square, too", product(minus, product(a, product(over, over)))}},
       .law = "what happens to a/b if b grows?"});
  if (testing::Test::HasFailure()) return;
  const std::string law = "the slope as it is, where b is small, too: nothing is to be added to b";
  for (const double size : {1e-3, 1e-6, 1e-12}) {
    const double small = size * draw.uniform(1, 2), steep = -1 / (small * small);
    const auto [da_near, db_near] =
        slopes_of_div(ones({2}), Tensor::from({small, -2 * small}, {2}));
    expect_close("d(a/b)/da near b = 0", da_near, Tensor::from({1 / small, -0.5 / small}, {2}),
                 {.law = law});
    expect_close("d(a/b)/db near b = 0", db_near, Tensor::from({steep, steep / 4}, {2}),
                 {.law = law});
  }
  const Tolerance exact = {.relative = 1e-12, .absolute = 1e-14};
  const std::string digits = "T is f64 here: nothing is to be made in f32 on the way";
  expect_close("d(a/b)/da, all digits", da, over, {.tolerance = exact, .law = digits});
  expect_close("d(a/b)/db, all digits", db, product(minus, product(over, over)),
               {.tolerance = exact, .law = digits});
  const auto [da_f32, db_f32] = slopes_of_div<float>(a, b);
  const std::string both = "right in f64, and not in f32: da and db are for both";
  const Tolerance coarse = {.relative = 1e-5, .absolute = 1e-6};
  expect_close("d(a/b)/da in f32", da_f32, over, {.tolerance = coarse, .law = both});
  expect_close("d(a/b)/db in f32", db_f32, product(minus, product(over, over)),
               {.tolerance = coarse, .law = both});
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
