#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "autograd/ops/recurrent.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/lstm_layer.h"

namespace heed {
namespace {

void check_lstm(const Packing& p, const Var& gates, const Var& w_hh, const Var& h0, const Var& c0) {
  check_float("lstm", gates);
  check_float("lstm", w_hh);
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
  Saved w, c, h0, c0;
};

template <class T>
LstmLayer<T> layer_of(const Packing& p, int64_t hidden, const Kept& kept, const RightFactor& w) {
  const Device device = kept.w.get().device();
  const bool on_device = device.is_cuda() && p.steps() > 1;
  return {.offsets = p.offsets(),
          .offsets_on_device = on_device ? p.offsets(device).template data<int32_t>() : nullptr,
          .steps = p.steps(),
          .hidden = hidden,
          .w = kept.w.data<T>(),
          .packed = w.packed<T>(),
          .h0 = kept.h0.data<T>(),
          .c0 = kept.c0.data<T>()};
}

// A gradient of the last states, to be changed in place to that of the first ones; uninitialised
// where none arrived.
Tensor state_gradient(Tensor given, const Shape& shape, const Tensor& like) {
  return given.defined() ? own(given) : Tensor::empty(shape, like.dtype(), like.device());
}

}  // namespace

// Step t:   a_t = gates_t + h_{t-1} W^T;   i, f, o = sigmoid(a_t), g = tanh(a_t), in place of a_t
//           c_t = f c_{t-1} + i g;   h_t = o tanh(c_t) = y_t
// Backward, from the last step to the first, the gates give way to their gradients da:
//           da_t and dc_{t-1} from dh_t + dy_t and dc_t (lstm_step_backward);   dh_{t-1} = da_t W
// where dh and dc begin as the gradients of the last states. In the end, for all steps at once,
//           dgates = da,   dW = da^T h_prev
// The loop over steps is the kernels' (tensor/kernels/lstm_loop.h). States and gradients that are
// zero stay undefined, and null to the kernels.
LstmOutput lstm(const Packing& p, Var gates, const Var& w_hh, const Var& h0, const Var& c0) {
  check_lstm(p, gates, w_hh, h0, c0);
  // all Vars of a parameter hold one tensor, which is never given away
  const Tensor a = gates.is_parameter() ? gates.value().clone() : own(gates.value());
  const Tensor& w = w_hh.value();
  const Tensor y = Tensor::empty({p.rows(), w.shape()[1]}, w.dtype(), w.device()),
               c = empty_like(y);
  const int64_t hidden = w.shape()[1];
  const Kept kept{w, c, h0.value(), c0.value()};
  const RightFactor w_t(w.t(), p.steps());
  KERNEL(a, lstm_layer_forward(y.data<T>(), c.data<T>(), a.data<T>(),
                               layer_of<T>(p, hidden, kept, w_t)));
  const std::vector<Var> out =
      record("lstm", {y, last_states(p, y), last_states(p, c)}, {gates, w_hh, h0, c0},
             [p, hidden, da = a, kept, y = Saved(y)](const OutputGrads& d, const Grads& dx) {
               const Saved dy = d.take(0);
               Tensor h = d.take(1), c = d.take(2);
               const bool dh_given = h.defined(), dc_given = c.defined();
               const Tensor dh = state_gradient(std::move(h), {p.batch(), hidden}, da);
               const Tensor dc = state_gradient(std::move(c), {p.batch(), hidden}, da);
               const RightFactor w(kept.w.get(), p.steps());
               KERNEL(da, lstm_layer_backward(da.data<T>(),
                                              LstmGrads<T>{.dy = dy.data<T>(),
                                                           .dh = dh.data<T>(),
                                                           .dc = dc.data<T>(),
                                                           .dh_given = dh_given,
                                                           .dc_given = dc_given,
                                                           .dh_wanted = dx.needs(2)},
                                              kept.c.data<T>(), layer_of<T>(p, hidden, kept, w)));
               dx.add(0, da);
               add_recurrent(dx, 1, p, da, y, kept.h0);
               dx.add(2, dh);
               dx.add(3, dc);
             });
  return {step_by_step(p, out[0]), out[1], out[2]};
}

}  // namespace heed
