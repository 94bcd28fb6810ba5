// Rows of the op table: reductions, functions of the last axis, losses.
#include <algorithm>
#include <cmath>

#include "tests/autograd/op_table.h"

namespace heed {
namespace {

// Reduces `axis` by f, which sees the elements along it.
template <class F> std::vector<double> reduce(const Array& x, int axis, F f) {
  const int a = x.shape.normalize(axis);
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < a; ++i) outer *= x.shape[i];
  for (int i = a + 1; i < x.shape.rank(); ++i) inner *= x.shape[i];
  std::vector<double> y;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      std::vector<double> along;
      for (int64_t j = 0; j < x.shape[a]; ++j) along.push_back(x[(o * x.shape[a] + j) * inner + i]);
      y.push_back(f(along));
    }
  }
  return y;
}

double sum_of(const std::vector<double>& x) {
  double total = 0;
  for (double v : x) total += v;
  return total;
}
double mean_of(const std::vector<double>& x) {
  return sum_of(x) / static_cast<double>(x.size());
}
double prod_of(const std::vector<double>& x) {
  double product = 1;
  for (double v : x) product *= v;
  return product;
}
double max_of(const std::vector<double>& x) {
  return *std::max_element(x.begin(), x.end());
}

// f(one row) for all rows, put together.
template <class F> std::vector<double> by_rows(const Array& x, F f) {
  const int64_t cols = x.shape.back();
  std::vector<double> y;
  for (size_t at = 0; cols && at < x.v.size(); at += cols) {
    const std::vector<double> row = f(std::vector<double>(&x.v[at], &x.v[at] + cols));
    y.insert(y.end(), row.begin(), row.end());
  }
  return y;
}

std::vector<double> softmax_of(std::vector<double> row) {
  double total = 0;
  for (double v : row) total += std::exp(v);
  for (double& v : row) v = std::exp(v) / total;
  return row;
}
std::vector<double> log_softmax_of(std::vector<double> row) {
  row = softmax_of(row);
  for (double& v : row) v = std::log(v);
  return row;
}
std::vector<double> layer_norm_of(Arrays in) {
  return by_rows(in[0], [&](std::vector<double> row) {
    const double mean = mean_of(row);
    double variance = 0;
    for (double v : row) variance += (v - mean) * (v - mean) / static_cast<double>(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * in[1][i] + in[2][i];
    }
    return row;
  });
}

Tensor targets_of(int64_t rows, int64_t classes) {
  return pattern({rows}, static_cast<int32_t>(classes), 7, 1);
}
std::vector<double> cross_entropy_of(const Array& logits, double smoothing = 0) {
  int64_t row = 0;
  return by_rows(logits, [&](const std::vector<double>& x) {
    const std::vector<double> log_p = log_softmax_of(x);
    const double nll = -log_p[(row++ * 7 + 1) % x.size()];
    return std::vector<double>{(1 - smoothing) * nll - smoothing * mean_of(log_p)};
  });
}
// Of a row of logits, in its loss.
double weight_of(int64_t row) {
  return 0.5 * static_cast<double>(row % 5) - 1;
}
Tensor weights_of(int64_t rows, const Var& x) {
  if (x.dtype() == DType::i32) return {};  // which is refused before weights are looked at
  std::vector<double> weights;
  for (int64_t i = 0; i < rows; ++i) weights.push_back(weight_of(i));
  return Tensor::from(weights, {rows}).to(x.dtype()).to(x.device());
}
std::vector<double> linear_cross_entropy_of(Arrays in, double smoothing = 0,
                                            bool weighted = false) {
  const int64_t n = in[0].shape[0], width = in[0].shape[1], classes = in[1].shape[0];
  Array logits{{n, classes}, {}};
  for (int64_t i = 0; i < n * classes; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < width; ++k) {
      sum += in[0][i / classes * width + k] * in[1][i % classes * width + k];
    }
    logits.v.push_back(sum);
  }
  std::vector<double> losses = cross_entropy_of(logits, smoothing);
  for (int64_t i = 0; weighted && i < n; ++i) losses[i] *= weight_of(i);
  return {sum_of(losses)};
}

OpCase row_function(std::string op, const std::string& name, Var (*call)(const Var&),
                    std::vector<double> (*f)(std::vector<double>)) {
  return {.op = std::move(op),
          .call = [call](In x) { return call(x[0]); },
          .naive = [f](Arrays x) { return by_rows(x[0], f); },
          .shapes = {{2, 3, 7}},
          .one = {{1}},
          .empty = {{0, 5}},
          .large = {{300, 130}},
          .wrong = {{{{}}, name + ": needs at least one axis, got a scalar"}}};
}

