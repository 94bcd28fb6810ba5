// Rows of the op table: arithmetic and elementwise functions.
#include <cmath>

#include "tests/autograd/op_table.h"

namespace heed {
namespace {

using Function = double (*)(double);
using Function2 = double (*)(double, double);

// f on every pair of elements after broadcasting the shapes as NumPy does.
std::vector<double> broadcast_map(const Array& a, const Array& b, Function2 f) {
  const int rank = std::max(a.shape.rank(), b.shape.rank());
  std::vector<int64_t> size(rank), sa(rank), sb(rank);
  int64_t stride_a = 1, stride_b = 1, total = 1;
  for (int i = rank - 1, back = 1; i >= 0; --i, ++back) {
    const int64_t na = back <= a.shape.rank() ? a.shape[-back] : 1;
    const int64_t nb = back <= b.shape.rank() ? b.shape[-back] : 1;
    size[i] = na == 1 ? nb : na;
    sa[i] = na == 1 ? 0 : stride_a;
    sb[i] = nb == 1 ? 0 : stride_b;
    stride_a *= na;
    stride_b *= nb;
    total *= size[i];
  }
  std::vector<double> y(total);
  for (int64_t at = 0; at < total; ++at) {
    int64_t rest = at, ia = 0, ib = 0;
    for (int i = rank - 1; i >= 0; --i) {
      ia += rest % size[i] * sa[i];
      ib += rest % size[i] * sb[i];
      rest /= size[i];
    }
    y[at] = f(a[ia], b[ib]);
  }
  return y;
}

OpCase unary(std::string op, const std::function<Var(const Var&)>& call, Function f,
             Domain domain = {}) {
  return {.op = std::move(op),
          .call = [call](In x) { return call(x[0]); },
          .naive =
              [f](Arrays x) {
                std::vector<double> y;
                for (double v : x[0].v) y.push_back(f(v));
                return y;
              },
          .shapes = {{3, 4}},
          .one = {{}},
          .empty = {{2, 0}},
          .large = {{3, 20'000}},
          .domain = domain,
          .any_shape = true};
}

OpCase binary(std::string op, const std::string& name,
              const std::function<Var(const Var&, const Var&)>& call, Function2 f,
              std::vector<Shape> shapes = {{2, 1, 3}, {4, 1}}) {
  return {.op = std::move(op),
          .variant = shapes[0] == shapes[1] ? "no broadcasting" : "",
          .call = [call](In x) { return call(x[0], x[1]); },
          .naive = [f](Arrays x) { return broadcast_map(x[0], x[1], f); },
          .shapes = shapes,
          .one = {{}, {1}},
          .empty = {{0, 3}, {1}},
          .large = shapes[0] == shapes[1] ? std::vector<Shape>{{250, 200}, {250, 200}}
                                          : std::vector<Shape>{{250, 1}, {200}},
          .domain = {-2, 2, 0.5},
          .wrong = {{{{2, 3}, {4}}, name + ": shapes do not broadcast, (2, 3) and (4)"}}};
}

double add_of(double a, double b) {
  return a + b;
}
double sub_of(double a, double b) {
  return a - b;
}
double mul_of(double a, double b) {
  return a * b;
}
double div_of(double a, double b) {
  return a / b;
}

std::vector<double> where_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> y = b;
  for (size_t i = 0; i < y.size(); ++i) {
    if (i % 3 != 0) y[i] = a[i];
  }
  return y;
}

constexpr RandomKey kKey{7, purpose_id("op table"), 3};

std::vector<double> dropout_of(Arrays x) {
  std::vector<double> y = x[0].v;
  for (size_t i = 0; i < y.size(); ++i) {
    const double u = (kKey.word(i) >> 8) / 16777216.0;
    y[i] = u < 0.25 ? 0 : y[i] / 0.75;
  }
  return y;
}

double pow_of(double a, double b) {
  return std::exp(b * std::log(a));
}
double minimum_of(double a, double b) {
  return std::min(a, b);
}
double maximum_of(double a, double b) {
  return std::max(a, b);
}

OpCase with(OpCase row, std::vector<WrongShapes> wrong, std::vector<Misuse> misuse = {}) {
  row.any_shape = false;
  row.wrong = std::move(wrong);
  row.misuse = std::move(misuse);
  return row;
}

std::vector<OpCase> scalar_operators() {
  using X = const Var&;
  const Domain apart{-2, 2, 0.5};
  return {
      unary(
          "sub(double, Var)", [](X x) { return sub(0.75, x); }, [](double x) { return 0.75 - x; }),
      unary(
          "div(double, Var)", [](X x) { return div(0.75, x); }, [](double x) { return 0.75 / x; },
          apart),
      unary(
          "div(Var, double)", [](X x) { return div(x, 0.7); }, [](double x) { return x / 0.7; }),
      unary(
          "operator-(Var)", [](X x) { return -x; }, [](double x) { return -x; }),
      unary(
          "operator+(double, Var)", [](X x) { return 1.5 + x; }, [](double x) { return 1.5 + x; }),
      unary(
          "operator-(double, Var)", [](X x) { return 1 - x; }, [](double x) { return 1 - x; }),
      unary(
          "operator/(double, Var)", [](X x) { return 1 / x; }, [](double x) { return 1 / x; },
          apart),
  };
}

std::vector<OpCase> more_functions() {
  using X = const Var&;
  const Domain apart{-1.5, 1.5, 0.01}, apart_from_half{-0.49, 0.49}, positive{0.2, 3};
  OpCase power = binary(
      "pow(Var, Var)", "pow", [](X a, X b) { return pow(a, b); }, pow_of);
  power.domain = positive;
  OpCase clamped = unary(
      "clamp(Var, double, double)", [](X x) { return clamp(x, -0.5, 1); },
      [](double x) { return x < -0.5 ? -0.5 : (x > 1 ? 1 : x); });
  const char* const rule = "clamp: needs low <= high, got ";
  return {
      binary(
          "minimum(Var, Var)", "minimum", [](X a, X b) { return minimum(a, b); }, minimum_of),
      binary(
          "maximum(Var, Var)", "maximum", [](X a, X b) { return maximum(a, b); }, maximum_of),
      unary(
          "minimum(Var, double)", [](X x) { return minimum(x, 0.5); },
          [](double x) { return std::min(x, 0.5); }, apart_from_half),
      unary(
          "maximum(Var, double)", [](X x) { return maximum(x, 0.5); },
          [](double x) { return std::max(x, 0.5); }, apart_from_half),
      power,
      with(
          clamped, {},
          {{[] { (void)clamp(zeros_of({2}), 2, 1); }, rule + std::string("2 and 1")},
           {[] { (void)clamp(zeros_of({2}), std::nan(""), 1); }, rule + std::string("nan and 1")}}),
      unary(
          "pow(Var, double)", [](X x) { return pow(x, 2.5); },
          [](double x) { return x * x * std::sqrt(x); }, positive),
      unary(
          "leaky_relu(Var, double)", [](X x) { return leaky_relu(x, 0.1); },
          [](double x) { return std::max(x, 0.1 * x); }, apart),
      unary(
          "abs(Var)", abs, [](double x) { return std::max(x, -x); }, apart),
      unary("sin(Var)", sin, [](double x) { return std::sin(x); }),
      unary("cos(Var)", cos, [](double x) { return std::sin(x + std::acos(-1) / 2); }),
      unary("log1p(Var)", log1p, [](double x) { return std::log(1 + x); }, {-0.7, 2}),
      unary("expm1(Var)", expm1, [](double x) { return std::exp(x) - 1; }),
      unary("silu(Var)", silu, [](double x) { return x / (1 + std::exp(-x)); }),
      unary("softplus(Var)", softplus, [](double x) { return std::log(1 + std::exp(x)); }),
  };
}

}  // namespace

std::vector<OpCase> elementwise_cases() {
  using Pair = const Var&;
  const auto sub2 = [](Pair a, Pair b) { return sub(a, b); };
  OpCase select = binary("where(Tensor, Var, Var)", "where",
                         [](Pair a, Pair b) { return where(pattern(a.shape(), 3), a, b); }, add_of,
                         {{3, 4}, {3, 4}});
  select.variant = "";
  select.naive = [](Arrays x) { return where_of(x[0].v, x[1].v); };
  select.one = {{}, {}};
  select.empty = {{0, 3}, {0, 3}};

  std::vector<OpCase> cases = {
      binary(
          "add(Var, Var)", "add", [](Pair a, Pair b) { return add(a, b); }, add_of),
      binary("add(Var, Var)", "add", [](Pair a, Pair b) { return add(a, b); }, add_of,
             {{2, 3}, {2, 3}}),
      binary("sub(Var, Var)", "sub", sub2, sub_of),
      binary("sub(Var, Var)", "sub", sub2, sub_of, {{2, 3}, {2, 3}}),
      binary(
          "mul(Var, Var)", "mul", [](Pair a, Pair b) { return mul(a, b); }, mul_of),
      binary(
          "div(Var, Var)", "div", [](Pair a, Pair b) { return div(a, b); }, div_of),
      binary("div(Var, Var)", "div", [](Pair a, Pair b) { return div(a, b); }, div_of,
             {{2, 3}, {2, 3}}),
      unary(
          "add(Var, double)", [](Pair x) { return add(x, 0.75); },
          [](double x) { return x + 0.75; }),
      unary(
          "mul(Var, double)", [](Pair x) { return mul(x, -2.5); },
          [](double x) { return -2.5 * x; }),
      binary(
          "operator+(Var, Var)", "add", [](Pair a, Pair b) { return a + b; }, add_of),
      binary(
          "operator-(Var, Var)", "sub", [](Pair a, Pair b) { return a - b; }, sub_of),
      binary(
          "operator*(Var, Var)", "mul", [](Pair a, Pair b) { return a * b; }, mul_of),
      binary(
          "operator/(Var, Var)", "div", [](Pair a, Pair b) { return a / b; }, div_of),
      unary(
          "operator+(Var, double)", [](Pair x) { return x + 1.5; },
          [](double x) { return x + 1.5; }),
      unary(
          "operator-(Var, double)", [](Pair x) { return x - 1.5; },
          [](double x) { return x - 1.5; }),
      unary(
          "operator*(Var, double)", [](Pair x) { return x * 1.5; },
          [](double x) { return x * 1.5; }),
      unary(
          "operator/(Var, double)", [](Pair x) { return x / 1.5; },
          [](double x) { return x / 1.5; }),
      unary(
          "operator*(double, Var)", [](Pair x) { return 1.5 * x; },
          [](double x) { return 1.5 * x; }),
      unary("neg(Var)", neg, [](double x) { return -x; }),
      unary("exp(Var)", exp, [](double x) { return std::exp(x); }),
      unary("log(Var)", log, [](double x) { return std::log(x); }, {0.2, 3}),
      unary("sqrt(Var)", sqrt, [](double x) { return std::sqrt(x); }, {0.2, 3}),
      unary("square(Var)", square, [](double x) { return x * x; }),
      unary("tanh(Var)", tanh, [](double x) { return std::sinh(x) / std::cosh(x); }),
      unary("sigmoid(Var)", sigmoid, [](double x) { return std::exp(x) / (std::exp(x) + 1); }),
      unary("relu(Var)", relu, [](double x) { return std::max(x, 0.0); }, {-1.5, 1.5, 0.01}),
      unary("gelu(Var)", gelu, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }),
  };
  OpCase wide = select;  // a column chooses between a matrix and a row
  wide.variant = "broadcasting";
  wide.call = [](In x) { return where(pattern({x[0].shape()[0], 1}, 3), x[0], x[1]); };
  wide.naive = [](Arrays x) {
    std::vector<double> y = x[0].v;
    const auto cols = x[0].shape[1];
    for (size_t i = 0; i < y.size(); ++i) {
      if (i / cols % 3 == 0) y[i] = x[1][static_cast<int64_t>(i) % cols];
    }
    return y;
  };
  wide.shapes = {{4, 3}, {3}};
  wide.one = {{1, 1}, {1}};
  wide.empty = {{0, 3}, {3}};
  wide.large = {{250, 200}, {200}};
  wide.wrong = {{{{2, 3}, {2}}, "where: shapes do not broadcast, (2, 3) and (2)"}};
  cases.push_back(wide);
  for (const bool first : {true, false}) {  // a number in the place of one
    OpCase one = unary(
        first ? "where(Tensor, double, Var)" : "where(Tensor, Var, double)",
        [first](Pair x) {
          const Tensor mask = pattern(x.shape(), 3);
          return first ? where(mask, 5, x) : where(mask, x, 5);
        },
        nullptr);
    one.naive = [first](Arrays x) {
      const std::vector<double> fives(x[0].v.size(), 5);
      return first ? where_of(fives, x[0].v) : where_of(x[0].v, fives);
    };
    cases.push_back(one);
  }
  cases.push_back(with(select,
                       {{{{2, 3}, {3, 2}}, "where: shapes do not broadcast, (2, 3) and (3, 2)"}},
                       {{[] { (void)where(zeros_of({2}), zeros_of({2}), zeros_of({2})); },
                         "where: mask must be i32, got f64"}}));

