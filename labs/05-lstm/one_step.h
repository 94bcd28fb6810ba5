// One step of an LSTM by the kernels, and its gradient by central differences.
#pragma once

#include <algorithm>

#include "labs/05-lstm/by_loops.h"
#include "labs/support/check.h"
#include "tensor/kernels/lstm.h"

namespace heed::lab {

struct Step {
  Tensor gates, c, h;
};

template <class T>
Step run_step(const Tensor& preactivations, const Tensor& c_prev, int64_t hidden) {
  const int64_t rows = preactivations.shape()[0];
  const DType dtype = preactivations.dtype();
  Step s{preactivations.clone(), unwritten({rows, hidden}, dtype),
         unwritten({rows, hidden}, dtype)};
  cpu::lstm_step_forward(s.h.data<T>(), s.c.data<T>(), s.gates.data<T>(),
                         c_prev.defined() ? c_prev.data<T>() : nullptr, rows, hidden);
  return s;
}

// The row with its third and fourth quarter exchanged.
inline Tensor exchanged(const Tensor& gates) {
  std::vector<double> a = gates.to_vector();
  const int64_t width = gates.shape()[1], hidden = width / 4;
  for (auto row = a.begin(); row != a.end(); row += width) {
    std::swap_ranges(row + 2 * hidden, row + 3 * hidden, row + 3 * hidden);
  }
  return Tensor::from(a, gates.shape());
}

// ---- gradients

// What a step knows when its gradient is asked for, and what comes into it: dy may be undefined; dh
// and dc are those from the step behind.
struct StepInputs {
  Tensor a, c_prev, dy, dh, dc;

  Tensor active() const { return activated(a); }
  Tensor into_h() const {
    std::vector<double> sum = dh.to_vector();
    for (size_t i = 0; dy.defined() && i < sum.size(); ++i) sum[i] += dy.data<double>()[i];
    return Tensor::from(sum, dh.shape());
  }
};

inline const char* const kLarge =
    "a batch may have any number of rows, and a state any number of units";

inline StepInputs draw_step(Draw& draw, bool large = false) {
  const int64_t rows = large ? draw.between(150, 200) : draw.between(3, 5);
  const int64_t hidden = 2 * (large ? draw.between(65, 75) : draw.between(1, 2)) + 1;
  const Shape state{rows, hidden};
  return {draw.normal({rows, 4 * hidden}), draw.normal(state), draw.normal(state),
          draw.normal(state), draw.normal(state)};
}

// Rows and units of a step again and again, which treats them all alike; gates have four parts.
inline Tensor tiled(const Tensor& of, int64_t rows, int64_t hidden, int64_t parts = 1) {
  const int64_t width = parts * hidden, units = of.shape()[1] / parts;
  const Tensor all = Tensor::empty({rows, width}, DType::f64);
  for (int64_t i = 0; i < all.numel(); ++i) {
    const int64_t row = i / width % of.shape()[0], part = i % width / hidden;
    all.data<double>()[i] = of.data<double>()[(row * parts + part) * units + i % hidden % units];
  }
  return all;
}

struct StepGradients {
  Tensor gates, c_prev;
};

// By the kernel, with values of dh and dc in the first rows only.
inline StepGradients step_gradients(const StepInputs& in, int64_t dh_rows, int64_t dc_rows) {
  const Tensor gates = in.active(), dc = in.dc.clone(), c = cell(gates, in.c_prev);
  cpu::lstm_step_backward(gates.data<double>(), dc.data<double>(), in.dh.data<double>(),
                          in.dy.defined() ? in.dy.data<double>() : nullptr, c.data<double>(),
                          in.c_prev.data<double>(), dh_rows, dc_rows, c.shape()[0], c.shape()[1]);
  return {gates, dc};
}

// What the loss gains with h and c: dh . h + dc . c.
inline double gain(const StepInputs& in, const Tensor& active, const Tensor& c) {
  return dot(in.into_h(), output(active, c)) + dot(in.dc, c);
}

inline StepGradients step_differences(const StepInputs& in) {
  const auto by_gates = [&](const Tensor& at) {
    return gain(in, activated(at), cell(activated(at), in.c_prev));
  };
  const auto by_state = [&](const Tensor& at) {
    return gain(in, in.active(), cell(in.active(), at));
  };
  return {precise_differences(by_gates, in.a), precise_differences(by_state, in.c_prev)};
}

}  // namespace heed::lab
