// The products of a head of a segment are matrix products, some queries at a time: these see a
// rectangle of the memory, or nearly so. Their numbers stand in a tile, (queries, rows seen), where
// rows that a query does not see have zeros. Where each segment has one query, there is no tile,
// and each row of the memory is read once.
#include "tensor/kernels/attention.h"

#include "tensor/kernels/attention_parts.h"
#include "tensor/kernels/matmul.h"

namespace heed::cpu {
namespace {

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
  for_each_row(p.segments * heads, 4 * p.pairs_of_segment(), [&](int64_t piece) {
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
  if (!p.queries) count_product(p.total, heads, width);  // else gemm() does
  for_each_part<T>(p, heads, width, [=](const Part& part, Mat<T> tile) {
    const auto q = part.queries(query, heads, width), m = part.memory(memory, heads, width);
    if (p.queries) {
      gemm<T>(tile, q, m.t(), Write::assign);
      return write_tile(w, tile, part);
    }
    dots_by_rows<T>(w, q, m, part);
  });
}

template <class T>
void pair_sums(Out<T> y, const T* w, const T* memory, PairTable p, int64_t heads, int64_t width) {
  if (!p.queries) count_product(p.total, heads, width);  // else gemm() does
  for_each_part<T>(p, heads, width, [=](const Part& part, Mat<T> tile) {
    const Mat<T> sums = part.queries(y.at, heads, width);
    const auto m = part.memory(memory, heads, width);
    if (p.queries) {
      read_tile(tile, w, part);
      return gemm<T>(sums, tile, m, y.write);
    }
    if (part.cols > kManyTerms) return long_sums_by_rows<T>(sums, y.write, w, m, part);
    sums_by_rows<T>(sums, y.write, w, m, part);
  });
}

template <class T>
void pair_collect(T* y, const T* w, const T* query, PairTable p, int64_t heads, int64_t width) {
  if (!p.queries) count_product(p.total, heads, width);  // else gemm() does
  for_each_part<T>(p, heads, width, [=](const Part& part, Mat<T> tile) {
    const Mat<T> sums = part.memory(y, heads, width);
    const auto q = part.queries(query, heads, width);
    if (p.queries) {
      read_tile(tile, w, part);
      return gemm<T>(sums, tile.t(), q, Write::add);
    }
    collect_by_rows<T>(sums, w, q, part);
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

// The numbers of a row up to the next multiple of kLanes take part, as exp(-infinity) = 0: a loop
// over whole vectors has no rest to compute one by one, which in a row of 25 costs more than the
// vectors do.
template <class T> void softmax_of_row(T* row, T scale, int64_t seen, int64_t cols) {
  const int64_t n = padded(seen);
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) row[j] *= scale;
  std::fill(row + seen, row + n, -std::numeric_limits<T>::infinity());
  const T factor = T(1) / row_exp(row, row, row_max(row, n), n);
#pragma omp simd
  for (int64_t j = 0; j < n; ++j) row[j] *= factor;
  std::fill(row + n, row + std::max(n, cols), T(0));
}

template <class T>
void pair_attention(T* y, const T* query, const T* key, const T* value, PairTable p, int64_t heads,
                    int64_t width) {
  const T scale = T(1) / std::sqrt(static_cast<T>(width));
  for_each_part<T>(p, heads, width, [=](const Part& part, Mat<T> tile) {
    gemm<T>(tile, part.queries(query, heads, width), part.memory(key, heads, width).t(),
            Write::assign);
    for (int64_t i = 0; i < part.count; ++i) {
      softmax_of_row(tile.at + i * tile.ld, scale, part.seen(i), part.cols);
    }
    gemm<T>(part.queries(y, heads, width), tile, part.memory(value, heads, width), Write::assign);
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

HEED_INSTANTIATE(pair_dots, pair_sums, pair_collect, pair_softmax_forward, pair_softmax_backward,
                 pair_attention);

}  // namespace heed::cpu
