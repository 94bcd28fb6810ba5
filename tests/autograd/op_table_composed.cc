// Rows of the op table: what autograd/composed.h makes of other ops.
#include "autograd/composed.h"

#include <algorithm>
#include <cmath>

#include "tests/autograd/op_table.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

// f(the elements along axis 1) of (outer, n, inner).
template <class F> Numbers along_axis_1(const Array& x, F f) {
  const int64_t n = x.shape[1], inner = x.shape.rank() > 2 ? x.shape[2] : 1;
  Numbers y;
  for (int64_t o = 0; o < x.shape[0]; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      Numbers along;
      for (int64_t j = 0; j < n; ++j) along.push_back(x[(o * n + j) * inner + i]);
      y.push_back(f(along));
    }
  }
  return y;
}

double min_of(const Numbers& x) {
  return *std::min_element(x.begin(), x.end());
}
double dot(const Numbers& a, const Numbers& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}
double norm_of(const Numbers& x) {
  return std::sqrt(dot(x, x));
}
double variance_of(const Numbers& x) {
  const double n = static_cast<double>(x.size()), mean = dot(x, Numbers(x.size(), 1)) / n;
  double squares = 0;
  for (double v : x) squares += (v - mean) * (v - mean);
  return squares / (n - 1);
}
double logsumexp_of(const Numbers& x) {
  double total = 0;
  for (double v : x) total += std::exp(v);
  return std::log(total);
}

// y = call(x, axis 1); the result of the smallest call needs two elements where n - 1 divides.
OpCase over_axis_1(const std::string& op, Var (*call)(const Var&), double (*naive)(const Numbers&),
                   const std::string& name) {
  return {.op = op,
          .call = [=](In x) { return call(x[0]); },
          .naive = [=](Arrays x) { return along_axis_1(x[0], naive); },
          .shapes = {{2, 5, 3}},
          .one = {{1, 2}},
          .empty = {{0, 3, 2}},
          .large = {{37, 50, 41}},
          .domain = {.apart = 1e-3},
          .wrong = {{{{3}}, name + ": axis 1 is outside of the shape (3)"}}};
}

std::vector<OpCase> reductions() {
  std::vector<OpCase> rows = {
      over_axis_1(
          "min(Var, int, bool)", [](const Var& x) { return min(x, 1); }, min_of, "min"),
      over_axis_1(
          "variance(Var, int, bool, int)", [](const Var& x) { return variance(x, 1); }, variance_of,
          "variance"),
      over_axis_1(
          "stddev(Var, int, bool, int)", [](const Var& x) { return stddev(x, 1, true); },
          [](const Numbers& x) { return std::sqrt(variance_of(x)); }, "variance"),
      over_axis_1(
          "logsumexp(Var, int, bool)", [](const Var& x) { return logsumexp(x, 1); }, logsumexp_of,
          "logsumexp"),
      over_axis_1(
          "norm(Var, int, bool)", [](const Var& x) { return norm(x, 1); }, norm_of, "norm"),
  };
  rows[0].wrong.push_back({{{2, 0}}, "min: no elements along axis 1 of (2, 0)"});
  rows[1].wrong.push_back(
      {{{2, 1}}, "variance: needs more elements than the correction, 1, along axis 1 of (2, 1)"});
  rows[3].wrong.push_back({{{2, 0}}, "logsumexp: no elements along axis 1 of (2, 0)"});
  rows.push_back({.op = "min(Var)",
                  .call = [](In x) { return min(x[0]); },
                  .naive = [](Arrays x) { return Numbers{min_of(x[0].v)}; },
                  .shapes = {{3, 4}},
                  .one = {{1}},
                  .empty = {{0, 2}},
                  .refuses_empty = "min: no elements in (0, 2)",
                  .large = {{300, 200}},
                  .any_shape = true});
  rows.push_back({.op = "norm(Var)",
                  .call = [](In x) { return norm(x[0]); },
                  .naive = [](Arrays x) { return Numbers{norm_of(x[0].v)}; },
                  .shapes = {{3, 4}},
                  .one = {{1}},
                  .empty = {{0, 2}},
                  .large = {{300, 200}},
                  .domain = {.apart = 1e-3},
                  .any_shape = true});
  rows.push_back(
      {.op = "cosine_similarity(Var, Var, int)",
       .call = [](In x) { return cosine_similarity(x[0], x[1]); },
       .naive =
           [](Arrays x) {
             Numbers y;
             const size_t n = x[0].shape.back();
             for (size_t at = 0; n && at < x[0].v.size(); at += n) {
               const Numbers a(&x[0].v[at], &x[0].v[at] + n), b(&x[1].v[at], &x[1].v[at] + n);
               y.push_back(dot(a, b) / (norm_of(a) * norm_of(b)));
             }
             return y;
           },
       .shapes = {{3, 4}, {3, 4}},
       .one = {{1}, {1}},
       .empty = {{0, 2}, {0, 2}},
       .large = {{300, 200}, {300, 200}},
       .domain = {.apart = 1e-2},
       .wrong = {{{{2, 3}, {4}}, "cosine_similarity: shapes do not broadcast, (2, 3) and (4)"}}});
  return rows;
}

