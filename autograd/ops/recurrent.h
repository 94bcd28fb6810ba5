// What the ops over a packed batch share: lstm.cc, gru.cc.
#pragma once

#include "autograd/node.h"
#include "autograd/packing.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/gather.h"

namespace heed {

// The rows of step t.
inline Tensor at_step(const Packing& p, const Tensor& x, int64_t t) {
  return x.rows(p.offset(t), p.offset(t) + p.batch_size(t));
}

// The states that step t starts from: those of step t - 1 of the sequences that still run.
inline Tensor before_step(const Packing& p, const Tensor& states, const Tensor& initial,
                          int64_t t) {
  if (t == 0) return initial;
  return states.rows(p.offset(t - 1), p.offset(t - 1) + p.batch_size(t));
}

// y = the rows of `states` that stand at `ids`
inline void gather_states(const Tensor& y, const Tensor& states, const Tensor& ids) {
  KERNEL(y, gather_rows(y.data<T>(), states.data<T>(), ids.data<int32_t>(), ids.numel(),
                        states.shape()[1]));
}

// The state of each sequence after its last step, (B, H).
inline Tensor last_states(const Packing& p, const Tensor& states) {
  if (p.steps() == 1) return states;
  const Tensor last =
      Tensor::empty({p.batch(), states.shape()[1]}, states.dtype(), states.device());
  gather_states(last, states, p.last_rows(states.device()));
  return last;
}

// The states of all steps, which stand step by step. Of one step or one sequence that is no order.
inline Var step_by_step(const Packing& p, const Var& states) {
  return p.steps() > 1 && p.batch() > 1 ? states.in_order(RowOrder::by_step) : states;
}

// dW += da^T h for all steps at once, h the states that they start from: `initial`, zero where it
// is undefined, and then those of the step before.
inline void add_recurrent(const Grads& dx, int i, const Packing& p, const Tensor& da,
                          const Tensor& states, const Tensor& initial) {
  if (!dx.needs(i)) return;
  if (p.steps() == 1 && initial.defined()) return dx.add_outer(i, da, initial);
  if (p.steps() == 1) return static_cast<void>(dx.sum(i));  // zero
  const int64_t none = initial.defined() ? 0 : p.batch();   // rows whose h is zero
  const Tensor h = Tensor::empty({p.rows() - none, states.shape()[1]}, da.dtype(), da.device());
  const int64_t first = p.batch() - none;
  if (initial.defined()) h.rows(0, first).copy_from(initial);
  gather_states(h.rows(first, h.shape()[0]), states, p.rows_before(da.device()));
  dx.add_outer(i, da.rows(none, p.rows()), h);
}

// x if nobody else holds its memory, else a copy: to be changed in place.
inline Tensor own(const Tensor& x) {
  return x.shares_memory_uniquely() ? x : x.clone();
}

inline Tensor or_zeros(const Tensor& x, const Shape& shape, const Tensor& like) {
  return x.defined() ? x : Tensor::zeros(shape, like.dtype(), like.device());
}

}  // namespace heed
