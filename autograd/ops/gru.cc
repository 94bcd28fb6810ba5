#include "tensor/kernels/gru.h"

#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "autograd/ops/recurrent.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"

namespace heed {
namespace {

void check_gru(const Packing& p, const Var& gates, const Var& w_hh, const Var& b_hh,
               const Var& h0) {
  check_float("gru", gates);
  check_float("gru", w_hh);
  check_shape(w_hh.shape().rank() == 2 && w_hh.shape()[0] == 3 * w_hh.shape()[1],
              "gru: w_hh must be (3H, H), got ", w_hh.shape());
  const int64_t hidden = w_hh.shape()[1];
  const auto check = [&](const char* name, const Var& v, const Shape& expected) {
    check_shape(v.shape() == expected, "gru: ", name, " must be ", expected, ", got ", v.shape());
    check_types("gru", v, w_hh);
  };
  check("gates", gates, {p.rows(), 3 * hidden});
  check_by_step("gru", gates);
  if (b_hh.defined()) check("b_hh", b_hh, {3 * hidden});
  if (h0.defined()) check("h0", h0, {p.batch(), hidden});
}

}  // namespace

// Step t:   u_t = h_{t-1} W^T + b;   r, z = sigmoid(a_t + u_t), n = tanh(a_t + r u_t), in place of
//           a_t = gates_t;   h_t = (1 - z) n + z h_{t-1} = y_t
// Backward, from the last step to the first, the gates give way to their gradients da, and u to du:
//           da_t, du_t and dh_{t-1} = z (dh_t + dy_t) (gru_step_backward);   dh_{t-1} += du_t W
// where dh begins as the gradient of the last states. In the end, for all steps at once,
//           dgates = da,   dW = du^T h_prev,   db = sum over rows of du
GruOutput gru(const Packing& p, Var gates, const Var& w_hh, const Var& b_hh, const Var& h0) {
  check_gru(p, gates, w_hh, b_hh, h0);
  // all Vars of a parameter hold one tensor, which is never given away
  const Tensor a = gates.is_parameter() ? gates.value().clone() : own(gates.value());
  const Tensor& w = w_hh.value();
  const Tensor u = zeros_like(a);
  const int64_t hidden = w.shape()[1];
  const Shape all{p.rows(), hidden}, state{p.batch(), hidden};
  const Tensor h_first = or_zeros(h0.value(), state, w);
  const Tensor y = Tensor::empty(all, w.dtype(), w.device());
  if (b_hh.defined()) {
    KERNEL(u, add_bias(u.data<T>(), b_hh.value().data<T>(), p.rows(), 3 * hidden));
  }
  const RightFactor w_t(w.t(), p.steps());
  for (int64_t t = 0; t < p.steps(); ++t) {
    const Tensor a_t = at_step(p, a, t), u_t = at_step(p, u, t), y_t = at_step(p, y, t);
    const Tensor h_prev = before_step(p, y, h_first, t);
    if (t > 0 || h0.defined()) gemm(u_t, h_prev, w_t, Write::add);
    KERNEL(a, gru_step_forward(y_t.data<T>(), a_t.data<T>(), u_t.data<T>(), h_prev.data<T>(),
                               p.batch_size(t), hidden));
  }

  const std::vector<Var> out = record(
      "gru", {y, last_states(p, y)}, {gates, w_hh, b_hh, h0},
      [=, da = a, du = u, w = Saved(w), y = Saved(y), h_first = Saved(h_first),
       h0_given = h0.defined()](const OutputGrads& d, const Grads& dx) {
        const Tensor dy = or_zeros(d.take(0), all, da), dh = own(or_zeros(d.take(1), state, da));
        const RightFactor factor(w.get(), p.steps());
        for (int64_t t = p.steps() - 1; t >= 0; --t) {
          const Tensor da_t = at_step(p, da, t), du_t = at_step(p, du, t), dy_t = at_step(p, dy, t);
          const Tensor h_prev = before_step(p, y, h_first, t);
          KERNEL(da, gru_step_backward(da_t.data<T>(), du_t.data<T>(), dh.data<T>(), dy_t.data<T>(),
                                       h_prev.data<T>(), p.batch_size(t), hidden));
          if (t > 0 || dx.needs(3)) gemm(dh.rows(0, p.batch_size(t)), du_t, factor, Write::add);
        }
        dx.add(0, da);
        add_recurrent(dx, 1, p, du, y, h0_given ? h_first.get() : Tensor());
        if (dx.needs(2)) {
          KERNEL(du, sum_rows(dx.sum<T>(2), du.data<T>(), p.rows(), 3 * hidden));
        }
        dx.add(3, dh);
      });
  return {step_by_step(p, out[0]), out[1]};
}

}  // namespace heed
