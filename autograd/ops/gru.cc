#include "autograd/ops.h"
#include "autograd/ops/recurrent.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/reduce.h"

namespace heed {

// Step t:   u_t = h_{t-1} W^T + b;   r, z = sigmoid(a_t + u_t), n = tanh(a_t + r u_t), in place of
//           a_t = gates_t;   h_t = (1 - z) n + z h_{t-1} = y_t
// Backward, from the last step to the first, the gates give way to their gradients da, and u to du:
//           da_t, du_t and dh_{t-1} = z (dh_t + dy_t) (gru_step_backward);   dh_{t-1} += du_t W
// where dh begins as the gradient of the last states. In the end, for all steps at once,
//           dgates = da,   dW = du^T h_prev,   db = sum over rows of du
// The loop over steps is the kernels' (tensor/kernels/recurrent_layer.cc).
GruOutput gru(const Packing& p, Var gates, const Var& w_hh, const Var& b_hh, const Var& h0) {
  check_recurrent("gru", p, 3, gates, w_hh, {{"b_hh", b_hh, /*bias=*/true}, {"h0", h0}});
  const Tensor a = own_gates(gates);
  const Tensor& w = w_hh.value();
  const Tensor u = zeros_like(a);
  const Tensor y = Tensor::empty({p.rows(), w.shape()[1]}, w.dtype(), w.device());
  if (b_hh.defined())
    KERNEL(u, add_bias(u.data<T>(), b_hh.value().data<T>(), p.rows(), w.shape()[0]));
  const RightFactor w_t(w.t(), p.steps());
  KERNEL(a, gru_layer_forward(y.data<T>(), a.data<T>(), u.data<T>(),
                              layer_of<T>(p, w, w_t, h0.value())));

  const std::vector<Var> out = record(
      "gru", {y, last_states(p, y)}, {gates, w_hh, b_hh, h0},
      [p, da = a, du = u, w = Saved(w), y = Saved(y), h0 = Saved(h0.value())](const OutputGrads& d,
                                                                              const Grads& dx) {
        const Shape& shape = w.get().shape();
        const Saved dy = d.take(0);
        Tensor dh = d.take(1);
        dh = dh.defined() ? own(dh) : Tensor::zeros({p.batch(), shape[1]}, da.dtype(), da.device());
        const RightFactor factor(w.get(), p.steps());
        KERNEL(da, gru_layer_backward(da.data<T>(), du.data<T>(), dh.data<T>(), dy.data<T>(),
                                      y.data<T>(), dx.needs(3), layer_of<T>(p, w, factor, h0)));
        dx.add(0, da);
        add_recurrent(dx, 1, p, du, y, h0);
        if (dx.needs(2)) KERNEL(du, sum_rows(dx.sum<T>(2), du.data<T>(), p.rows(), shape[0]));
        dx.add(3, dh);
      });
  return {step_by_step(p, out[0]), out[1]};
}

}  // namespace heed
