// What the checks of lab 4 compare with: formulas in f64 by plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace heed::lab {

// Of every row, in f64 by plain loops: ln softmax.
inline Tensor log_softmax_by_loops(const Tensor& x) {
  const Tensor y = Tensor::empty(x.shape(), DType::f64);
  const int64_t cols = x.shape().back();
  const std::vector<double> values = x.to_vector();
  for (int64_t at = 0; at < x.numel(); at += cols) {
    const double max = *std::max_element(values.begin() + at, values.begin() + at + cols);
    double sum = 0;
    for (int64_t i = at; i < at + cols; ++i) sum += std::exp(values[i] - max);
    for (int64_t i = at; i < at + cols; ++i) {
      y.data<double>()[i] = values[i] - max - std::log(sum);
    }
  }
  return y;
}

inline Tensor map(const Tensor& a, const Tensor& b,
                  const std::function<double(double, double)>& f) {
  std::vector<double> x = a.to_vector();
  const std::vector<double> y = b.to_vector();
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i]);
  return Tensor::from(x, a.shape());
}

inline Tensor softmax_by_loops(const Tensor& x) {
  const Tensor logs = log_softmax_by_loops(x);
  return map(logs, logs, [](double log, double) { return std::exp(log); });
}

inline double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (const double product : map(a, b, std::multiplies<>()).to_vector()) sum += product;
  return sum;
}

// The weighted losses of rows, with label smoothing: sum_r weight_r loss_r.
inline double loss_by_loops(const Tensor& x, const std::vector<int32_t>& targets, double smoothing,
                            const Tensor& weights) {
  const Tensor logs = log_softmax_by_loops(x);
  const int64_t cols = x.shape().back();
  double sum = 0;
  for (int64_t r = 0; r < std::ssize(targets); ++r) {
    double mean = 0;
    for (int64_t i = 0; i < cols; ++i)
      mean += logs.data<double>()[r * cols + i] / static_cast<double>(cols);
    const double target = logs.data<double>()[r * cols + targets[r]];
    sum -= weights.data<double>()[r] * ((1 - smoothing) * target + smoothing * mean);
  }
  return sum;
}

inline Tensor one_hot(const std::vector<int32_t>& targets, int64_t cols) {
  const Tensor hot = Tensor::zeros({std::ssize(targets), cols}, DType::f64);
  for (size_t r = 0; r < targets.size(); ++r) hot.data<double>()[r * cols + targets[r]] = 1;
  return hot;
}

}  // namespace heed::lab
