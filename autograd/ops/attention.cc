#include "tensor/kernels/attention.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/softmax.h"

namespace heed {
namespace {

void check_rows(const char* op, const char* input, const Shape& given, int64_t rows) {
  check_shape(given.rank() >= 1 && given[0] == rows,
              std::string(op) + ": " + input + " " + given.str() + " does not fit segments of " +
                  std::to_string(rows) + " rows");
}

// Segments that share rows would add to the same gradient from several threads.
void check_gradient(const char* op, const Var& memory, const Segments& s) {
  check_shape(!s.selected() || !memory.needs_grad() || NoGrad::active(),
              std::string(op) + ": a memory whose segments were selected gets no gradient");
}

}  // namespace

// scores_j = memory_j . query_b,   dquery_b += sum_j ds_j memory_j,   dmemory_j += ds_j query_b
Var segment_scores(const Var& query, const Var& memory, const Segments& s) {
  check_shape(query.shape().rank() == 2 && memory.shape().rank() == 2 &&
                  query.shape()[1] == memory.shape()[1],
              "segment_scores: query " + query.shape().str() + " does not fit memory " +
                  memory.shape().str());
  check_types("segment_scores", query, memory);
  const int64_t queries = query.shape()[0], width = query.shape()[1];
  check_shape(queries == s.count(), "segment_scores: " + std::to_string(queries) + " queries, " +
                                        std::to_string(s.count()) + " segments");
  check_rows("segment_scores", "memory", memory.shape(), s.memory_rows());
  check_devices("segment_scores", s.offsets(), memory.value());
  check_gradient("segment_scores", memory, s);
  Tensor y = Tensor::empty({s.total()}, query.dtype(), query.device());
  KERNEL(y, segment_scores_forward(y.data<T>(), query.value().data<T>(), memory.value().data<T>(),
                                   s.offsets().data<int32_t>(), s.starts().data<int32_t>(), queries,
                                   width));

  return record(
      "segment_scores", y, {query, memory},
      [q = query.value(), m = memory.value(), s, queries, width](const Tensor& dy,
                                                                 const Grads& dx) {
        KERNEL(dy, segment_scores_backward(dx.data<T>(0), dx.data<T>(1), q.data<T>(), m.data<T>(),
                                           dy.data<T>(), s.offsets().data<int32_t>(),
                                           s.starts().data<int32_t>(), queries, width));
      });
}

// softmax within each segment, as in softmax.cc
Var segment_softmax(const Var& scores, const Segments& s) {
  check_defined("segment_softmax", scores);
  check_shape(scores.shape().rank() == 1,
              "segment_softmax: scores must be (P), got " + scores.shape().str());
  check_rows("segment_softmax", "scores", scores.shape(), s.total());
  check_devices("segment_softmax", s.offsets(), scores.value());
  const int64_t count = s.count();
  Tensor y = empty_like(scores.value());
  KERNEL(y, segment_softmax_forward(y.data<T>(), scores.value().data<T>(),
                                    s.offsets().data<int32_t>(), count));

  return record("segment_softmax", y, {scores},
                [y, at = s.offsets(), count](const Tensor& dy, const Grads& dx) {
                  KERNEL(dy, segment_softmax_backward(dx[0].data<T>(), y.data<T>(), dy.data<T>(),
                                                      at.data<int32_t>(), count));
                });
}

// context_b = sum_j w_j memory_j,   dw_j += dcontext_b . memory_j,   dmemory_j += w_j dcontext_b
Var segment_context(const Var& weights, const Var& memory, const Segments& s) {
  check_shape(weights.shape().rank() == 1 && memory.shape().rank() == 2,
              "segment_context: needs weights (P) and memory (M, H), got " + weights.shape().str() +
                  " and " + memory.shape().str());
  check_rows("segment_context", "weights", weights.shape(), s.total());
  check_rows("segment_context", "memory", memory.shape(), s.memory_rows());
  check_types("segment_context", weights, memory);
  check_devices("segment_context", s.offsets(), memory.value());
  check_gradient("segment_context", memory, s);
  const int64_t count = s.count(), width = memory.shape()[1];
  Tensor y = Tensor::empty({count, width}, memory.dtype(), memory.device());
  KERNEL(y, segment_context_forward(y.data<T>(), weights.value().data<T>(),
                                    memory.value().data<T>(), s.offsets().data<int32_t>(),
                                    s.starts().data<int32_t>(), count, width));

  return record(
      "segment_context", y, {weights, memory},
      [w = weights.value(), m = memory.value(), s, count, width](const Tensor& dy,
                                                                 const Grads& dx) {
        KERNEL(dy, segment_context_backward(dx.data<T>(0), dx.data<T>(1), w.data<T>(), m.data<T>(),
                                            dy.data<T>(), s.offsets().data<int32_t>(),
                                            s.starts().data<int32_t>(), count, width));
      });
}

}  // namespace heed
