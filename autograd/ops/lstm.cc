#include "tensor/kernels/lstm.h"

#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "autograd/ops/recurrent.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/lstm_layer.h"

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
  check_by_step("lstm", gates);
  if (h0.defined()) check("h0", h0, {p.batch(), hidden});
  if (c0.defined()) check("c0", c0, {p.batch(), hidden});
}

struct Kept {
  Saved w, y, c, h0, c0;
  bool as_layer;  // one kernel for all steps (tensor/kernels/lstm_layer.h)
};

bool fits_as_layer(const Packing& p, const Tensor& w) {
  bool fits = false;
  if (p.steps() > 1) KERNEL(w, lstm_layer_fits<T>(&fits, p.batch(), w.shape()[1]));
  return fits;
}

// From preactivations without their recurrent part to activations `a`, states y and c.
void run_steps(const Packing& p, const Tensor& a, const Kept& kept) {
  const int64_t hidden = a.shape()[1] / 4;
  const RightFactor w_t(kept.w.t(), p.steps());
  for (int64_t t = 0; t < p.steps(); ++t) {
    const Tensor a_t = at_step(p, a, t), y_t = at_step(p, kept.y, t), c_t = at_step(p, kept.c, t);
    const Tensor h_prev = before_step(p, kept.y, kept.h0, t);
    const Saved c_prev = before_step(p, kept.c, kept.c0, t);
    if (h_prev.defined()) gemm(a_t, h_prev, w_t, Write::add);
    KERNEL(a, lstm_step_forward(y_t.data<T>(), c_t.data<T>(), a_t.data<T>(), c_prev.data<T>(),
                                p.batch_size(t), hidden));
  }
}

void run_layer(const Packing& p, const Tensor& a, const Kept& kept) {
  const Tensor offsets = p.offsets(a.device()), &y = kept.y, &c = kept.c;
  KERNEL(a, lstm_layer_forward(y.data<T>(), c.data<T>(), a.data<T>(), kept.w.data<T>(),
                               kept.h0.data<T>(), kept.c0.data<T>(), offsets.data<int32_t>(),
                               p.steps(), p.batch(), a.shape()[1] / 4));
}

// The gradients dh and dc of the last states, to be changed in place to those of the first ones;
// memory without values where none came.
struct StateGrads {
  Tensor h, c;
  bool h_given, c_given, h_wanted;
};

Tensor begin_states(Tensor given, const Shape& shape, const Tensor& like) {
  return given.defined() ? own(given) : Tensor::empty(shape, like.dtype(), like.device());
}

// From activations to the gradients of the preactivations.
void run_steps_back(const Packing& p, const Tensor& da, const Kept& kept, const Tensor& dy,
                    const StateGrads& d) {
  const int64_t hidden = da.shape()[1] / 4;
  const RightFactor w(kept.w.get(), p.steps());
  for (int64_t t = p.steps() - 1; t >= 0; --t) {
    const int64_t rows = p.batch_size(t), going_on = t + 1 < p.steps() ? p.batch_size(t + 1) : 0;
    const Tensor da_t = at_step(p, da, t), c_t = at_step(p, kept.c, t);
    const Saved dy_t = dy.defined() ? at_step(p, dy, t) : Tensor();
    const Saved c_prev = before_step(p, kept.c, kept.c0, t);
    KERNEL(da, lstm_step_backward(da_t.data<T>(), d.c.data<T>(), d.h.data<T>(), dy_t.data<T>(),
                                  c_t.data<T>(), c_prev.data<T>(), d.h_given ? rows : going_on,
                                  d.c_given ? rows : going_on, rows, hidden));
    if (t > 0 || d.h_wanted) gemm(d.h.rows(0, rows), da_t, w);
  }
}

void run_layer_back(const Packing& p, const Tensor& da, const Kept& kept, const Tensor& dy,
                    const StateGrads& d) {
  const Tensor offsets = p.offsets(da.device());
  const Saved dy_or_null = dy;
  KERNEL(da, lstm_layer_backward(da.data<T>(), d.h.data<T>(), d.c.data<T>(), dy_or_null.data<T>(),
                                 kept.c.data<T>(), kept.w.data<T>(), kept.c0.data<T>(),
                                 offsets.data<int32_t>(), p.steps(), p.batch(), da.shape()[1] / 4,
                                 d.h_given, d.c_given, d.h_wanted));
}

// Of the op below. da: the gates that the forward pass left behind.
void lstm_backward(const Packing& p, const Tensor& da, const Kept& kept, const OutputGrads& d,
                   const Grads& dx) {
  const Shape state{p.batch(), da.shape()[1] / 4};
  const Tensor dy = d.take(0);
  Tensor dh = d.take(1), dc = d.take(2);
  const bool dh_given = dh.defined(), dc_given = dc.defined();
  const StateGrads states{begin_states(std::move(dh), state, da),
                          begin_states(std::move(dc), state, da), dh_given, dc_given, dx.needs(2)};
  if (kept.as_layer) {
    run_layer_back(p, da, kept, dy, states);
  } else {
    run_steps_back(p, da, kept, dy, states);
  }
  dx.add(0, da);
  add_recurrent(dx, 1, p, da, kept.y, kept.h0);
  dx.add(2, states.h);
  dx.add(3, states.c);
}

}  // namespace

// Step t:   a_t = gates_t + h_{t-1} W^T;   i, f, o = sigmoid(a_t), g = tanh(a_t), in place of a_t
//           c_t = f c_{t-1} + i g;   h_t = o tanh(c_t) = y_t
// Backward, from the last step to the first, the gates give way to their gradients da:
//           da_t and dc_{t-1} from dh_t + dy_t and dc_t (lstm_step_backward);   dh_{t-1} = da_t W
// where dh and dc begin as the gradients of the last states. In the end, for all steps at once,
//           dgates = da,   dW = da^T h_prev
// States and gradients that are zero stay undefined, and null to the kernels. A GPU may do all
// steps of a direction in one kernel (lstm_layer_fits), with the same formulas.
LstmOutput lstm(const Packing& p, Var gates, const Var& w_hh, const Var& h0, const Var& c0) {
  check_lstm(p, gates, w_hh, h0, c0);
  // all Vars of a parameter hold one tensor, which is never given away
  const Tensor a = gates.is_parameter() ? gates.value().clone() : own(gates.value());
  const Tensor& w = w_hh.value();
  const Tensor y = Tensor::empty({p.rows(), w.shape()[1]}, w.dtype(), w.device()),
               c = empty_like(y);
  const Kept kept{w, y, c, h0.value(), c0.value(), fits_as_layer(p, w)};
  if (kept.as_layer) {
    run_layer(p, a, kept);
  } else {
    run_steps(p, a, kept);
  }
  const std::vector<Var> out =
      record("lstm", {y, last_states(p, y), last_states(p, c)}, {gates, w_hh, h0, c0},
             [p, da = a, kept](const OutputGrads& d, const Grads& dx) {
               lstm_backward(p, da, kept, d, dx);
             });
  return {step_by_step(p, out[0]), out[1], out[2]};
}

}  // namespace heed
