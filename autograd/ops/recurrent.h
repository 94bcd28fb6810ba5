// What the ops over a packed batch share: lstm.cc, gru.cc.
#pragma once

#include "autograd/anomaly.h"
#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/packing.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/index.h"
#include "tensor/kernels/recurrent_layer.h"

namespace heed {

// An optional input of lstm() or gru(): states (B, H), or a bias with a number for each row of
// w_hh.
struct RecurrentInput {
  const char* name;
  const Var& value;
  bool bias = false;
};

// Checks the inputs of lstm() and gru(), for a cell of `gate_count` gates.
inline void check_recurrent(const char* op, const Packing& p, int64_t gate_count, const Var& gates,
                            const Var& w_hh, const std::vector<RecurrentInput>& optional) {
  check_float(op, gates);
  check_float(op, w_hh);
  check_shape(w_hh.shape().rank() == 2 && w_hh.shape()[0] == gate_count * w_hh.shape()[1], op,
              ": w_hh must be (", gate_count, "H, H), got ", w_hh.shape());
  const int64_t width = w_hh.shape()[0], hidden = w_hh.shape()[1];
  const auto check = [&](const char* name, const Var& v, const Shape& expected) {
    check_shape(v.shape() == expected, op, ": ", name, " must be ", expected, ", got ", v.shape());
    check_types(op, v, w_hh);
  };
  check("gates", gates, {p.rows(), width});
  check_by_step(op, gates);
  for (const RecurrentInput& x : optional) {
    if (x.value.defined()) check(x.name, x.value, x.bias ? Shape{width} : Shape{p.batch(), hidden});
  }
}

// A layer in the form that its kernels take; `factor` is w or its transpose. Zero states are
// undefined here, and null for the kernels.
template <class T>
RecurrentLayer<T> layer_of(const Packing& p, const Saved& w, const RightFactor& factor,
                           const Saved& h0, const Saved& c0 = {}) {
  return {.offsets = p.offsets(),
          .steps = p.steps(),
          .hidden = w.get().shape()[1],
          .w = w.data<T>(),
          .packed = factor.packed<T>(),
          .h0 = h0.data<T>(),
          .c0 = c0.data<T>()};
}

// y_i = states[ids_i]
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

// The states of all steps, ordered step by step. With one step or one sequence there is no order.
inline Var step_by_step(const Packing& p, const Var& states) {
  return p.steps() > 1 && p.batch() > 1 ? states.in_order(RowOrder::by_step) : states;
}

// dW += da^T h for all steps at once, where h are the states that the steps start from: `initial`,
// or zeros if it is undefined, and then the states of the step before.
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

// x if nobody else holds its memory, else a copy; the result may be changed in place.
inline Tensor own(const Tensor& x) {
  return x.shares_memory_uniquely() ? x : x.clone();
}

// Memory for the gates of all steps, which overwrite the input's contribution to them. All Vars of
// a parameter hold one tensor, which is never given away. A DetectAnomaly looks at the input later.
inline Tensor own_gates(const Var& gates) {
  const bool needed = gates.is_parameter() || DetectAnomaly::active();
  return needed ? gates.value().clone() : own(gates.value());
}

}  // namespace heed