OpCase reduction(std::string op, const std::string& name, int axis,
                 Var (*call)(const Var&, int, bool), double (*f)(const std::vector<double>&)) {
  const Shape empty = axis == 0 ? Shape{0, 2} : Shape{2, 0};
  const Shape large = axis == 0   ? Shape{9000, 40}  // several pieces of rows
                      : axis == 1 ? Shape{3, 50, 700}
                                  : Shape{3, 150'000};
  return {
      .op = std::move(op),
      .variant = "axis " + std::to_string(axis),
      .call = [call, axis](In x) { return call(x[0], axis, false); },
      .naive = [f, axis](Arrays x) { return reduce(x[0], axis, f); },
      .shapes = {{2, 3, 4}},
      .one = {{1, 1}},
      .empty = {empty},
      .refuses_empty =
          name == "sum" || name == "prod"
              ? ""
              : name + ": no elements along axis " + std::to_string(axis) + " of " + empty.str(),
      .large = {large},
      .wrong = {{{{}}, name + ": axis " + std::to_string(axis) + " is outside of the shape ()"}},
      .misuse = {{[call] {
                    (void)call(zeros_of({2, 3}), 2, false);
                  },
                  name + ": axis 2 is outside of the shape (2, 3)"},
                 {[call] {
                    (void)call(zeros_of({2, 3}), -3, false);
                  },
                  name + ": axis -3 is outside of the shape (2, 3)"}}};
}

// Over axes 0 and 2 of three, or both of two.
OpCase reduction_of_two(const std::string& name,
                        Var (*call)(const Var&, const std::vector<int>&, bool),
                        double (*f)(const std::vector<double>&), bool keepdim) {
  return {.op = name + "(Var, std::vector<int>, bool)",
          .variant = keepdim ? "kept" : "",
          .call =
              [call, keepdim](In x) {
                const Var y = call(x[0], {-1, 0}, keepdim);
                const Shape one = Shape{1, x[0].shape()[1], 1};
                check_internal(y.shape() == (keepdim ? one : Shape{one[1]}), "wrong shape");
                return y;
              },
          .naive =
              [f](Arrays x) {
                const int64_t n = x[0].shape[1], inner = x[0].shape[2];
                std::vector<double> y;
                for (int64_t j = 0; j < n; ++j) {
                  std::vector<double> along;
                  for (int64_t o = 0; o < x[0].shape[0]; ++o) {
                    for (int64_t i = 0; i < inner; ++i)
                      along.push_back(x[0][(o * n + j) * inner + i]);
                  }
                  y.push_back(f(along));
                }
                return y;
              },
          .shapes = {{3, 2, 4}},
          .one = {{1, 1, 1}},
          .empty = {{3, 2, 0}},
          .refuses_empty = name == "sum" || name == "prod"
                               ? ""
                               : name + ": no elements along axis -1 of (3, 2, 0)",
          .large = {{40, 50, 30}},
          .wrong = {{{{}}, name + ": axis -1 is outside of the shape ()"}},
          .misuse = {{[call] {
                        (void)call(zeros_of({2, 3}), {1, -1}, false);
                      },
                      name + ": axis 1 is named twice"},
                     {[call] {
                        (void)call(zeros_of({2, 3}), {}, false);
                      },
                      name + ": needs at least one axis"}}};
}

OpCase cumsum_case(int axis) {
  return {
      .op = "cumsum(Var, int)",
      .variant = "axis " + std::to_string(axis),
      .call = [axis](In x) { return cumsum(x[0], axis); },
      .naive =
          [axis](Arrays x) {
            const int64_t n = x[0].shape[axis];
            int64_t inner = 1;
            for (int i = axis + 1; i < x[0].shape.rank(); ++i) inner *= x[0].shape[i];
            std::vector<double> y = x[0].v;
            for (int64_t i = 0; i < x[0].shape.numel(); ++i) {
              if (i / inner % n > 0) y[i] += y[i - inner];
            }
            return y;
          },
      .shapes = {{2, 3, 4}},
      .one = {{1, 1, 1}},
      .empty = {{2, 0, 3}},
      .large = {{7, 70, 90}},
      .wrong = {{{{}}, "cumsum: axis " + std::to_string(axis) + " is outside of the shape ()"}}};
}

std::vector<OpCase> smoothed_losses() {
  const std::string rule = ": the smoothing must be in [0, 1), got ";
  const auto of_one = [](double e) {
    return [e] { (void)cross_entropy(zeros_of({1, 2}), Tensor::from({1}), e); };
  };
  const OpCase plain = {.op = "cross_entropy(Var, Tensor, double)",
                        .variant = "smoothed",
                        .call =
                            [](In x) {
                              const Shape& s = x[0].shape();
                              return cross_entropy(x[0], targets_of(s[0], s.back()), 0.3);
                            },
                        .naive = [](Arrays x) { return cross_entropy_of(x[0], 0.3); },
                        .shapes = {{4, 5}},
                        .one = {{1, 1}},
                        .empty = {{0, 5}},
                        .large = {{300, 150}},
                        .misuse = {{of_one(1), "cross_entropy" + rule + "1"},
                                   {of_one(-0.5), "cross_entropy" + rule + "-0.5"},
                                   {of_one(std::nan("")), "cross_entropy" + rule + "nan"}}};
  OpCase fused = plain;
  fused.op = "linear_cross_entropy(Var, Var, Tensor, double, Tensor)";
  fused.call = [](In x) {
    const int64_t classes = x[1].shape()[0];
    return linear_cross_entropy(x[0], x[1], targets_of(x[0].shape()[0], classes), 0.3).total;
  };
  fused.naive = [](Arrays in) { return linear_cross_entropy_of(in, 0.3); };
  fused.shapes = {{4, 3}, {5, 3}};
  fused.one = {{1, 1}, {1, 1}};
  fused.empty = {{0, 3}, {5, 3}};
  fused.large = {{300, 4}, {30'000, 4}};
  fused.misuse = {
      {[] {
         (void)linear_cross_entropy(zeros_of({1, 2}), zeros_of({3, 2}), Tensor::from({1}), 1);
       },
       "linear_cross_entropy" + rule + "1"}};
  OpCase weighted = fused;
  weighted.variant = "weighted";
  weighted.call = [](In x) {
    const int64_t rows = x[0].shape()[0], classes = x[1].shape()[0];
    return linear_cross_entropy(x[0], x[1], targets_of(rows, classes), 0.3, weights_of(rows, x[0]))
        .total;
  };
  weighted.naive = [](Arrays in) { return linear_cross_entropy_of(in, 0.3, true); };
  weighted.misuse = {{[] {
                        (void)linear_cross_entropy(zeros_of({2, 2}), zeros_of({3, 2}),
                                                   Tensor::from({1, 1}), 0, zeros_of({1}));
                      },
                      "linear_cross_entropy: weights must be f64 (2), got f64 (1)"}};
  return {plain, fused, weighted};
}

}  // namespace

std::vector<OpCase> reduction_cases() {
  OpCase total = {.op = "sum(Var)",
                  .call = [](In x) { return sum(x[0]); },
                  .naive = [](Arrays x) { return std::vector<double>{sum_of(x[0].v)}; },
                  .shapes = {{2, 3}},
                  .one = {{}},
                  .empty = {{0, 2}},
                  .large = {{200'000}},
                  .any_shape = true};
  OpCase average = total;
  average.op = "mean(Var)";
  average.call = [](In x) { return mean(x[0]); };
  average.naive = [](Arrays x) { return std::vector<double>{mean_of(x[0].v)}; };
  average.refuses_empty = "mean: no elements in (0, 2)";

  OpCase product = total;
  product.op = "prod(Var)";
  product.call = [](In x) { return prod(x[0]); };
  product.naive = [](Arrays x) { return std::vector<double>{prod_of(x[0].v)}; };
  product.large = {{20, 20}};

  OpCase largest = total;
  largest.op = "max(Var)";
  largest.call = [](In x) { return max(x[0]); };
  largest.naive = [](Arrays x) { return std::vector<double>{max_of(x[0].v)}; };
  largest.refuses_empty = "max: no elements in (0, 2)";

  std::vector<OpCase> cases = {total, average, product, largest};
  for (int axis : {0, 1, -1}) {
    cases.push_back(reduction("sum(Var, int, bool)", "sum", axis, sum, sum_of));
    cases.push_back(reduction("mean(Var, int, bool)", "mean", axis, mean, mean_of));
    cases.push_back(reduction("max(Var, int, bool)", "max", axis, max, max_of));
    OpCase product = reduction("prod(Var, int, bool)", "prod", axis, prod, prod_of);
    product.large = {axis == 0 ? Shape{6, 9000} : axis == 1 ? Shape{30, 5, 700} : Shape{9000, 6}};
    cases.push_back(product);
  }
  for (bool keepdim : {false, true}) {
    cases.push_back(reduction_of_two("sum", sum, sum_of, keepdim));
    cases.push_back(reduction_of_two("mean", mean, mean_of, keepdim));
    cases.push_back(reduction_of_two("max", max, max_of, keepdim));
    OpCase product = reduction_of_two("prod", prod, prod_of, keepdim);
    product.large = {{4, 5000, 3}};
    cases.push_back(product);
  }
  for (int axis : {0, 1, 2}) cases.push_back(cumsum_case(axis));
  cases.push_back(row_function("softmax(Var)", "softmax", softmax, softmax_of));
  cases.push_back(row_function("log_softmax(Var)", "log_softmax", log_softmax, log_softmax_of));
  cases.push_back(
      {.op = "layer_norm(Var, Var, Var, double)",
       .call = [](In x) { return layer_norm(x[0], x[1], x[2]); },
       .naive = layer_norm_of,
       .shapes = {{2, 3, 5}, {5}, {5}},
       .one = {{1}, {1}, {1}},
       .empty = {{0, 4}, {4}, {4}},
       .large = {{70, 130}, {130}, {130}},
       .wrong = {{{{2, 3}, {2}, {3}}, "layer_norm: gain (2) and bias (3) do not fit x (2, 3)"},
                 {{{}, {1}, {1}}, "layer_norm: needs at least one axis, got a scalar"}},
       .misuse = {{[] {
                     (void)layer_norm(zeros_of({1, 2}), zeros_of({2}), zeros_of({2}), -1e-5);
                   },
                   "layer_norm: needs eps >= 0, got -1e-05"}}});
  cases.push_back({.op = "cross_entropy(Var, Tensor, double)",
                   .call =
                       [](In x) {
                         const Shape& s = x[0].shape();
                         return cross_entropy(x[0],
                                              s.rank() == 2 ? targets_of(s[0], s[1]) : Tensor());
                       },
                   .naive = [](Arrays x) { return cross_entropy_of(x[0]); },
                   .shapes = {{4, 5}},
                   .one = {{1, 1}},
                   .empty = {{0, 5}},
                   .large = {{300, 150}},
                   .wrong = {{{{5}}, "cross_entropy: needs logits (n, C), got (5)"}},
                   .misuse = {{[] {
                                 (void)cross_entropy(zeros_of({2, 3}), Tensor::from({0, 3}));
                               },
                               "cross_entropy: target 3 is outside of [0, 3)"},
                              {[] {
                                 (void)cross_entropy(zeros_of({2, 3}), Tensor::from({-1, 0}));
                               },
                               "cross_entropy: target -1 is outside of [0, 3)"},
                              {[] {
                                 (void)cross_entropy(zeros_of({2, 3}), Tensor::from({0}));
                               },
                               "cross_entropy: targets must be i32 (2), got i32 (1)"},
                              {[] {
                                 (void)cross_entropy(zeros_of({2, 3}), zeros_of({2}));
                               },
                               "cross_entropy: targets must be i32 (2), got f64 (2); "
                               "Tensor::of({...}, DType::i32) makes such"}}});
  cases.push_back(
      {.op = "linear_cross_entropy(Var, Var, Tensor, double, Tensor)",
       .call =
           [](In x) {
             const int64_t classes = x[1].shape()[0];
             return linear_cross_entropy(x[0], x[1], targets_of(x[0].shape()[0], classes)).total;
           },
       .naive = [](Arrays in) { return linear_cross_entropy_of(in); },
       .shapes = {{4, 3}, {5, 3}},
       .one = {{1, 1}, {1, 1}},
       .empty = {{0, 3}, {5, 3}},
       .large = {{300, 4}, {30'000, 4}},  // two chunks of rows
       .wrong = {{{{4, 3}, {5, 2}},
                  "linear_cross_entropy: x (4, 3) does not fit the weight (5, 2)"}},
       .misuse =
           {{[] {
               (void)linear_cross_entropy(zeros_of({1, 2}), zeros_of({3, 2}), Tensor::from({3}));
             },
             "linear_cross_entropy: target 3 is outside of [0, 3)"}}});
  for (OpCase& smooth : smoothed_losses()) cases.push_back(std::move(smooth));
  cases.push_back({.op = "squared_error(Var, Var)",
                   .call = [](In x) { return squared_error(x[0], x[1]); },
                   .naive =
                       [](Arrays x) {
                         double total = 0;
                         for (size_t i = 0; i < x[0].v.size(); ++i) {
                           total += (x[0][i] - x[1][i]) * (x[0][i] - x[1][i]);
                         }
                         return std::vector<double>{total};
                       },
                   .shapes = {{2, 3}, {2, 3}},
                   .one = {{}, {}},
                   .empty = {{0}, {0}},
                   .large = {{300, 130}, {300, 130}},
                   .wrong = {{{{2, 3}, {3}}, "squared_error: shapes differ, (2, 3) and (3)"}}});
  return cases;
}

}  // namespace heed
