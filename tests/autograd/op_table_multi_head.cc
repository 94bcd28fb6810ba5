// Rows of the op table: attention with many queries a segment.
#include <cmath>

#include "autograd/composed.h"
#include "tests/autograd/op_table.h"

namespace heed {
namespace {

// Three segments where there are enough rows. Where there are more memory rows than queries, the
// last `unused` ones belong to nobody, and the others beyond the queries' number to the first
// segment.
AttentionPairs pairs_for(int64_t queries, int64_t memory, bool causal, int64_t unused) {
  const int64_t count = std::min<int64_t>(queries, queries > 100 ? 20 : 3);
  std::vector<int32_t> of_queries = ragged_lengths(queries, count), of_memory = of_queries;
  if (count) of_memory[0] += static_cast<int32_t>(memory - unused - queries);
  if (!causal && count) std::swap(of_queries.front(), of_queries.back());  // ragged in another way
  of_memory.push_back(static_cast<int32_t>(unused));
  return {Segments(of_queries, table_device()),
          Segments(of_memory, table_device()).first(std::ssize(of_queries)), causal};
}

// Calls f(query row, memory row, pair) for all pairs.
template <class F> void each_pair(const AttentionPairs& pairs, F f) {
  int64_t pair = 0;
  for (int64_t s = 0; s < pairs.queries().count(); ++s) {
    const int64_t n = pairs.queries().length(s), m = pairs.memory().length(s);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < m; ++j) {
        if (pairs.causal() && j > m - n + i) continue;
        f(pairs.queries().begin(s) + i, pairs.memory().memory_begin(s) + j, pair++);
      }
    }
  }
}

// As many heads as there are columns, at most two.
int64_t heads_of(const Shape& rows) {
  return rows.rank() == 2 && rows[1] == 1 ? 1 : 2;
}

std::vector<double> weights_of(const Array& q, const Array& k, const AttentionPairs& pairs) {
  const int64_t heads = heads_of(q.shape), width = q.shape[1] / heads;
  std::vector<double> w(heads * pairs.total());
  for (int64_t h = 0; h < heads; ++h) {
    std::vector<double> sums(q.shape[0]);
    double* of_head = w.data() + h * pairs.total();
    each_pair(pairs, [&](int64_t i, int64_t j, int64_t pair) {
      double dot = 0;
      for (int64_t c = h * width; c < (h + 1) * width; ++c) {
        dot += q[i * q.shape[1] + c] * k[j * q.shape[1] + c];
      }
      of_head[pair] = std::exp(dot / std::sqrt(static_cast<double>(width)));
      sums[i] += of_head[pair];
    });
    each_pair(pairs, [&](int64_t i, int64_t, int64_t pair) { of_head[pair] /= sums[i]; });
  }
  return w;
}

OpCase weights_case(std::string variant, bool causal, int64_t unused) {
  const auto pairs = [=](const Shape& q, const Shape& k) {
    return pairs_for(q[0], k[0], causal, unused);
  };
  return {.op = "attention_weights(Var, Var, AttentionPairs, int64_t)",
          .variant = std::move(variant),
          .call =
              [=](In x) {
                return attention_weights(x[0], x[1], pairs(x[0].shape(), x[1].shape()),
                                         heads_of(x[0].shape()));
              },
          .naive = [=](Arrays x) { return weights_of(x[0], x[1], pairs(x[0].shape, x[1].shape)); },
          .shapes = {{6, 4}, {8 + unused, 4}},
          .one = {{1, 1}, {1 + unused, 1}},
          .empty = {{0, 4}, {unused, 4}},
          .large = {{300, 40}, {310 + unused, 40}},
          .wrong = {{{{6, 4}, {8 + unused, 6}},
                     "attention_weights: queries (6, 4) do not fit keys (" +
                         std::to_string(8 + unused) + ", 6)"}}};
}

OpCase context_case(std::string variant, bool causal, int64_t unused) {
  // The weights say how many pairs there are; the queries that make these are tried out.
  const auto pairs = [=](const Shape& w, const Shape& v) {
    const int64_t memory = std::max(v[0], unused), total = w.back();
    for (int64_t queries = 0; queries <= memory - unused; ++queries) {
      AttentionPairs found = pairs_for(queries, memory, causal, unused);
      if (found.total() == total) return found;
    }
    return pairs_for(memory - unused, memory, causal, unused);
  };
  const auto weights = [=](int64_t heads, int64_t queries, int64_t memory) {
    return Shape{heads, pairs_for(queries, memory, causal, unused).total()};
  };
  return {
      .op = "attention_context(Var, Var, AttentionPairs)",
      .variant = std::move(variant),
      .call =
          [=](In x) { return attention_context(x[0], x[1], pairs(x[0].shape(), x[1].shape())); },
      .naive =
          [=](Arrays x) {
            const AttentionPairs p = pairs(x[0].shape, x[1].shape);
            const int64_t heads = x[0].shape[0], cols = x[1].shape[1], width = cols / heads;
            std::vector<double> y(p.queries().total() * cols);
            each_pair(p, [&](int64_t i, int64_t j, int64_t pair) {
              for (int64_t c = 0; c < cols; ++c) {
                y[i * cols + c] += x[0][c / width * p.total() + pair] * x[1][j * cols + c];
              }
            });
            return y;
          },
      .shapes = {weights(2, 6, 8 + unused), {8 + unused, 4}},
      .one = {{1, 1}, {1 + unused, 1}},
      .empty = {{2, 0}, {unused, 4}},
      .large = {weights(2, 300, 310 + unused), {310 + unused, 40}},
      .wrong = {{{weights(2, 6, 8 + unused), {8 + unused, 5}},
                 "attention_context: values (" + std::to_string(8 + unused) +
                     ", 5), expected (rows, a multiple of 2 heads)"}}};
}

