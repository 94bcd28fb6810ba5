#include "tensor/kernels/attention.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/softmax.h"

namespace heed {
namespace {

void check_memory(const char* op, const Var& memory, const Segments& s, int64_t queries) {
  const std::string name(op);
  check_shape(queries <= s.count(), name + ": " + std::to_string(queries) + " queries, " +
                                        std::to_string(s.count()) + " segments");
  check_shape(memory.shape().rank() == 2 && memory.shape()[0] == s.total(),
              name + ": memory " + memory.shape().str() + " does not fit segments of " +
                  std::to_string(s.total()) + " rows");
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
  check_memory("segment_scores", memory, s, queries);
  const int64_t total = queries ? s.end(queries - 1) : 0;
  Tensor y = Tensor::empty({total}, query.dtype(), query.device());
  KERNEL(y, segment_scores_forward(y.data<T>(), query.value().data<T>(), memory.value().data<T>(),
                                   s.offsets().data<int32_t>(), queries, width));

  return record(
      "segment_scores", y, {query, memory},
      [q = query.value(), m = memory.value(), at = s.offsets(), queries, width](const Tensor& dy,
                                                                                const Grads& dx) {
        KERNEL(dy, segment_scores_backward(dx.data<T>(0), dx.data<T>(1), q.data<T>(), m.data<T>(),
                                           dy.data<T>(), at.data<int32_t>(), queries, width));
      });
}

// softmax within each segment, as in softmax.cc
Var segment_softmax(const Var& scores, const Segments& s) {
  int64_t used = 0;
  while (used < s.count() && s.end(used) <= scores.shape().numel()) ++used;
  check_shape(scores.shape() == Shape{used ? s.end(used - 1) : 0},
              "segment_softmax: scores " + scores.shape().str() + " do not end with a segment");
  Tensor y = empty_like(scores.value());
  KERNEL(y, segment_softmax_forward(y.data<T>(), scores.value().data<T>(),
                                    s.offsets().data<int32_t>(), used));

  return record("segment_softmax", y, {scores},
                [y, at = s.offsets(), used](const Tensor& dy, const Grads& dx) {
                  KERNEL(dy, segment_softmax_backward(dx[0].data<T>(), y.data<T>(), dy.data<T>(),
                                                      at.data<int32_t>(), used));
                });
}

// context_b = sum_j w_j memory_j,   dw_j += dcontext_b . memory_j,   dmemory_j += w_j dcontext_b
Var segment_context(const Var& weights, const Var& memory, const Segments& s) {
  int64_t used = 0;
  while (used < s.count() && s.end(used) <= weights.shape().numel()) ++used;
  check_shape(weights.shape() == Shape{used ? s.end(used - 1) : 0},
              "segment_context: weights " + weights.shape().str() + " do not end with a segment");
  check_memory("segment_context", memory, s, used);
  check_types("segment_context", weights, memory);
  const int64_t width = memory.shape()[1];
  Tensor y = Tensor::empty({used, width}, memory.dtype(), memory.device());
  KERNEL(y,
         segment_context_forward(y.data<T>(), weights.value().data<T>(), memory.value().data<T>(),
                                 s.offsets().data<int32_t>(), used, width));

  return record(
      "segment_context", y, {weights, memory},
      [w = weights.value(), m = memory.value(), at = s.offsets(), used, width](const Tensor& dy,
                                                                               const Grads& dx) {
        KERNEL(dy, segment_context_backward(dx.data<T>(0), dx.data<T>(1), w.data<T>(), m.data<T>(),
                                            dy.data<T>(), at.data<int32_t>(), used, width));
      });
}

}  // namespace heed
