// Lab 3: an op and its proof. The checker is judged by its verdicts on gradients that are right or
// wrong on purpose; the ops by central differences of their own, so that a checker that is wrong
// hides nothing.
#include "autograd/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "labs/support/check.h"
#include "tensor/kernels/elementwise.h"

namespace heed::lab {
namespace {

using Values = std::vector<double>;

Tensor map(const Tensor& x, const std::function<double(double)>& f) {
  Values values = x.to_vector();
  for (double& value : values) value = f(value);
  return Tensor::from(values, x.shape());
}

Tensor product(const Tensor& a, const Tensor& b) {
  Values values = a.to_vector();
  const Values others = b.to_vector();
  for (size_t i = 0; i < values.size(); ++i) values[i] *= others[i];
  return Tensor::from(values, a.shape());
}

// ---- task: checker

// y = x^3 for each element, with a closure that multiplies each slope by a factor of its own.
Var cube(const Var& x, const Tensor& factors) {
  const Tensor at = x.value().clone();
  return record(
      "cube", map(at, [](double v) { return v * v * v; }), {x},
      [at, factors](Tensor dy, const Grads& dx) {
        dx.add(0, product(factors, product(dy, map(at, [](double v) { return 3 * v * v; }))));
      });
}

Tensor ones(const Shape& shape) {
  return Tensor::full(shape, 1, DType::f64);
}

// Numbers away from 0, so that their cubes' slopes are not small.
Tensor away_from_zero(Draw& draw, Shape shape) {
  return map(draw.normal(shape), [](double v) { return v < 0 ? v - 0.5 : v + 0.5; });
}

LAB_CHECK(AcceptsWhatIsRight) {
  Draw draw;
  const Shape a = {draw.between(2, 3), draw.between(2, 4)}, b = {draw.between(2, 5)};
  const Tensor some = draw.normal(a);
  some.data<double>()[draw.between(0, a.numel() - 1)] = 0;
  int64_t times = 0, recorded = 0;
  const GradCheck verdict = check_gradient(
      [&](const std::vector<Var>& x) {
        const Var y = sum(cube(x[0], ones(a))) * sum(cube(x[1], ones(b)));
        ++times;
        recorded += y.node() != nullptr;
        return y;
      },
      {some, draw.normal(b)}, seed());
  expect(
      verdict.max_error < 1e-5,
      "a right gradient is called wrong, " + verdict.worst +
          ". Central differences are (L(x + h) - L(x - h)) / 2h, with all other elements, and the "
          "weights of the sum, as they were.");
  const int64_t elements = a.numel() + b.numel();
  expect(times >= 2 * elements, "f was evaluated " + std::to_string(times) + " times for " +
                                    std::to_string(elements) +
                                    " elements: each needs L(x + h) and L(x - h).");
  expect(recorded == 1, "a graph was recorded " + std::to_string(recorded) +
                            " times: only the one of backward() is needed, the differences are "
                            "taken under a NoGrad.");
}

// An element whose gradient is a tenth too large or too small.
void check_finds(Draw& draw, const Shape& shape, int64_t wrong, double factor) {
  const Tensor factors = ones(shape);
  factors.data<double>()[wrong] = factor;
  const GradCheck verdict =
      check_gradient([&](const std::vector<Var>& x) { return add(x[0], cube(x[1], factors)); },
                     {draw.normal(shape), away_from_zero(draw, shape)}, seed());
  expect(verdict.max_error > 0.01,
         text("a gradient that is a tenth too ", factor > 1 ? "large" : "small", " in element ",
              wrong, " of ", factors.numel(), " is accepted."));
  const std::string place = "input 1, element " + std::to_string(wrong) + ":";
  expect(verdict.worst.starts_with(place),
         "the worst element is '" + place + " ...', you say '" + verdict.worst + "'.");
}

LAB_CHECK(FindsTheWrongElement) {
  Draw draw;
  const Shape shape = {draw.between(2, 3), draw.between(2, 4)};
  const int64_t last = shape.numel() - 1;
  for (const int64_t wrong : {int64_t{0}, draw.between(1, last - 1), last}) {
    for (const double factor : {1.1, 0.9}) check_finds(draw, shape, wrong, factor);
  }
}

LAB_CHECK(MeasuresTheError) {
  Draw draw;
  const double factor = draw.uniform(1.2, 3);
  const Shape shape = {draw.between(24, 30)};  // slopes of both signs are surely among them
  const auto error_at = [&](double x, double times) {
    return check_gradient(
               [&](const std::vector<Var>& at) {
                 return cube(at[0], Tensor::full(shape, times, DType::f64));
               },
               {Tensor::full(shape, x, DType::f64)}, seed())
        .max_error;
  };
  for (const double x : {20.0, 0.3}) {  // slopes of 1200, and of 0.27
    for (const bool larger : {true, false}) {
      const char* const divided =
          larger ? "divided by the numeric gradient: the header says by the larger of both"
                 : "divided by the analytic gradient, or by a numeric one below 0: the header says "
                   "by the larger of both absolute values";
      expect_close(
          "max_error", Tensor::full({1}, error_at(x, larger ? factor : 1 / factor), DType::f64),
          Tensor::full({1}, (factor - 1) / factor, DType::f64),
          {.tolerance = {.relative = 1e-4},
           .suspects = {{divided, Tensor::full({1}, factor - 1, DType::f64)}},
           .law = "|analytic - numeric| / max(|analytic|, |numeric|, 0.01), as the header says"});
    }
  }
  const double of_small = error_at(0.002, factor);
  expect(of_small < 0.01,
         text("gradients of some 1e-5 that are off by as much have the error ", of_small,
              ": numbers near 0 are divided by 0.01, as the header says."));
}

LAB_CHECK(NoElementHidesAnother) {
  Draw draw;
  if_stopped(
      "f ignores one of its inputs here: no gradient arrives there, and grad() is undefined.");
  const GradCheck ignored = check_gradient(
      [&](const std::vector<Var>& x) { return cube(x[1], ones(x[1].shape())); },
      {draw.normal({draw.between(1, 3)}), draw.normal({draw.between(1, 3)})}, seed());
  expect(
      ignored.max_error < 1e-5,
      "f ignores its first input, whose gradient is 0 and undefined: that is right, and you call "
      "it wrong, " +
          ignored.worst + ".");
  const int64_t bad = draw.between(0, 2);
  for (const bool analytic : {true, false}) {
    const Tensor factors = ones({3});
    if (analytic) factors.data<double>()[bad] = NAN;
    const GradCheck nan = check_gradient(
        [&](const std::vector<Var>& x) {
          const Var y = cube(x[0], factors);
          const bool moved = x[0].value().data<double>()[bad] > 1;
          return analytic || !moved ? y : y * NAN;
        },
        {ones({3})}, seed());
    expect(!(nan.max_error < 1e-3), text(analytic ? "a gradient" : "a central difference",
                                         " that is NaN is accepted: every "
                                         "comparison with NaN is false, error > max_error, too."));
  }
  const int64_t n = draw.between(3, 6);
  // dx_i = mean(dy) is right if all dy are the same, and for no other dy.
  const auto mean_for_each = [&](const std::vector<Var>& x) {
    return record("wrong", x[0].value().clone(), x, [n](Tensor dy, const Grads& dx) {
      double sum = 0;
      for (const double v : dy.to_vector()) sum += v;
      dx.add(0, Tensor::full({n}, sum / static_cast<double>(n), DType::f64));
    });
  };
  expect(check_gradient(mean_for_each, {draw.normal({n})}, seed()).max_error > 1e-3,
         "an op whose closure gives every element the mean of dy is accepted. If all elements of "
         "the result count "
         "the same, one error hides another: give each a random weight.");
  for (int64_t other = 1; other < n; ++other) {
    const auto exchanged = [other](const std::vector<Var>& x) {
      return record("wrong", x[0].value().clone(), x, [other](Tensor dy, const Grads& dx) {
        Values values = dy.to_vector();
        std::swap(values[0], values[other]);
        dx.add(0, Tensor::from(values, dy.shape()));
      });
    };
    expect(check_gradient(exchanged, {draw.normal({n})}, seed()).max_error > 1e-6,
           text("an op whose closure exchanges dy of the elements 0 and ", other,
                " is accepted: is the weight of each element another one?"));
  }
}

LAB_CHECK(LeavesTheOthersAlone) {
  Draw draw;
  const std::vector<Tensor> inputs = {draw.normal({draw.between(2, 4)}),
                                      draw.normal({draw.between(2, 4)})};
  const std::vector<Tensor> before = {inputs[0].clone(), inputs[1].clone()};
  int64_t worst = 0;
  const double step = draw.uniform(1e-4, 1e-3);
  double farthest = 0;
  (void)check_gradient(
      [&](const std::vector<Var>& x) {
        int64_t changed = 0;
        for (size_t i = 0; i < x.size(); ++i) {
          const Values now = x[i].value().to_vector(), was = before[i].to_vector();
          for (size_t k = 0; k < now.size(); ++k) {
            changed += now[k] != was[k];
            farthest = std::max(farthest, std::fabs(now[k] - was[k]));
          }
        }
        worst = std::max(worst, changed);
        return sum(cube(x[0], ones(x[0].shape()))) * sum(x[1]);
      },
      inputs, seed(), step);
  expect(
      worst == 0 || std::fabs(farthest - step) < 1e-9,
      text("an element moved by ", farthest, ", not by the step that was asked for, ", step, "."));
  expect(worst > 0, "f was never evaluated with another element than it was given.");
  expect(worst <= 1, "f was evaluated with " + std::to_string(worst) +
                         " elements changed at once: an element has to get its value back before "
                         "the next one moves.");
  expect_close("the caller's input", inputs[0], before[0],
               {.law = "the inputs belong to the caller: work on a copy"});
}

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

LAB_CHECK(SlopeOfTanh) {
  Draw draw;
  const Tensor x = draw.normal({draw.between(5, 12)});
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
  const Tensor x = draw.normal({draw.between(5, 12)});
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
  const Tensor x = draw.normal({draw.between(5, 12)});
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

LAB_CHECK(SlopesOfDiv) {
  Draw draw;
  const Tensor a = draw.normal({draw.between(5, 12)}), b = away_from_zero(draw, a.shape());
  for (const int sign : {0, 1}) {  // both are there
    b.data<double>()[sign] = (sign == 0 ? 1 : -1) * std::fabs(b.data<double>()[sign]);
  }
  const Tensor da = unwritten(a.shape()), db = unwritten(a.shape()), dy = ones(a.shape());
  cpu::binary_backward_a<Div>(Out<double>(da.data<double>()), a.data<double>(), b.data<double>(),
                              dy.data<double>(), a.numel());
  cpu::binary_backward_b<Div>(Out<double>(db.data<double>()), a.data<double>(), b.data<double>(),
                              dy.data<double>(), a.numel());
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
  // Through the op, which gives da and db what they read alone.
  const Var pa = Var::parameter(a), pb = Var::parameter(b);
  sum(pa / Var(b)).backward();
  expect_close("d(a/b)/da in an op that kept b alone", pa.grad(), over,
               {.law = "kDa says that da may read b alone: a is 0 there"});
  sum(Var(a) / pb).backward();
  expect_close("d(a/b)/db in an op", pb.grad(), product(minus, product(over, over)));
}

// ---- task: matmul

Tensor multiply(const Tensor& a, const Tensor& b) {
  const int64_t rows = a.shape()[0], inner = a.shape()[1], cols = b.shape()[1];
  const Tensor c = Tensor::zeros({rows, cols}, DType::f64);
  for (int64_t i = 0; i < rows * cols * inner; ++i) {
    const int64_t r = i / (cols * inner), j = i / inner % cols, k = i % inner;
    c.data<double>()[r * cols + j] +=
        a.data<double>()[r * inner + k] * b.data<double>()[k * cols + j];
  }
  return c;
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (const double v : product(a, b).to_vector()) sum += v;
  return sum;
}

void check_matmul(const Tensor& a, const Tensor& b, const Tensor& dc, const Expected& of_a,
                  const Expected& of_b) {
  const Var pa = Var::parameter(a), pb = Var::parameter(b);
  sum(mul(matmul(pa, pb), Var(dc))).backward();
  const Tensor da = central_differences([&](const Tensor&at) { return dot(dc, multiply(at, b)); },
                                        a),
               db = central_differences([&](const Tensor&at) { return dot(dc, multiply(a, at)); },
                                        b);
  expect_close("dA", pa.grad(), da, of_a);
  expect_close("dB", pb.grad(), db, of_b);
  if (testing::Test::HasFailure()) return;
  if_stopped(
      "Only one of the two gradients is wanted here: dx.to() of the other is false, and what "
      "only that would need was not kept.");
  const Var alone_a = Var::parameter(a), alone_b = Var::parameter(b);
  sum(mul(matmul(alone_a, Var(b)), Var(dc))).backward();
  expect_close("dA, dB not wanted", alone_a.grad(), da, of_a);
  sum(mul(matmul(Var(a), alone_b), Var(dc))).backward();
  expect_close("dB, dA not wanted", alone_b.grad(), db, of_b);
}

LAB_CHECK(GradientOfASquareProduct) {
  Draw draw;
  const int64_t n = draw.between(2, 4);
  const Tensor a = draw.normal({n, n}), b = draw.normal({n, n}), dc = draw.normal({n, n});
  const Tolerance rough = {.relative = 1e-5, .absolute = 1e-8};
  const auto t = [n](const Tensor& x) {
    const Tensor y = empty_like(x);
    for (int64_t i = 0; i < n * n; ++i) {
      y.data<double>()[i] = x.data<double>()[i % n * n + i / n];
    }
    return y;
  };
  check_matmul(a, b, dc,
               {.tolerance = rough,
                .suspects = {{"dC B: B has to be transposed", multiply(dc, b)},
                             {"B dC: the order of the factors", multiply(b, dc)},
                             {"B^T dC: the order of the factors", multiply(t(b), dc)},
                             {"dC^T B: B is to be transposed, and dC is not", multiply(t(dc), b)}},
                .law = "write C_ij as a sum, and differentiate by A_ik"},
               {.tolerance = rough,
                .suspects = {{"A dC: A has to be transposed", multiply(a, dc)},
                             {"dC A: the order of the factors", multiply(dc, a)},
                             {"dC A^T: the order of the factors", multiply(dc, t(a))},
                             {"A dC^T: A is to be transposed, and dC is not", multiply(a, t(dc))}},
                .law = "write C_ij as a sum, and differentiate by B_kj"});
}

LAB_CHECK(GradientOfAProduct) {
  Draw draw;
  const int64_t m = draw.between(2, 3), k = draw.between(4, 5), n = draw.between(6, 7);
  const Expected rough = {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
                          .law = "the gradient has the shape of what it is of"};
  check_matmul(draw.normal({m, k}), draw.normal({k, n}), draw.normal({m, n}), rough, rough);
}

LAB_CHECK(ProductOfAMatrixWithItself) {
  Draw draw;
  const int64_t n = draw.between(2, 4);
  const Tensor a = draw.normal({n, n}), dc = draw.normal({n, n});
  const Var x = Var::parameter(a);
  sum(mul(matmul(x, x), Var(dc))).backward();
  expect_close("d(X X)/dX", x.grad(),
               central_differences([&](const Tensor& at) { return dot(dc, multiply(at, at)); }, a),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
                .law = "both factors give X a part: the destination that dx.to() returns says "
                       "whether to assign or to add"});
}

}  // namespace
}  // namespace heed::lab
