#pragma once

#include "tensor/kernels/kernel.h"

namespace heed {

// The number of memory rows that query i of n sees, of m rows: all, or with `causal` those up to
// its own position, where the last query is at the end of the memory. They are the first rows.
HEED_HD inline int64_t rows_seen(bool causal, int64_t n, int64_t m, int64_t i) {
  return causal ? m - n + i + 1 : m;
}
// The number of pairs (query, row that it sees) of the queries before query i.
HEED_HD inline int64_t pairs_before(bool causal, int64_t n, int64_t m, int64_t i) {
  return causal ? i * (m - n) + i * (i + 1) / 2 : i * m;
}

// The pairs of attention over ragged segments: the queries of segment s are the rows [queries[s],
// queries[s + 1]), or row s where `queries` is null. Its memory begins at row starts[s] and has
// memory[s + 1] - memory[s] rows. Its pairs begin at pairs[s], query after query. There is no
// padding: the cost of a query is proportional to the length of its own segment.
struct PairTable {
  const int32_t *queries, *memory, *starts, *pairs;
  int64_t segments, query_rows, memory_rows;  // rows of all segments together
  int64_t total;                              // pairs
  bool causal;

  HEED_HD int64_t first_query(int64_t s) const { return queries ? queries[s] : s; }
  HEED_HD int64_t query_length(int64_t s) const { return first_query(s + 1) - first_query(s); }
  HEED_HD int64_t memory_length(int64_t s) const { return memory[s + 1] - memory[s]; }
  int64_t pairs_of_segment() const { return segments > 0 ? total / segments : 0; }  // on average
  // Query i of segment s has the pairs [begin(s, i), begin(s, i) + seen(s, i)).
  HEED_HD int64_t seen(int64_t s, int64_t i) const {
    return rows_seen(causal, query_length(s), memory_length(s), i);
  }
  HEED_HD int64_t begin(int64_t s, int64_t i) const {
    return pairs[s] + pairs_before(causal, query_length(s), memory_length(s), i);
  }
};

}  // namespace heed

// For numbers w (heads, pairs), and rows of `heads` parts, each `width` wide: in each head, over
// the pairs (i, j),
//   pair_dots      w_ij = query_i . memory_j
//   pair_sums      y_i  = sum_j w_ij memory_j
//   pair_collect   y_j += sum_i w_ij query_i        for memories whose segments share no rows
HEED_KERNEL(template <class T> void pair_dots(Out<T> w, const T* query, const T* memory,
                                              PairTable p, int64_t heads, int64_t width));
HEED_KERNEL(template <class T> void pair_sums(Out<T> y, const T* w, const T* memory, PairTable p,
                                              int64_t heads, int64_t width));
HEED_KERNEL(template <class T> void pair_collect(T* y, const T* w, const T* query, PairTable p,
                                                 int64_t heads, int64_t width));
// For each query:
//   y_j  = exp(scale x_j - m) / sum_j exp(scale x_j - m),    m = max_j scale x_j;   y may be x
//   dx_j = scale y_j (dy_j - sum_j y_j dy_j)
HEED_KERNEL(template <class T>
            void pair_softmax_forward(T* y, const T* x, T scale, PairTable p, int64_t heads));
HEED_KERNEL(template <class T> void pair_softmax_backward(T* dx, const T* y, const T* dy, T scale,
                                                          PairTable p, int64_t heads));

namespace heed::cpu {
// Attention without its weights, for tables where each segment has its queries:
//   y_i = sum_j w_ij value_j,  w_i = softmax_j(query_i . key_j / sqrt(width)),  in each head
// A tile of w is in the cache while it is computed and used. On CUDA an op takes the kernels above.
template <class T>
void pair_attention(T* y, const T* query, const T* key, const T* value, PairTable p, int64_t heads,
                    int64_t width);
}  // namespace heed::cpu
