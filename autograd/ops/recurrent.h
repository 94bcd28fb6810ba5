// What the ops over a packed batch share: lstm.cc, gru.cc.
#pragma once

#include "autograd/packing.h"

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

// The same for all steps, (N, H).
inline Tensor before_all_steps(const Packing& p, const Tensor& states, const Tensor& initial) {
  const Tensor all = empty_like(states);
  for (int64_t t = 0; t < p.steps(); ++t) {
    at_step(p, all, t).copy_from(before_step(p, states, initial, t));
  }
  return all;
}

// The state of each sequence after its last step, (B, H).
inline Tensor last_states(const Packing& p, const Tensor& states) {
  if (p.steps() == 1) return states;
  const Tensor last =
      Tensor::empty({p.batch(), states.shape()[1]}, states.dtype(), states.device());
  for (int64_t t = 0; t < p.steps(); ++t) {
    const int64_t rows = p.batch_size(t), go_on = t + 1 < p.steps() ? p.batch_size(t + 1) : 0;
    if (go_on < rows) last.rows(go_on, rows).copy_from(at_step(p, states, t).rows(go_on, rows));
  }
  return last;
}

// x if nobody else holds its memory, else a copy: to be changed in place.
inline Tensor own(const Tensor& x) {
  return x.shares_memory_uniquely() ? x : x.clone();
}

inline Tensor or_zeros(const Tensor& x, const Shape& shape, const Tensor& like) {
  return x.defined() ? x : Tensor::zeros(shape, like.dtype(), like.device());
}

}  // namespace heed
