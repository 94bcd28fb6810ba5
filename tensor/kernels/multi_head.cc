// The products of a head of a segment are matrix products, some queries at a time: these see a
// rectangle of the memory, or nearly so. Their numbers stand in a tile, (queries, rows seen), where
// rows that a query does not see have zeros.
#include "tensor/kernels/multi_head.h"

#include <algorithm>
#include <vector>

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

constexpr int64_t kTileQueries = 64;

// Queries [first, first + count) of a segment, in one head.
struct Part {
  int64_t segment, head, first, count, cols;  // cols: rows that the last query sees
  const PairTable& p;

  int64_t seen(int64_t i) const { return p.seen(segment, first + i); }
  // The numbers of query i.
  int64_t pairs(int64_t i) const { return head * p.total + p.begin(segment, first + i); }
  template <class T> Mat<T> queries(T* x, int64_t heads, int64_t width) const {
    return rows(x, p.queries[segment] + first, count, heads, width);
  }
  template <class T> Mat<T> memory(T* x, int64_t heads, int64_t width) const {
    return rows(x, p.starts[segment], cols, heads, width);
  }

 private:
  template <class T>
  Mat<T> rows(T* x, int64_t begin, int64_t n, int64_t heads, int64_t width) const {
    return {x + (begin * heads + head) * width, n, width, heads * width};
  }
};

// body(part, tile) for all parts, tile (count, cols). All parts of a segment and a head belong to
// one thread, one after the other.
template <class T, class Body> void for_each_part(const PairTable& p, int64_t heads, Body body) {
  parallel_for(p.segments * heads, [&](int64_t piece) {
    const int64_t s = piece / heads, queries = p.query_length(s);
    std::vector<T> memory(std::min(kTileQueries, queries) * p.memory_length(s));
    for (int64_t i = 0; i < queries; i += kTileQueries) {
      const int64_t count = std::min(kTileQueries, queries - i), cols = p.seen(s, i + count - 1);
      body(Part{s, piece % heads, i, count, cols, p}, Mat<T>{memory.data(), count, cols, cols});
    }
  });
}

template <class T> void read_tile(Mat<T> tile, const T* w, const Part& part) {
  for (int64_t i = 0; i < part.count; ++i) {
    T* row = tile.at + i * tile.ld;
    std::copy_n(w + part.pairs(i), part.seen(i), row);
    std::fill(row + part.seen(i), row + part.cols, T(0));
  }
}

template <class T> void write_tile(Out<T> w, Mat<T> tile, const Part& part) {
  for (int64_t i = 0; i < part.count; ++i) {
    const Out<T> row = w.from(part.pairs(i));
    for (int64_t j = 0; j < part.seen(i); ++j) row.put(j, tile.at[i * tile.ld + j]);
  }
}

// body(first pair, how many) for each query in each head.
template <class Body> void for_each_query(const PairTable& p, int64_t heads, Body body) {
  parallel_for(p.segments * heads, [&](int64_t piece) {
    const int64_t s = piece / heads, head = piece % heads;
    for (int64_t i = 0; i < p.query_length(s); ++i) {
      body(head * p.total + p.begin(s, i), p.seen(s, i));
    }
  });
}

}  // namespace

template <class T>
void pair_dots(Out<T> w, const T* query, const T* memory, PairTable p, int64_t heads,
               int64_t width) {
  for_each_part<T>(p, heads, [=](const Part& part, Mat<T> tile) {
    gemm<T>(tile, part.queries(query, heads, width), part.memory(memory, heads, width).t(),
            Write::assign);
    write_tile(w, tile, part);
  });
}

template <class T>
void pair_sums(Out<T> y, const T* w, const T* memory, PairTable p, int64_t heads, int64_t width) {
  for_each_part<T>(p, heads, [=](const Part& part, Mat<T> tile) {
    read_tile(tile, w, part);
    gemm<T>(part.queries(y.at, heads, width), tile, part.memory(memory, heads, width), y.write);
  });
}

template <class T>
void pair_collect(T* y, const T* w, const T* query, PairTable p, int64_t heads, int64_t width) {
  for_each_part<T>(p, heads, [=](const Part& part, Mat<T> tile) {
    read_tile(tile, w, part);
    gemm<T>(part.memory(y, heads, width), tile.t(), part.queries(query, heads, width), Write::add);
  });
}

template <class T>
void pair_softmax_forward(T* y, const T* x, T scale, PairTable p, int64_t heads) {
  for_each_query(p, heads, [=](int64_t at, int64_t n) {
#pragma omp simd
    for (int64_t j = at; j < at + n; ++j) y[j] = scale * x[j];
    const T factor = T(1) / row_exp(y + at, y + at, row_max(y + at, n), n);
#pragma omp simd
    for (int64_t j = at; j < at + n; ++j) y[j] *= factor;
  });
}

template <class T>
void pair_softmax_backward(T* dx, const T* y, const T* dy, T scale, PairTable p, int64_t heads) {
  for_each_query(p, heads, [=](int64_t at, int64_t n) {
    const T dot = row_dot(y + at, dy + at, n);
#pragma omp simd
    for (int64_t j = at; j < at + n; ++j) dx[j] = scale * y[j] * (dy[j] - dot);
  });
}

HEED_INSTANTIATE(pair_dots);
HEED_INSTANTIATE(pair_sums);
HEED_INSTANTIATE(pair_collect);
HEED_INSTANTIATE(pair_softmax_forward);
HEED_INSTANTIATE(pair_softmax_backward);

}  // namespace heed::cpu
