#include "tensor/kernels/lstm.h"

#include "autograd/keep_packed.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"

namespace heed {
namespace {

constexpr Trans kNo = Trans::no, kYes = Trans::yes;

void check_lstm(const Packing& p, const LstmInputs& in) {
  check_shape(in.w_hh.shape().rank() == 2 && in.w_hh.shape()[0] == 4 * in.w_hh.shape()[1],
              "lstm: w_hh must be (4H, H), got " + in.w_hh.shape().str());
  const int64_t hidden = in.w_hh.shape()[1], n = p.rows(), batch = p.batch();
  check_shape(in.x.defined() || in.gates_in.defined(), "lstm: needs x or gates_in");
  if (in.x.defined()) {
    check_shape(in.x.shape().rank() == 2 && in.x.shape()[0] == n,
                "lstm: x " + in.x.shape().str() + " does not fit a packing of " +
                    std::to_string(n) + " rows");
    check_shape(in.w_ih.defined() && in.w_ih.shape().rank() == 2 &&
                    in.w_ih.shape()[0] == 4 * hidden && in.w_ih.shape()[1] >= in.x.shape()[1],
                "lstm: w_ih " + in.w_ih.shape().str() + " does not fit x " + in.x.shape().str() +
                    " and w_hh " + in.w_hh.shape().str());
  }
  const auto check = [](const char* name, const Var& v, const Shape& expected) {
    check_shape(
        !v.defined() || v.shape() == expected,
        std::string("lstm: ") + name + " must be " + expected.str() + ", got " + v.shape().str());
  };
  check("gates_in", in.gates_in, {n, 4 * hidden});
  check("h0", in.h0, {batch, hidden});
  check("c0", in.c0, {batch, hidden});
  check("bias", in.bias, {4 * hidden});
  for (const Var* v : {&in.x, &in.gates_in, &in.h0, &in.c0, &in.w_ih, &in.bias}) {
    if (v->defined()) check_types("lstm", *v, in.w_hh);
  }
}

// The state before every row's step: rows of `first` (B, H) for step 0, then the rows of `states`
// (N, H) of the step before. (N, H)
Tensor previous_rows(const Packing& p, const Tensor& states, const Tensor& first) {
  const Tensor prev = empty_like(states);
  for (int64_t t = 0; t < p.steps(); ++t) {
    const int64_t rows = p.batch_size(t), at = p.offset(t);
    const Tensor from = t ? states.rows(p.offset(t - 1), p.offset(t - 1) + rows) : first;
    prev.rows(at, at + rows).copy_from(from);
  }
  return prev;
}

// What does not depend on the state, for all steps at once: gates_in + x W_ih^T + bias. (N, 4H)
Tensor input_gates(int64_t n, const LstmInputs& in, int64_t first_col) {
  const int64_t wide = in.w_hh.shape()[0];
  const Tensor gates = in.gates_in.defined()
                           ? in.gates_in.value().clone()
                           : Tensor::empty({n, wide}, in.w_hh.dtype(), in.w_hh.device());
  if (in.x.defined()) {
    const Multiplier input(in.w_ih.value(), kYes, first_col, in.x.shape()[1]);
    input(gates, in.x.value(), in.gates_in.defined());
  }
  if (in.bias.defined()) {
    KERNEL(gates, add_bias(gates.data<T>(), in.bias.value().data<T>(), n, wide));
  }
  return gates;
}

}  // namespace

// The products of x with W_ih for all steps are one GEMM before the loop; the loop adds
// h_{t-1} W_hh^T and runs the gates. Backward, the loop turns the gates into their gradients dG
//   dG_t by lstm_step_backward,   dh_{t-1} = dy_{t-1} + dG_t W_hh
// and then, again for all steps at once,
//   dx = dG W_ih,  dgates_in = dG,  dW_ih = dG^T x,  dW_hh = dG^T h_prev,  dbias = sum dG.
Var lstm(const Packing& p, const LstmInputs& in) {
  check_lstm(p, in);
  const int64_t hidden = in.w_hh.shape()[1], n = p.rows(), batch = p.batch(), wide = 4 * hidden;
  const int64_t width = in.x.defined() ? in.x.shape()[1] : 0;
  const int64_t first_col = in.x.defined() ? in.w_ih.shape()[1] - width : 0;
  const Tensor w_hh = in.w_hh.value();
  Tensor gates = input_gates(n, in, first_col);
  const Tensor out = Tensor::empty({n + batch, hidden}, w_hh.dtype(), w_hh.device());
  const Tensor y = out.rows(0, n), c_last = out.rows(n, n + batch);
  Tensor c = p.steps() == 1 ? c_last : empty_like(y);
  const Tensor zeros = Tensor::zeros({batch, hidden}, w_hh.dtype(), w_hh.device());
  const Tensor h0 = in.h0.defined() ? in.h0.value() : zeros;
  const Tensor c0 = in.c0.defined() ? in.c0.value() : zeros;
  const Multiplier recurrent(w_hh, kYes, 0, hidden, p.steps() > 1);
  for (int64_t t = 0; t < p.steps(); ++t) {
    const int64_t rows = p.batch_size(t), at = p.offset(t) * hidden;
    const Tensor h_prev = t ? y.rows(p.offset(t - 1), p.offset(t)) : h0;
    const Tensor c_prev = t ? c.rows(p.offset(t - 1), p.offset(t)) : c0;
    if (t > 0 || in.h0.defined()) {
      recurrent(gates.rows(p.offset(t), p.offset(t) + rows), h_prev.rows(0, rows), true);
    }
    KERNEL(gates, lstm_step_forward(y.data<T>() + at, c.data<T>() + at, gates.data<T>() + 4 * at,
                                    c_prev.data<T>(), rows, hidden));
    if (p.steps() == 1) break;                                          // c is c_last
    const int64_t go_on = t + 1 < p.steps() ? p.batch_size(t + 1) : 0;  // the others end here
    c_last.rows(go_on, rows).copy_from(c.rows(p.offset(t) + go_on, p.offset(t) + rows));
  }

  const Tensor x = in.x.value(), w_ih = in.w_ih.value();
  return record(
      "lstm", out, {in.x, in.gates_in, in.h0, in.c0, in.w_ih, in.w_hh, in.bias},
      [=](const Tensor& d_out, const Grads& dx) mutable {
        const Tensor dy = d_out.rows(0, n);
        Tensor dgates = std::move(gates);  // still the gates: each step replaces its own
        // What comes from the step after; for the last step of a sequence 0, and dc from outside.
        const Tensor dh = zeros_like(zeros), dc = d_out.rows(n, n + batch).clone();
        const Multiplier recurrent(w_hh, kNo, 0, hidden, p.steps() > 1);
        for (int64_t t = p.steps() - 1; t >= 0; --t) {
          const int64_t rows = p.batch_size(t), at = p.offset(t) * hidden;
          const Tensor c_prev = t ? c.rows(p.offset(t - 1), p.offset(t)) : c0;
          KERNEL(dgates, lstm_step_backward(dgates.data<T>() + 4 * at, dc.data<T>(), dh.data<T>(),
                                            dy.data<T>() + at, c.data<T>() + at, c_prev.data<T>(),
                                            rows, hidden));
          if (t == 0 && !dx.needs(2)) break;
          recurrent(dh.rows(0, rows), dgates.rows(p.offset(t), p.offset(t) + rows), false);
        }
        c = Tensor();  // its memory may serve what follows
        if (dx.needs(0)) Multiplier(w_ih, kNo, first_col, width)(dx[0], dgates, true);
        dx.add(2, dh);
        dx.add(3, dc);
        if (x.defined()) dx.add_outer(4, dgates, x, first_col);
        if (dx.needs(5)) dx.add_outer(5, dgates, previous_rows(p, y, h0));
        if (dx.needs(6)) KERNEL(dgates, sum_rows(dx.data<T>(6), dgates.data<T>(), n, wide));
        dx.add(1, std::move(dgates));
      });
}

}  // namespace heed
