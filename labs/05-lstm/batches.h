// Batches of sequences of drawn lengths, by the op and by central differences.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "autograd/ops.h"
#include "labs/05-lstm/by_loops.h"
#include "labs/support/check.h"

namespace heed::lab {

// Lengths of at least 1, the longest first, of numbers from 0 on.
inline std::vector<int32_t> sorted(std::vector<int32_t> numbers) {
  for (int32_t& number : numbers) ++number;
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

// Four or five lengths, two of which are the same; the first is longer by two at least, the last
// is 1.
inline std::vector<int32_t> draw_lengths(Draw& draw) {
  std::vector<int32_t> numbers = draw.ids(draw.between(1, 2), 3);
  numbers.push_back(numbers[0]);
  numbers.push_back(0);
  numbers.push_back(static_cast<int32_t>(draw.between(4, 5)));
  return sorted(numbers);
}

// More sequences, and more steps.
inline std::vector<int32_t> draw_many(Draw& draw) {
  std::vector<int32_t> lengths(draw.between(10, 12), 2);
  lengths[0] = static_cast<int32_t>(draw.between(10, 12));
  return lengths;
}

// More rows than 16 bits can number.
inline std::vector<int32_t> draw_hundreds(Draw& draw) {
  return sorted(draw.ids(draw.between(500, 600), 400));
}

inline Inputs draw_inputs(Draw& draw, bool many = false) {
  const std::vector<int32_t> lengths = many ? draw_many(draw) : draw_lengths(draw);
  const int64_t rows = std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  const int64_t hidden = draw.between(2, 3), batch = std::ssize(lengths);
  return {lengths, draw.normal({rows, 4 * hidden}), draw.normal({4 * hidden, hidden}),
          draw.normal({batch, hidden}), draw.normal({batch, hidden})};
}

inline Tensor of_ints(const std::vector<int64_t>& values) {
  return Tensor::from(std::vector<double>(values.begin(), values.end()), {std::ssize(values)});
}
inline Tensor of_ints(const std::vector<int32_t>& values) {
  return of_ints(std::vector<int64_t>(values.begin(), values.end()));
}

inline Tensor still_running(const std::vector<int32_t>& lengths, int32_t late) {
  std::vector<int64_t> counts;
  for (int32_t step = 0; step < lengths[0]; ++step) {
    counts.push_back(std::count_if(lengths.begin(), lengths.end(),
                                   [&](int32_t length) { return length > step - late; }));
  }
  return of_ints(counts);
}

// The number that run, if it falls by one a step at most.
inline Tensor one_less_at_most(const std::vector<int32_t>& lengths) {
  std::vector<int64_t> counts;
  int64_t running = std::ssize(lengths);
  for (int32_t step = 0; step < lengths[0]; ++step) {
    running -= lengths[running - 1] <= step;
    counts.push_back(running);
  }
  return of_ints(counts);
}

inline Outputs run(const Inputs& in) {
  const LstmOutput out = lstm(Packing(in.lengths), in.gates.clone(), in.w, in.h0, in.c0);
  return {out.y.value(), out.h.value(), out.c.value()};
}

// ---- one sequence of a batch

inline std::vector<int64_t> rows_of_sequence(const Inputs& in, int64_t b) {
  std::vector<int64_t> its_rows;
  for (const std::vector<int64_t>& step : rows_of(in.lengths)) {
    if (b < std::ssize(step)) its_rows.push_back(step[b]);
  }
  return its_rows;
}

inline Tensor take_rows(const Tensor& from, const std::vector<int64_t>& rows) {
  const Tensor taken = Tensor::empty({std::ssize(rows), from.shape()[1]}, from.dtype());
  for (int64_t i = 0; i < std::ssize(rows); ++i) taken[i].copy_from(from[rows[i]]);
  return taken;
}

inline void put_rows(const Tensor& to, const std::vector<int64_t>& rows, const Tensor& values) {
  for (int64_t i = 0; i < std::ssize(rows); ++i) to[rows[i]].copy_from(values[i]);
}

inline Inputs alone(const Inputs& in, int64_t b) {
  return {{in.lengths[b]},
          take_rows(in.gates, rows_of_sequence(in, b)),
          in.w,
          in.h0.defined() ? in.h0.rows(b, b + 1) : Tensor(),
          in.c0.defined() ? in.c0.rows(b, b + 1) : Tensor()};
}

// ---- gradients

// Memory that is asked for after this holds numbers that are no gradients.
inline void litter(const Tensor& like) {
  std::vector<Tensor> held;
  for (int64_t rows = 1; rows <= like.shape()[0]; ++rows) {
    for (int i = 0; i < 20; ++i) held.push_back(Tensor::full({rows, 4}, 50, like.dtype()));
  }
}

// The gradients of dy . y + dh . h + dc . c by the op; what is undefined is left out of the loss.
struct Gradients {
  Tensor gates, w, h0, c0;
};
// Which of them are asked for; the others are constants.
struct Wanted {
  bool w = false, h0 = true, c0 = true;
};
inline Gradients by_op(const Inputs& in, const Outputs& d, Wanted wanted = {}) {
  const auto var = [](const Tensor& x, bool asked) {
    return x.defined() && asked ? Var::parameter(x) : Var(x);
  };
  const Var gates = Var::parameter(in.gates), w = var(in.w, wanted.w);
  const Var h0 = var(in.h0, wanted.h0), c0 = var(in.c0, wanted.c0);
  const LstmOutput out = lstm(Packing(in.lengths), gates, w, h0, c0);
  Var loss = Var(Tensor::full({}, 0, DType::f64));
  if (d.y.defined()) loss = loss + sum(out.y * Var(d.y));
  if (d.h.defined()) loss = loss + sum(out.h * Var(d.h));
  if (d.c.defined()) loss = loss + sum(out.c * Var(d.c));
  litter(in.gates);
  loss.backward();
  const auto grad = [](const Var& x) { return x.needs_grad() ? x.grad() : Tensor(); };
  return {grad(gates), grad(w), grad(h0), grad(c0)};
}

inline double loss_by_loops(const Inputs& in, const Outputs& d) {
  const Outputs out = lstm_by_loops(in);
  return (d.y.defined() ? dot(d.y, out.y) : 0) + (d.h.defined() ? dot(d.h, out.h) : 0) +
         (d.c.defined() ? dot(d.c, out.c) : 0);
}

// With respect to one of the inputs.
inline Tensor differences(const Inputs& in, const Outputs& d, Tensor Inputs::*part) {
  return precise_differences(
      [&](const Tensor& at) {
        Inputs moved = in;
        moved.*part = at;
        return loss_by_loops(moved, d);
      },
      in.*part);
}

inline Outputs draw_gradients(Draw& draw, const Inputs& in) {
  const Shape state = in.h0.shape();
  return {draw.normal({in.gates.shape()[0], state[1]}), draw.normal(state), draw.normal(state)};
}

// The loss is made of all outputs, or of one of them.
inline std::vector<std::pair<std::string, Outputs>> losses(const Outputs& d) {
  return {{"y, the last h and the last c", d},
          {"y alone", {d.y, {}, {}}},
          {"the last h alone", {{}, d.h, {}}},
          {"the last c alone", {{}, {}, d.c}}};
}

// sum over the steps of da^T h: h is what the step before gave (`late` 1), zero in the first step,
// or what the step itself gives (0).
inline Tensor sum_over_steps(const Inputs& in, const Tensor& da, size_t late) {
  const Tensor y = lstm_by_loops(in).y, sum = zeros_like(in.w);
  const auto rows = rows_of(in.lengths);
  const int64_t hidden = in.w.shape()[1];
  for (size_t t = late; t < rows.size(); ++t) {
    for (size_t b = 0; b < rows[t].size(); ++b) {
      for (int64_t k = 0; k < sum.numel(); ++k) {
        sum.data<double>()[k] += da(rows[t][b], k / hidden) * y(rows[t - late][b], k % hidden);
      }
    }
  }
  return sum;
}

// The norm of dgates of each step, if the loss is the sum of the last states.
inline std::vector<double> norms_by_step(const Inputs& in) {
  const Tensor dgates = by_op(in, {{}, Tensor::full(in.h0.shape(), 1, DType::f64), {}}).gates;
  std::vector<double> norms;
  for (const std::vector<int64_t>& step : rows_of(in.lengths)) {
    const Tensor rows = take_rows(dgates, step);
    norms.push_back(std::sqrt(dot(rows, rows)));
  }
  return norms;
}

}  // namespace heed::lab
