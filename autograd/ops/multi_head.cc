#include "tensor/kernels/multi_head.h"

#include <cmath>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"

namespace heed {
namespace {

void check_memory(const char* op, const char* name, const Var& memory,
                  const AttentionPairs& pairs) {
  const Segments& s = pairs.memory();
  check_shape(memory.shape().rank() == 2 && memory.shape()[0] == s.memory_rows(), op, ": ", name,
              " ", memory.shape(), ", expected ", s.memory_rows(), " rows");
  check_devices(op, s.offsets(), memory.value());
  check_by_sequence(op, memory);
  // Segments that share rows would add to the same gradient from several threads.
  check_shape(!s.selected() || !wants_grad(memory), op,
              ": a memory whose segments were selected gets no gradient");
}

}  // namespace

// s_ij = q_i . k_j / sqrt(width),   w_i = softmax_j(s_ij),   in each head
//   ds_ij = w_ij (dw_ij - sum_j w_ij dw_ij),   dq_i = sum_j ds_ij k_j / sqrt(width),   dk_j alike
Var attention_weights(const Var& q, const Var& k, const AttentionPairs& pairs, int64_t heads) {
  check_shape(q.shape().rank() == 2 && k.shape().rank() == 2 && q.shape()[1] == k.shape()[1],
              "attention_weights: queries ", q.shape(), " do not fit keys ", k.shape());
  check_shape(heads > 0 && q.shape()[1] % heads == 0, "attention_weights: ", q.shape()[1],
              " columns, ", heads, " heads");
  check_shape(q.shape()[0] == pairs.queries().total(), "attention_weights: queries ", q.shape(),
              ", expected ", pairs.queries().total(), " rows");
  check_types("attention_weights", q, k);
  check_memory("attention_weights", "keys", k, pairs);
  check_by_sequence("attention_weights", q);
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

// y_i = sum_j w_ij v_j,   dw_ij = dy_i . v_j,   dv_j = sum_i w_ij dy_i,   in each head
Var attention_context(const Var& w, const Var& v, const AttentionPairs& pairs) {
  check_shape(w.shape().rank() == 2 && w.shape()[1] == pairs.total(), "attention_context: weights ",
              w.shape(), ", expected (heads, ", pairs.total(), ")");
  const int64_t heads = w.shape()[0];
  check_shape(v.shape().rank() == 2 && heads > 0 && v.shape()[1] % heads == 0,
              "attention_context: values ", v.shape(), ", expected (rows, a multiple of ", heads,
              " heads)");
  check_types("attention_context", w, v);
  check_memory("attention_context", "values", v, pairs);
  const int64_t width = v.shape()[1] / heads;
  const Tensor y = Tensor::empty({pairs.queries().total(), v.shape()[1]}, v.dtype(), v.device());
  KERNEL(y, pair_sums<T>(y.data<T>(), w.value().data<T>(), v.value().data<T>(), pairs.table(),
                         heads, width));

  return record("attention_context", y, {w, v},
                [w = w.for_grad_of(v), v = v.for_grad_of(w), pairs, heads, width](Tensor dy,
                                                                                  const Grads& dx) {
                  const PairTable p = pairs.table();
                  if (dx.needs(0))
                    KERNEL(dy, pair_dots(dx.to<T>(0), dy.data<T>(), v.data<T>(), p, heads, width));
                  if (dx.needs(1))
                    KERNEL(dy,
                           pair_collect(dx.sum<T>(1), w.data<T>(), dy.data<T>(), p, heads, width));
                });
}

}  // namespace heed
