// What the checks of lab 5 compare with: an LSTM in f64, one sequence after the other and one step
// after the other.
#pragma once

#include <cmath>
#include <vector>

#include "labs/support/check.h"
#include "tensor/compare.h"
#include "tensor/tensor.h"

namespace heed::lab {

inline const Tolerance kExact = {.relative = 1e-11, .absolute = 1e-12};
inline const Tolerance kDifferences = {.relative = 1e-9, .absolute = 2e-10};

// Central differences of two widths, of which the terms in h^2 cancel: right to the digits of f64,
// which those of f32 are not.
template <class F> Tensor precise_differences(const F& f, const Tensor& x) {
  const Tensor wide = central_differences(f, x, 2e-3), slopes = central_differences(f, x, 1e-3);
  for (int64_t i = 0; i < x.numel(); ++i) {
    double& slope = slopes.data<double>()[i];
    slope += (slope - wide.data<double>()[i]) / 3;
  }
  return slopes;
}

// rows[t][b] for the sequences b that have a step t: numbered step by step.
inline std::vector<std::vector<int64_t>> rows_of(const std::vector<int32_t>& lengths) {
  std::vector<std::vector<int64_t>> rows(lengths.at(0));
  int64_t next = 0;
  for (size_t step = 0; step < rows.size(); ++step) {
    for (const int32_t length : lengths) {
      if (length > static_cast<int32_t>(step)) rows[step].push_back(next++);
    }
  }
  return rows;
}

// ---- one step of some rows: preactivations (rows, 4H) in the order i, f, g, o; states (rows, H)

inline Tensor activated(const Tensor& gates) {
  std::vector<double> a = gates.to_vector();
  const size_t width = a.size() / gates.shape()[0], hidden = width / 4;
  for (size_t at = 0; at < a.size(); ++at) {
    const bool is_g = at % width / hidden == 2;
    a[at] = is_g ? std::tanh(a[at]) : 1 / (1 + std::exp(-a[at]));
  }
  return Tensor::from(a, gates.shape());
}

// f(i, f, g, o, state) for each unit of each row.
template <class F> Tensor each_unit(const Tensor& active, const Tensor& state, F f) {
  const std::vector<double> a = active.to_vector();
  std::vector<double> result = state.to_vector();
  const size_t hidden = state.shape()[1];
  for (size_t at = 0; at < result.size(); ++at) {
    const double* const gate = a.data() + at / hidden * 4 * hidden + at % hidden;
    result[at] = f(gate[0], gate[hidden], gate[2 * hidden], gate[3 * hidden], result[at]);
  }
  return Tensor::from(result, state.shape());
}

inline Tensor cell(const Tensor& active, const Tensor& c_prev) {
  return each_unit(active, c_prev, [](double i, double f, double g, double, double before) {
    return f * before + i * g;
  });
}

inline Tensor output(const Tensor& active, const Tensor& c) {
  return each_unit(active, c,
                   [](double, double, double, double o, double now) { return o * std::tanh(now); });
}

// ---- all steps of a packed batch

struct Inputs {
  std::vector<int32_t> lengths;
  Tensor gates, w, h0, c0;  // (N, 4H), (4H, H), (B, H), (B, H)
};
struct Outputs {
  Tensor y, h, c;  // (N, H), (B, H), (B, H)
};

// a + h W^T, one row
inline Tensor with_recurrent_part(const Tensor& a, const Tensor& h, const Tensor& w) {
  const Tensor sum = a.clone();
  const int64_t hidden = w.shape()[1];
  for (int64_t at = 0; at < w.numel(); ++at) {
    sum.data<double>()[at / hidden] += w.data<double>()[at] * h.data<double>()[at % hidden];
  }
  return sum;
}

inline Outputs lstm_by_loops(const Inputs& in) {
  const Outputs out{Tensor::empty({in.gates.shape()[0], in.w.shape()[1]}, DType::f64),
                    in.h0.clone(), in.c0.clone()};
  const auto rows = rows_of(in.lengths);
  for (int64_t b = 0; b < std::ssize(in.lengths); ++b) {
    const Tensor h = out.h.rows(b, b + 1), c = out.c.rows(b, b + 1);
    for (int32_t t = 0; t < in.lengths[b]; ++t) {
      const int64_t r = rows[t][b];
      const Tensor active = activated(with_recurrent_part(in.gates.rows(r, r + 1), h, in.w));
      c.copy_from(cell(active, c));
      h.copy_from(output(active, c));
      out.y.rows(r, r + 1).copy_from(h);
    }
  }
  return out;
}

inline double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.numel(); ++i) sum += a.data<double>()[i] * b.data<double>()[i];
  return sum;
}

}  // namespace heed::lab
