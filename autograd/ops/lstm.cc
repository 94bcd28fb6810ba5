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

}  // namespace

// Step t:   a_t = gates_t + h_{t-1} W^T;   i, f, o = sigmoid(a_t), g = tanh(a_t), in place of a_t
//           c_t = f c_{t-1} + i g;   h_t = o tanh(c_t) = y_t
// Backward, from the last step to the first, the gates give way to their gradients da:
//           da_t and dc_{t-1} from dh_t + dy_t and dc_t (lstm_step_backward);   dh_{t-1} = da_t W
// where dh and dc begin as the gradients of the last states. In the end, for all steps at once,
//           dgates = da,   dW = da^T h_prev
LstmOutput lstm(const Packing& p, Var gates, const Var& w_hh, const Var& h0, const Var& c0) {
  check_lstm(p, gates, w_hh, h0, c0);
  // all Vars of a parameter hold one tensor, which is never given away
  const Tensor a = gates.is_parameter() ? gates.value().clone() : own(gates.value());
  const Tensor& w = w_hh.value();
  const int64_t hidden = w.shape()[1];
  const Shape all{p.rows(), hidden}, state{p.batch(), hidden};
  const Tensor h_first = or_zeros(h0.value(), state, w), c_first = or_zeros(c0.value(), state, w);
  const Tensor y = Tensor::empty(all, w.dtype(), w.device()), c = empty_like(y);
  const RightFactor w_t(w.t(), p.steps());
  for (int64_t t = 0; t < p.steps(); ++t) {
    const Tensor a_t = at_step(p, a, t), y_t = at_step(p, y, t), c_t = at_step(p, c, t);
    const Tensor c_prev = before_step(p, c, c_first, t);
    if (t > 0 || h0.defined()) gemm(a_t, before_step(p, y, h_first, t), w_t, Write::add);
    KERNEL(a, lstm_step_forward(y_t.data<T>(), c_t.data<T>(), a_t.data<T>(), c_prev.data<T>(),
                                p.batch_size(t), hidden));
  }

  const std::vector<Var> out = record(
      "lstm", {y, last_states(p, y), last_states(p, c)}, {gates, w_hh, h0, c0},
      [=, da = a, w = Saved(w), y = Saved(y), c = Saved(c), h_first = Saved(h_first),
       c_first = Saved(c_first)](const OutputGrads& d, const Grads& dx) {
        const Tensor dy = or_zeros(d.take(0), all, da);
        const Tensor dh = own(or_zeros(d.take(1), state, da));
        const Tensor dc = own(or_zeros(d.take(2), state, da));
        const RightFactor factor(w.get(), p.steps());
        for (int64_t t = p.steps() - 1; t >= 0; --t) {
          const Tensor da_t = at_step(p, da, t), dy_t = at_step(p, dy, t), c_t = at_step(p, c, t);
          const Tensor c_prev = before_step(p, c, c_first, t);
          KERNEL(da, lstm_step_backward(da_t.data<T>(), dc.data<T>(), dh.data<T>(), dy_t.data<T>(),
                                        c_t.data<T>(), c_prev.data<T>(), p.batch_size(t), hidden));
          if (t > 0 || dx.needs(2)) gemm(dh.rows(0, p.batch_size(t)), da_t, factor);
        }
        dx.add(0, da);
        if (dx.needs(1)) dx.add_outer(1, da, before_all_steps(p, y, h_first));
        dx.add(2, dh);
        dx.add(3, dc);
      });
  return {out[0], out[1], out[2]};
}

}  // namespace heed