Numbers tril_of(const Array& x) {
  const int64_t n = x.shape[-2], m = x.shape[-1];
  Numbers y = x.v;
  for (size_t i = 0; i < y.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (at % m > at / m % n + 1) y[i] = 0;
  }
  return y;
}

// y (c, a, b) of x (a, b, c)
Numbers permute_of(const Array& x) {
  const int64_t a = x.shape[0], b = x.shape[1], c = x.shape[2];
  Numbers y;
  for (int64_t k = 0; k < c; ++k) {
    for (int64_t i = 0; i < a * b; ++i) y.push_back(x[i * c + k]);
  }
  return y;
}

std::vector<OpCase> shapes() {
  return {{.op = "permute(Var, std::vector<int>)",
           .call =
               [](In x) {
                 return permute(x[0], {-1, 0, 1});
               },
           .naive = [](Arrays x) { return permute_of(x[0]); },
           .shapes = {{2, 3, 4}},
           .one = {{1, 1, 1}},
           .empty = {{2, 0, 3}},
           .large = {{37, 41, 43}},
           .wrong = {{{{2, 3}}, "permute: 3 axes for (2, 3)"}},
           .misuse = {{[] {
                         (void)permute(zeros_of({2, 3}), {1, 1});
                       },
                       "permute: axis 1 is named twice"}}},
          {.op = "squeeze(Var, int)",
           .call = [](In x) { return squeeze(x[0], 1); },
           .naive = [](Arrays x) { return x[0].v; },
           .shapes = {{2, 1, 3}},
           .one = {{1, 1}},
           .empty = {{0, 1, 2}},
           .large = {{300, 1, 200}},
           .wrong = {{{{2, 3}}, "squeeze: axis 1 of (2, 3) must have size 1"}}},
          {.op = "select(Var, int, int64_t)",
           .call = [](In x) { return select(x[0], 1, -2); },
           .naive =
               [](Arrays x) {
                 return along_axis_1(x[0], [](const Numbers& v) { return v[v.size() - 2]; });
               },
           .shapes = {{2, 4, 3}},
           .one = {{1, 2}},
           .empty = {{0, 3, 2}},
           .large = {{37, 50, 41}},
           .wrong = {{{{2, 1}}, "select: index -2 is outside of axis 1 of (2, 1)"}},
           .misuse = {{[] {
                         (void)select(zeros_of({2, 3}), 0, 2);
                       },
                       "select: index 2 is outside of axis 0 of (2, 3)"}}},
          {.op = "tril(Var, int64_t)",
           .call = [](In x) { return tril(x[0], 1); },
           .naive = [](Arrays x) { return tril_of(x[0]); },
           .shapes = {{2, 3, 5}},
           .one = {{1, 1}},
           .empty = {{0, 3}},
           .large = {{3, 150, 130}},
           .wrong = {{{{3}}, "tril: needs two axes, got (3)"}}},
          {.op = "top_k(Var, int64_t)",
           .call = [](In x) { return top_k(x[0], x[0].shape().back() > 1 ? 2 : 1).values; },
           .naive =
               [](Arrays x) {
                 Numbers y;
                 const size_t n = x[0].shape.back(), k = n > 1 ? 2 : 1;
                 for (size_t at = 0; at < x[0].v.size(); at += n) {
                   Numbers row(&x[0].v[at], &x[0].v[at] + n);
                   std::sort(row.begin(), row.end(), std::greater<>());
                   y.insert(y.end(), row.begin(), row.begin() + static_cast<int64_t>(k));
                 }
                 return y;
               },
           .shapes = {{2, 3, 5}},
           .one = {{1}},
           .empty = {{0, 3}},
           .large = {{300, 200}},
           .wrong = {{{{2, 0}}, "top_k: k = 1 does not fit rows of (2, 0)"}},
           .misuse = {{[] {
                         (void)top_k(zeros_of({2, 3}), 4);
                       },
                       "top_k: k = 4 does not fit rows of (2, 3)"}}}};
}

}  // namespace

std::vector<OpCase> composed_cases() {
  std::vector<OpCase> rows = reductions();
  const std::vector<OpCase> more = shapes();
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace heed