  for (const auto& part : {scalar_operators(), more_functions()}) {
    cases.insert(cases.end(), part.begin(), part.end());
  }

  OpCase fill = unary(
      "masked_fill(Var, Tensor, double)",
      [](Pair x) { return masked_fill(x, pattern(x.shape(), 3), 5); }, nullptr);
  fill.naive = [](Arrays x) { return where_of(std::vector<double>(x[0].v.size(), 5), x[0].v); };
  cases.push_back(with(fill, {},
                       {{[] {
                           (void)masked_fill(zeros_of({2, 3}), pattern({4, 2, 3}, 2), 0);
                         },
                         "masked_fill: mask (4, 2, 3) does not fit x (2, 3)"},
                        {[] {
                           (void)masked_fill(zeros_of({2, 3}), pattern({2}, 2), 0);
                         },
                         "masked_fill: shapes do not broadcast, (2) and (2, 3)"},
                        {[] { (void)masked_fill(zeros_of({2}), zeros_of({2}), 0); },
                         "masked_fill: mask must be i32, got f64"}}));

  OpCase drop = unary(
      "dropout(Var, double, RandomKey)", [](Pair x) { return dropout(x, 0.25, kKey); }, nullptr);
  drop.naive = dropout_of;
  const char* const rule = "dropout: the probability must be in [0, 1), got ";
  cases.push_back(with(
      drop, {},
      {{[] { (void)dropout(zeros_of({2}), 1, kKey); }, rule + std::string("1")},
       {[] { (void)dropout(zeros_of({2}), -0.5, kKey); }, rule + std::string("-0.5")},
       {[] { (void)dropout(zeros_of({2}), std::nan(""), kKey); }, rule + std::string("nan")}}));
  return cases;
}

}  // namespace heed
