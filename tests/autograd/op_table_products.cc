// Rows of the op table: matrix products.
#include "tests/autograd/op_table.h"

namespace heed {
namespace {

// a (m, k) b (k, n) of the batch entry i
void multiply(std::vector<double>& c, const double* a, const double* b, int64_t m, int64_t k,
              int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      c.push_back(sum);
    }
  }
}

std::vector<double> bmm_of(Arrays x) {
  const int64_t batch = x[0].shape[0], m = x[0].shape[1], k = x[0].shape[2], n = x[1].shape[2];
  std::vector<double> c;
  for (int64_t i = 0; i < batch; ++i) {
    multiply(c, x[0].v.data() + i * m * k, x[1].v.data() + i * k * n, m, k, n);
  }
  return c;
}

std::vector<double> matmul_of(Arrays x) {
  std::vector<double> c;
  multiply(c, x[0].v.data(), x[1].v.data(), x[0].shape[0], x[0].shape[1], x[1].shape[1]);
  return c;
}

// x W^T + b for the columns of W from first_col on
std::vector<double> affine_of(Arrays x, int64_t first_col) {
  const int64_t in = x[0].shape.back(), out = x[1].shape[0], ld = x[1].shape[1];
  std::vector<double> y;
  for (size_t at = 0; in && at < x[0].v.size(); at += in) {
    for (int64_t o = 0; o < out; ++o) {
      double sum = x.size() > 2 ? x[2][o] : 0;
      for (int64_t i = 0; i < in; ++i) sum += x[0][at + i] * x[1][o * ld + first_col + i];
      y.push_back(sum);
    }
  }
  return y;
}

}  // namespace

std::vector<OpCase> product_cases() {
  std::vector<OpCase> cases;
  cases.push_back({.op = "matmul(Var, Var)",
                   .call = [](In x) { return matmul(x[0], x[1]); },
                   .naive = matmul_of,
                   .shapes = {{4, 3}, {3, 5}},
                   .one = {{1, 1}, {1, 1}},
                   .empty = {{2, 0}, {0, 3}},
                   .large = {{300, 40}, {40, 1030}},
                   .wrong = {{{{2, 3}, {4, 5}}, "matmul: inner axes differ, (2, 3) times (4, 5)"},
                             {{{2, 3}, {3}}, "matmul: needs two matrices, got (2, 3) and (3)"}}});
  cases.push_back(
      {.op = "bmm(Var, Var)",
       .call = [](In x) { return bmm(x[0], x[1]); },
       .naive = bmm_of,
       .shapes = {{2, 4, 3}, {2, 3, 5}},
       .one = {{1, 1, 1}, {1, 1, 1}},
       .empty = {{0, 2, 3}, {0, 3, 2}},
       .large = {{9, 20, 30}, {9, 30, 25}},
       .wrong = {{{{2, 4, 3}, {3, 3, 5}},
                  "bmm: needs (b, m, k) times (b, k, n), got (2, 4, 3) and (3, 3, 5)"}}});
  OpCase affine_row = {
      .op = "affine(Var, Var, Var)",
      .call = [](In x) { return affine(x[0], x[1], x[2]); },
      .naive = [](Arrays x) { return affine_of(x, 0); },
      .shapes = {{2, 3, 4}, {5, 4}, {5}},
      .one = {{1}, {1, 1}, {1}},
      .empty = {{0, 4}, {5, 4}, {5}},
      .large = {{300, 40}, {1030, 40}, {1030}},
      .wrong = {{{{2, 3}, {5, 4}, {5}}, "affine: x (2, 3) does not fit the weight (5, 4)"},
                {{{2, 4}, {5, 4}, {4}}, "affine: bias (4) does not fit the weight (5, 4)"},
                {{{2, 4}, {4}, {4}},
                 "affine: x (2, 4) and weight (4), expected (..., in) and (out, in)"}}};
  cases.push_back(affine_row);
  affine_row.variant = "no bias";
  affine_row.call = [](In x) { return affine(x[0], x[1]); };
  for (auto* shapes : {&affine_row.shapes, &affine_row.one, &affine_row.empty, &affine_row.large,
                       &affine_row.wrong[0].shapes}) {
    shapes->pop_back();
  }
  affine_row.wrong.resize(1);
  cases.push_back(affine_row);
  cases.push_back(
      {.op = "affine_columns(Var, Var, int64_t)",
       .call = [](In x) { return affine_columns(x[0], x[1], 1); },
       .naive = [](Arrays x) { return affine_of(x, 1); },
       .shapes = {{2, 2, 2}, {5, 4}},
       .one = {{1}, {1, 2}},
       .empty = {{0, 2}, {5, 4}},
       .large = {{300, 40}, {1030, 50}},
       .wrong = {{{{2, 4}, {5, 4}},
                  "affine_columns: x (2, 4) does not fit the weight (5, 4) from column 1"}},
       .misuse = {{[] {
                     (void)affine_columns(zeros_of({2, 2}), zeros_of({5, 4}), -1);
                   },
                   "affine_columns: x (2, 2) does not fit the weight (5, 4) from column -1"}}});
  return cases;
}

}  // namespace heed
