#include "tensor/kernels/lstm.h"

#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "autograd/ops/recurrent.h"
#include "tensor/dispatch.h"

namespace heed {
namespace {

void check_lstm(const Packing& p, const Var& gates, const Var& w_hh, const Var& h0, const Var& c0) {
  check_defined("lstm", gates);
  check_defined("lstm", w_hh);
  check_shape(w_hh.shape().rank() == 2 && w_hh.shape()[0] == 4 * w_hh.shape()[1],
              "lstm: w_hh must be (4H, H), got ", w_hh.shape());
  const int64_t hidden = w_hh.shape()[1];
  const auto check = [&](const char* name, const Var& v, const Shape& expected) {
    check_shape(v.shape() == expected, "lstm: ", name, " must be ", expected, ", got ", v.shape());
    check_types("lstm", v, w_hh);
  };
  check("gates", gates, {p.rows(), 4 * hidden});
  if (h0.defined()) check("h0", h0, {p.batch(), hidden});
  if (c0.defined()) check("c0", c0, {p.batch(), hidden});
}

struct Kept {
  Saved w, y, c, h0, c0;
};

// The gradient of the last states, to be changed in place; memory without values where none came.
Tensor begin_states(Tensor given, const Shape& shape, const Tensor& like) {
  return given.defined() ? own(given) : Tensor::empty(shape, like.dtype(), like.device());
}

// Of the op below. da: the gates that the forward pass left behind.
void lstm_backward(const Packing& p, const Tensor& da, const Kept& kept, const OutputGrads& d,
                   const Grads& dx) {
  const int64_t hidden = da.shape()[1] / 4;
  const Shape state{p.batch(), hidden};
  const Tensor dy = d.take(0);
  Tensor dh = d.take(1), dc = d.take(2);
  const bool dh_given = dh.defined(), dc_given = dc.defined();
  dh = begin_states(std::move(dh), state, da);
  dc = begin_states(std::move(dc), state, da);
  const RightFactor w(kept.w.get(), p.steps());
  for (int64_t t = p.steps() - 1; t >= 0; --t) {
    const int64_t rows = p.batch_size(t), going_on = t + 1 < p.steps() ? p.batch_size(t + 1) : 0;
    const Tensor da_t = at_step(p, da, t), c_t = at_step(p, kept.c, t);
    const Tensor dy_t = dy.defined() ? at_step(p, dy, t) : Tensor();
    const Saved c_prev = before_step(p, kept.c, kept.c0, t), dy_or_null = dy_t;
    KERNEL(da, lstm_step_backward(da_t.data<T>(), dc.data<T>(), dh.data<T>(), dy_or_null.data<T>(),
                                  c_t.data<T>(), c_prev.data<T>(), dh_given ? rows : going_on,
                                  dc_given ? rows : going_on, rows, hidden));
    if (t > 0 || dx.needs(2)) gemm(dh.rows(0, rows), da_t, w);
  }
  dx.add(0, da);
  add_recurrent(dx, 1, p, da, kept.y, kept.h0);
  dx.add(2, dh);
  dx.add(3, dc);
}

}  // namespace

// Step t:   a_t = gates_t + h_{t-1} W^T;   i, f, o = sigmoid(a_t), g = tanh(a_t), in place of a_t
//           c_t = f c_{t-1} + i g;   h_t = o tanh(c_t) = y_t
// Backward, from the last step to the first, the gates give way to their gradients da:
//           da_t and dc_{t-1} from dh_t + dy_t and dc_t (lstm_step_backward);   dh_{t-1} = da_t W
// where dh and dc begin as the gradients of the last states. In the end, for all steps at once,
//           dgates = da,   dW = da^T h_prev
// States and gradients that are zero stay undefined, and null to the kernels.
LstmOutput lstm(const Packing& p, Var gates, const Var& w_hh, const Var& h0, const Var& c0) {
  check_lstm(p, gates, w_hh, h0, c0);
  // all Vars of a parameter hold one tensor, which is never given away
  const Tensor a = gates.is_parameter() ? gates.value().clone() : own(gates.value());
  const Tensor& w = w_hh.value();
  const int64_t hidden = w.shape()[1];
  const Tensor y = Tensor::empty({p.rows(), hidden}, w.dtype(), w.device()), c = empty_like(y);
  const RightFactor w_t(w.t(), p.steps());
  for (int64_t t = 0; t < p.steps(); ++t) {
    const Tensor a_t = at_step(p, a, t), y_t = at_step(p, y, t), c_t = at_step(p, c, t);
    const Tensor h_prev = before_step(p, y, h0.value(), t);
    const Saved c_prev = before_step(p, c, c0.value(), t);
    if (h_prev.defined()) gemm(a_t, h_prev, w_t, Write::add);
    KERNEL(a, lstm_step_forward(y_t.data<T>(), c_t.data<T>(), a_t.data<T>(), c_prev.data<T>(),
                                p.batch_size(t), hidden));
  }

  const std::vector<Var> out =
      record("lstm", {y, last_states(p, y), last_states(p, c)}, {gates, w_hh, h0, c0},
             [p, da = a, kept = Kept{w, y, c, h0.value(), c0.value()}](
                 const OutputGrads& d, const Grads& dx) { lstm_backward(p, da, kept, d, dx); });
  return {out[0], out[1], out[2]};
}

}  // namespace heed