OpCase attention_case(std::string variant, bool causal, int64_t unused) {
  const auto pairs = [=](const Shape& q, const Shape& k) {
    return pairs_for(q[0], k[0], causal, unused);
  };
  return {.op = "attention(Var, Var, Var, AttentionPairs, int64_t)",
          .variant = std::move(variant),
          .call =
              [=](In x) {
                return attention(x[0], x[1], x[2], pairs(x[0].shape(), x[1].shape()),
                                 heads_of(x[0].shape()));
              },
          .naive =
              [=](Arrays x) {
                const AttentionPairs p = pairs(x[0].shape, x[1].shape);
                const std::vector<double> w = weights_of(x[0], x[1], p);
                const int64_t cols = x[0].shape[1], width = cols / heads_of(x[0].shape);
                std::vector<double> y(x[0].shape[0] * cols);
                each_pair(p, [&](int64_t i, int64_t j, int64_t pair) {
                  for (int64_t c = 0; c < cols; ++c) {
                    y[i * cols + c] += w[c / width * p.total() + pair] * x[2][j * cols + c];
                  }
                });
                return y;
              },
          .shapes = {{6, 4}, {8 + unused, 4}, {8 + unused, 4}},
          .one = {{1, 1}, {1 + unused, 1}, {1 + unused, 1}},
          .empty = {{0, 4}, {unused, 4}, {unused, 4}},
          .large = {{300, 40}, {310 + unused, 40}, {310 + unused, 40}},
          .wrong = {{{{6, 4}, {8 + unused, 6}, {8 + unused, 4}},
                     "attention: queries (6, 4) do not fit keys (" + std::to_string(8 + unused) +
                         ", 6)"}}};
}

std::vector<Misuse> misuse() {
  const auto pairs = [] { return AttentionPairs(Segments({3, 3}), Segments({5, 2})); };
  const auto weights = [=](Shape q, Shape k, int64_t heads) {
    (void)attention_weights(zeros_of(q), zeros_of(k), pairs(), heads);
  };
  return {
      {[=] {
         weights({6, 4}, {7, 4}, 3);
       },
       "attention_weights: 4 columns, 3 heads"},
      {[=] {
         weights({6, 4}, {7, 4}, 0);
       },
       "attention_weights: 4 columns, 0 heads"},
      {[=] {
         weights({5, 4}, {7, 4}, 2);
       },
       "attention_weights: queries (5, 4), expected 6 rows"},
      {[=] {
         weights({6, 4}, {8, 4}, 2);
       },
       "attention_weights: keys (8, 4), expected 7 rows"},
      {[=] {
         (void)attention_context(zeros_of({2, 20}), zeros_of({7, 4}), pairs());
       },
       "attention_context: weights (2, 20), expected (heads, 21)"},
      {[=] {
         (void)attention_context(zeros_of({2, 21}), zeros_of({6, 4}), pairs());
       },
       "attention_context: values (6, 4), expected 7 rows"},
      {[] {
         AttentionPairs(Segments({3, 3}), Segments({5}));
       },
       "attention pairs: 2 segments of queries, 1 of the memory"},
      {[] {
         AttentionPairs(Segments({3}).select({0, 0}), Segments({5, 2}));
       },
       "attention pairs: queries cannot be selected segments"},
      {[] {
         AttentionPairs(Segments({1, 3}), Segments({5, 2}), /*causal=*/true);
       },
       "attention pairs: segment 1 has 3 queries and 2 memory rows; causal queries are the last "
       "rows of their memory"},
      {[] { AttentionPairs(Segments({50000}), Segments({50000})); },
       "attention pairs: 2500000000 pairs, more than an i32 can number"}};
}

}  // namespace

std::vector<OpCase> multi_head_cases() {
  std::vector<OpCase> cases = {weights_case("", false, 0),
                               weights_case("causal", true, 0),
                               weights_case("more memory than the queries see", false, 2),
                               context_case("", false, 0),
                               context_case("causal", true, 0),
                               context_case("more memory than the queries see", true, 2),
                               attention_case("", false, 0),
                               attention_case("causal", true, 2)};
  cases[0].misuse = misuse();
  return cases;
}

}  // namespace heed
