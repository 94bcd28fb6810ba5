#include "autograd/ops.h"

#include "autograd/ops/recurrent.h"

namespace heed {
namespace {

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
// The loop over steps is the kernels' (tensor/kernels/recurrent_layer.cc). States and gradients
// that are zero stay undefined, and null to the kernels.
LstmOutput lstm(const Packing& p, Var gates, const Var& w_hh, const Var& h0, const Var& c0) {
  check_recurrent("lstm", p, 4, gates, w_hh, {{"h0", h0}, {"c0", c0}});
  const Tensor a = own_gates(gates);
  const Tensor& w = w_hh.value();
  const Tensor y = Tensor::empty({p.rows(), w.shape()[1]}, w.dtype(), w.device()),
               c = empty_like(y);
  const RightFactor w_t(w.t(), p.steps());
  KERNEL(a, lstm_layer_forward(y.data<T>(), c.data<T>(), a.data<T>(),
                               layer_of<T>(p, w, w_t, h0.value(), c0.value())));
  const std::vector<Var> out =
      record("lstm", {y, last_states(p, y), last_states(p, c)}, {gates, w_hh, h0, c0},
             [p, da = a, w = Saved(w), y = Saved(y), c = Saved(c), h0 = Saved(h0.value()),
              c0 = Saved(c0.value())](const OutputGrads& d, const Grads& dx) {
               const Shape state{p.batch(), w.get().shape()[1]};
               const Saved dy = d.take(0);
               Tensor of_h = d.take(1), of_c = d.take(2);
               const bool dh_given = of_h.defined(), dc_given = of_c.defined();
               const Tensor dh = state_gradient(std::move(of_h), state, da);
               const Tensor dc = state_gradient(std::move(of_c), state, da);
               const RightFactor factor(w.get(), p.steps());
               KERNEL(da, lstm_layer_backward(da.data<T>(),
                                              LstmGrads<T>{.dy = dy.data<T>(),
                                                           .dh = dh.data<T>(),
                                                           .dc = dc.data<T>(),
                                                           .dh_given = dh_given,
                                                           .dc_given = dc_given,
                                                           .dh_wanted = dx.needs(2)},
                                              c.data<T>(), layer_of<T>(p, w, factor, h0, c0)));
               dx.add(0, da);
               add_recurrent(dx, 1, p, da, y, h0);
               dx.add(2, dh);
               dx.add(3, dc);
             });
  return {step_by_step(p, out[0]), out[1], out[2]};
}

}  // namespace heed
