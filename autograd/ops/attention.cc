#include "tensor/kernels/attention.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/softmax.h"

namespace heed {
namespace {

void check_rows(const char* op, const char* input, const Shape& given, int64_t rows) {
  check_shape(given.rank() >= 1 && given[0] == rows, op, ": ", input, " ", given,
              " does not fit segments of ", rows, " rows");
}

// Segments that share rows would add to the same gradient from several threads.
void check_gradient(const char* op, const Var& memory, const Segments& s) {
  check_shape(!s.selected() || !wants_grad(memory), op,
              ": a memory whose segments were selected gets no gradient");
}

}  // namespace

// scores_j = memory_j . query_b,   dquery_b = sum_j ds_j memory_j,   dmemory_j = ds_j query_b
Var segment_scores(const Var& query, const Var& memory, const Segments& s) {
  check_shape(query.shape().rank() == 2 && memory.shape().rank() == 2 &&
                  query.shape()[1] == memory.shape()[1],
              "segment_scores: query ", query.shape(), " does not fit memory ", memory.shape());
  check_types("segment_scores", query, memory);
  const int64_t queries = query.shape()[0], width = query.shape()[1];
  check_shape(queries == s.count(), "segment_scores: ", queries, " queries, ", s.count(),
              " segments");
  check_rows("segment_scores", "memory", memory.shape(), s.memory_rows());
  check_by_sequence("segment_scores", memory);
  check_devices("segment_scores", s.offsets(), memory.value());
  check_gradient("segment_scores", memory, s);
  const Tensor y = Tensor::empty({s.total()}, query.dtype(), query.device());
  KERNEL(y, segment_scores_forward(y.data<T>(), query.value().data<T>(), memory.value().data<T>(),
                                   s.offsets().data<int32_t>(), s.starts().data<int32_t>(), queries,
                                   width));

  return record(
      "segment_scores", y, {query, memory},
      [q = query.for_grad_of(memory), m = memory.for_grad_of(query), s, queries, width](
          Tensor dy, const Grads& dx) {
        KERNEL(dy, segment_scores_backward(dx.sum<T>(0), dx.sum<T>(1), q.data<T>(), m.data<T>(),
                                           dy.data<T>(), s.offsets().data<int32_t>(),
                                           s.starts().data<int32_t>(), queries, width));
      });
}

// softmax within each segment, as in softmax.cc
Var segment_softmax(const Var& scores, const Segments& s) {
  check_float("segment_softmax", scores);
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

// context_b = sum_j w_j memory_j,   dw_j = dcontext_b . memory_j,   dmemory_j = w_j dcontext_b
Var segment_context(const Var& weights, const Var& memory, const Segments& s) {
  check_shape(weights.shape().rank() == 1 && memory.shape().rank() == 2,
              "segment_context: needs weights (P) and memory (M, H), got ", weights.shape(),
              " and ", memory.shape());
  check_rows("segment_context", "weights", weights.shape(), s.total());
  check_rows("segment_context", "memory", memory.shape(), s.memory_rows());
  check_by_sequence("segment_context", memory);
  check_types("segment_context", weights, memory);
  check_devices("segment_context", s.offsets(), memory.value());
  check_gradient("segment_context", memory, s);
  const int64_t count = s.count(), width = memory.shape()[1];
  const Tensor y = Tensor::empty({count, width}, memory.dtype(), memory.device());
  KERNEL(y, segment_context_forward(y.data<T>(), weights.value().data<T>(),
                                    memory.value().data<T>(), s.offsets().data<int32_t>(),
                                    s.starts().data<int32_t>(), count, width));

  return record(
      "segment_context", y, {weights, memory},
      [w = weights.for_grad_of(memory), m = memory.for_grad_of(weights), s, count, width](
          Tensor dy, const Grads& dx) {
        KERNEL(dy, segment_context_backward(dx.sum<T>(0), dx.sum<T>(1), w.data<T>(), m.data<T>(),
                                            dy.data<T>(), s.offsets().data<int32_t>(),
                                            s.starts().data<int32_t>(), count, width));
      });
}

}  // namespace heed
