#include "tensor/kernels/attention.h"

#include <cmath>

#include "autograd/composed.h"
#include "autograd/node.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/softmax.h"

namespace heed {
namespace {

void check_rows(const char* op, const char* input, const Shape& given, int64_t rows) {
  check_shape(given.rank() >= 1 && given[0] == rows, op, ": ", input, " ", given,
              " does not fit segments of ", rows, " rows");
}

PairTable table_of(const AttentionPairs& pairs) {
  return pairs.table();
}

// Segments that share rows would add to the same gradient from several threads.
void check_memory(const char* op, const Var& memory, const Segments& s) {
  check_by_sequence(op, memory);
  check_devices(op, s.offsets(), memory.value());
  check_shape(!s.selected() || !wants_grad(memory), op,
              ": a memory whose segments were selected gets no gradient");
}

void check_memory(const char* op, const char* name, const Var& memory,
                  const AttentionPairs& pairs) {
  const int64_t rows = pairs.memory().memory_rows();
  check_shape(memory.shape().rank() == 2 && memory.shape()[0] == rows, op, ": ", name, " ",
              memory.shape(), ", expected ", rows, " rows");
  check_memory(op, memory, pairs.memory());
}

// y_i = sum_j w_ij m_j,   dw_ij = dy_i . m_j,   dm_j = sum_i w_ij dy_i,   in each head
template <class Pairs>
Var weighted_sums(const char* op, const Var& w, const Var& m, const Pairs& pairs, int64_t heads) {
  const PairTable table = table_of(pairs);
  const int64_t width = m.shape()[1] / heads;
  const Tensor y = Tensor::empty({table.query_rows, m.shape()[1]}, m.dtype(), m.device());
  KERNEL(y,
         pair_sums<T>(y.data<T>(), w.value().data<T>(), m.value().data<T>(), table, heads, width));

  return record(op, y, {w, m},
                [w = w.for_grad_of(m), m = m.for_grad_of(w), pairs, heads, width](Tensor dy,
                                                                                  const Grads& dx) {
                  const PairTable p = table_of(pairs);
                  if (dx.needs(0))
                    KERNEL(dy, pair_dots(dx.to<T>(0), dy.data<T>(), m.data<T>(), p, heads, width));
                  if (dx.needs(1))
                    KERNEL(dy,
                           pair_collect(dx.sum<T>(1), w.data<T>(), dy.data<T>(), p, heads, width));
                });
}

}  // namespace

// scores_j = memory_j . query_b,   dquery_b = sum_j ds_j memory_j,   dmemory_j = ds_j query_b
Var segment_scores(const Var& query, const Var& memory, const Segments& s) {
  check_shape(query.shape().rank() == 2 && memory.shape().rank() == 2 &&
                  query.shape()[1] == memory.shape()[1],
              "segment_scores: query ", query.shape(), " does not fit memory ", memory.shape());
  check_types("segment_scores", query, memory);
  check_shape(query.shape()[0] == s.count(), "segment_scores: ", query.shape()[0], " queries, ",
              s.count(), " segments");
  check_rows("segment_scores", "memory", memory.shape(), s.memory_rows());
  check_memory("segment_scores", memory, s);
  const int64_t width = query.shape()[1];
  const Tensor y = Tensor::empty({s.total()}, query.dtype(), query.device());
  KERNEL(y, pair_dots<T>(y.data<T>(), query.value().data<T>(), memory.value().data<T>(),
                         table_of(s), 1, width));

  return record("segment_scores", y, {query, memory},
                [q = query.for_grad_of(memory), m = memory.for_grad_of(query), s, width](
                    Tensor ds, const Grads& dx) {
                  const PairTable p = table_of(s);
                  if (dx.needs(0))
                    KERNEL(ds, pair_sums(dx.to<T>(0), ds.data<T>(), m.data<T>(), p, 1, width));
                  if (dx.needs(1))
                    KERNEL(ds, pair_collect(dx.sum<T>(1), ds.data<T>(), q.data<T>(), p, 1, width));
                });
}

// softmax within each segment, as in softmax.cc
Var segment_softmax(const Var& scores, const Segments& s) {
  check_float("segment_softmax", scores);
  check_by_sequence("segment_softmax", scores);
  check_shape(scores.shape().rank() == 1, "segment_softmax: scores must be (P), got ",
              scores.shape());
  check_rows("segment_softmax", "scores", scores.shape(), s.total());
  check_devices("segment_softmax", s.offsets(), scores.value());
  const int64_t count = s.count();
  const Tensor y = empty_like(scores.value());
  KERNEL(y, segment_softmax_forward(y.data<T>(), scores.value().data<T>(),
                                    s.offsets().data<int32_t>(), count));

  return record("segment_softmax", y, {scores},
                [y = Saved(y), at = s.offsets(), count](Tensor dy, const Grads& dx) {
                  KERNEL(dy, segment_softmax_backward(dx.to<T>(0), y.data<T>(), dy.data<T>(),
                                                      at.data<int32_t>(), count));
                });
}

// context_b = sum_j w_j memory_j
Var segment_context(const Var& weights, const Var& memory, const Segments& s) {
  check_shape(weights.shape().rank() == 1 && memory.shape().rank() == 2,
              "segment_context: needs weights (P) and memory (M, H), got ", weights.shape(),
              " and ", memory.shape());
  check_rows("segment_context", "weights", weights.shape(), s.total());
  check_rows("segment_context", "memory", memory.shape(), s.memory_rows());
  check_types("segment_context", weights, memory);
  check_by_sequence("segment_context", weights);
  check_memory("segment_context", memory, s);
  return weighted_sums("segment_context", weights, memory, s, 1);
}

namespace {

void check_queries(const char* op, const Var& q, const Var& k, const AttentionPairs& pairs,
                   int64_t heads) {
  check_types(op, q, k);
  check_shape(q.shape().rank() == 2 && k.shape().rank() == 2 && q.shape()[1] == k.shape()[1], op,
              ": queries ", q.shape(), " do not fit keys ", k.shape());
  check_shape(heads > 0 && q.shape()[1] % heads == 0, op, ": ", q.shape()[1], " columns, ", heads,
              " heads");
  check_shape(q.shape()[0] == pairs.queries().total(), op, ": queries ", q.shape(), ", expected ",
              pairs.queries().total(), " rows");
  check_memory(op, "keys", k, pairs);
  check_by_sequence(op, q);
}

}  // namespace

// s_ij = q_i . k_j / sqrt(width),   w_i = softmax_j(s_ij),   in each head
//   ds_ij = w_ij (dw_ij - sum_j w_ij dw_ij),   dq_i = sum_j ds_ij k_j / sqrt(width),   dk_j alike
Var attention_weights(const Var& q, const Var& k, const AttentionPairs& pairs, int64_t heads) {
  check_queries("attention_weights", q, k, pairs, heads);
  const int64_t width = q.shape()[1] / heads;
  const double scale = 1 / std::sqrt(static_cast<double>(width));
  const Tensor w = Tensor::empty({heads, pairs.total()}, q.dtype(), q.device());
  KERNEL(w, pair_dots<T>(w.data<T>(), q.value().data<T>(), k.value().data<T>(), pairs.table(),
                         heads, width));
  KERNEL(w, pair_softmax_forward(w.data<T>(), w.data<T>(), T(scale), pairs.table(), heads));

  return record(
      "attention_weights", w, {q, k},
      [q = q.for_grad_of(k), k = k.for_grad_of(q), w = Saved(w), pairs, heads, width, scale](
          Tensor dw, const Grads& dx) {
        const PairTable p = pairs.table();
        const Tensor ds = empty_like(dw);
        KERNEL(dw,
               pair_softmax_backward(ds.data<T>(), w.data<T>(), dw.data<T>(), T(scale), p, heads));
        if (dx.needs(0))
          KERNEL(dw, pair_sums(dx.to<T>(0), ds.data<T>(), k.data<T>(), p, heads, width));
        if (dx.needs(1))
          KERNEL(dw, pair_collect(dx.sum<T>(1), ds.data<T>(), q.data<T>(), p, heads, width));
      });
}

// y_i = sum_j w_ij v_j
Var attention_context(const Var& w, const Var& v, const AttentionPairs& pairs) {
  check_shape(w.shape().rank() == 2 && w.shape()[1] == pairs.total(), "attention_context: weights ",
              w.shape(), ", expected (heads, ", pairs.total(), ")");
  const int64_t heads = w.shape()[0];
  check_shape(v.shape().rank() == 2 && heads > 0 && v.shape()[1] % heads == 0,
              "attention_context: values ", v.shape(), ", expected (rows, a multiple of ", heads,
              " heads)");
  check_types("attention_context", w, v);
  check_memory("attention_context", "values", v, pairs);
  return weighted_sums("attention_context", w, v, pairs, heads);
}

// As the composition: attention_context(attention_weights(q, k), v).
Var attention(const Var& q, const Var& k, const Var& v, const AttentionPairs& pairs,
              int64_t heads) {
  check_queries("attention", q, k, pairs, heads);
  check_types("attention", q, v);
  check_by_sequence("attention", v);
  check_shape(v.shape() == k.shape(), "attention: values ", v.shape(), ", keys ", k.shape());
  if (q.device().is_cuda() || wants_grad(q) || wants_grad(k) || wants_grad(v)) {
    return attention_context(attention_weights(q, k, pairs, heads), v, pairs);
  }
  const Tensor y = empty_like(q.value());
  const auto compute = [&]<class T>(T* out) {
    cpu::pair_attention<T>(out, q.value().data<T>(), k.value().data<T>(), v.value().data<T>(),
                           pairs.table(), heads, q.shape()[1] / heads);
  };
  if (y.dtype() == DType::f32) {
    compute(y.data<float>());
  } else {
    compute(y.data<double>());
  }
  return record("attention", y, {q, k, v}, {});  // a constant
}

}  // namespace heed
