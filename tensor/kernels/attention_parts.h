// Attention on the CPU, in parts that one thread computes alone: how the work is distributed, and
// what is computed row by row because each segment has one query.
#pragma once

#include <algorithm>
#include <vector>

#include "tensor/kernels/attention.h"
#include "tensor/kernels/columns.h"
#include "tensor/kernels/gemm.h"
#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

constexpr int64_t kTileQueries = 64;

// Queries [first, first + count) of a segment and of those after it that see the same rows, in one
// head.
struct Part {
  int64_t segment, head, first, count, cols;  // cols: rows that the last query sees
  const PairTable& p;

  int64_t seen(int64_t i) const { return p.seen(segment, first + i); }
  // The numbers of query i.
  int64_t pairs(int64_t i) const { return head * p.total + p.begin(segment, first + i); }
  template <class T> Mat<T> queries(T* x, int64_t heads, int64_t width) const {
    return rows(x, p.first_query(segment) + first, count, heads, width);
  }
  template <class T> Mat<T> memory(T* x, int64_t heads, int64_t width) const {
    return rows(x, p.starts[segment], cols, heads, width);
  }
  // body(pair, query, row) with their first elements, for queries that see all rows.
  template <class Q, class M, class Body>
  void for_each_pair(Mat<Q> queries, Mat<M> memory, Body body) const {
    const int64_t before = pairs(0);
    for (int64_t j = 0; j < cols; ++j) {
      for (int64_t i = 0; i < count; ++i) {
        body(before + i * cols + j, queries.at + i * queries.ld, memory.at + j * memory.ld);
      }
    }
  }

 private:
  template <class T>
  Mat<T> rows(T* x, int64_t begin, int64_t n, int64_t heads, int64_t width) const {
    return {x + (begin * heads + head) * width, n, width, heads * width};
  }
};

// Whether all queries of both segments see the same rows. As pairs are stored query after query,
// such neighbours act as one segment.
inline bool same_rows(const PairTable& p, int64_t a, int64_t b) {
  return !p.causal && p.starts[a] == p.starts[b] && p.memory_length(a) == p.memory_length(b);
}

// Numbers in the memory of a tile's row: whole vectors.
inline int64_t padded(int64_t cols) {
  constexpr int64_t kNumbers = 16;
  return (cols + kNumbers - 1) / kNumbers * kNumbers;
}

// body(part, tile) for all parts, tile (count, cols), its rows padded. All parts of a segment and a
// head belong to one thread, one after the other; so do neighbours that see the same rows, such as
// the hypotheses of a beam. A thread takes several short segments at a time: handing them out one
// by one would cost as much as a dozen rows each.
template <class T, class Body>
void for_each_part(const PairTable& p, int64_t heads, int64_t width, Body body) {
  for_each_row(p.segments * heads, p.pairs_of_segment() * width, [&](int64_t piece) {
    const int64_t s = piece / heads;
    if (s > 0 && same_rows(p, s - 1, s)) return;  // was done with s - 1
    int64_t end = s + 1;
    while (end < p.segments && same_rows(p, s, end)) ++end;
    const int64_t queries = p.first_query(end) - p.first_query(s);
    const int64_t row = padded(p.memory_length(s));
    std::vector<T> memory(p.queries ? std::min(kTileQueries, queries) * row : 0);
    for (int64_t i = 0; i < queries; i += kTileQueries) {
      const int64_t count = std::min(kTileQueries, queries - i), cols = p.seen(s, i + count - 1);
      body(Part{s, piece % heads, i, count, cols, p}, Mat<T>{memory.data(), count, cols, row});
    }
  });
}

// pair_dots(), pair_sums() and pair_collect() of one part, row by row.
template <class T>
void dots_by_rows(Out<T> w, Mat<const T> queries, Mat<const T> memory, const Part& part) {
  part.for_each_pair(queries, memory, [=](int64_t pair, const T* query, const T* row) {
    w.put(pair, row_dot(row, query, queries.cols));
  });
}

template <class T>
void sums_by_rows(Mat<T> y, Write write, const T* w, Mat<const T> memory, const Part& part) {
  for (int64_t i = 0; i < y.rows && write == Write::assign; ++i) {
    std::fill_n(y.at + i * y.ld, y.cols, T(0));
  }
  part.for_each_pair(
      y, memory, [=](int64_t pair, T* sum, const T* row) { row_axpy(sum, w[pair], row, y.cols); });
}

// The same for memories of so many rows that a sum in T would lose digits.
template <class T>
void long_sums_by_rows(Mat<T> y, Write write, const T* w, Mat<const T> memory, const Part& part) {
  std::vector<double> sums(y.cols);
  for (int64_t i = 0; i < y.rows; ++i) {
    const T* const of_query = w + part.pairs(i);
    std::fill(sums.begin(), sums.end(), 0.0);
    add_rows<T>(sums.data(), part.cols, y.cols,
                [=](int64_t j, int64_t c) { return of_query[j] * memory.at[j * memory.ld + c]; });
    const Out<T> to{y.at + i * y.ld, write};
    for (int64_t c = 0; c < y.cols; ++c) to.put(c, T(sums[c]));
  }
}

template <class T>
void collect_by_rows(Mat<T> y, const T* w, Mat<const T> queries, const Part& part) {
  part.for_each_pair(queries, y, [=](int64_t pair, const T* query, T* sum) {
    row_axpy(sum, w[pair], query, y.cols);
  });
}

}  // namespace heed::cpu
