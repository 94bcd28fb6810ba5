// The kernels of lab 6, called directly, and numbers to compare with theirs.
#pragma once

#include <vector>

#include "labs/support/check.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/update.h"

namespace heed::lab {

inline Tensor numbers(const std::vector<double>& values) {
  return Tensor::from(values, {std::ssize(values)});
}

// a x + b y
inline Tensor combined(double a, const Tensor& x, double b, const Tensor& y) {
  std::vector<double> sum = x.to_vector();
  const std::vector<double> other = y.to_vector();
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = a * sum[i] + b * other[i];
  return Tensor::from(sum, x.shape());
}

// The rows of x, and then those of y.
inline Tensor below(const Tensor& x, const Tensor& y) {
  std::vector<double> rows = x.to_vector();
  const std::vector<double> more = y.to_vector();
  rows.insert(rows.end(), more.begin(), more.end());
  return Tensor::from(rows, {x.shape()[0] + y.shape()[0], x.shape()[1]});
}

inline double squares_by_loop(const Tensor& x) {
  double sum = 0;
  for (const double value : x.to_vector()) sum += value * value;
  return sum;
}

// ---- the kernels

template <class T> double sum_squares_of(const std::vector<Tensor>& arrays) {
  double total = -1;
  cpu::sum_squares(&total, values_of<T>(arrays).data(), std::ssize(arrays));
  return total;
}

struct Clipped {
  double norm, factor;
};
inline Clipped clipped(double norm, double scale, double max_norm) {
  const double squares = norm * norm;
  double clipping[2] = {kUnwritten, kUnwritten};
  cpu::clip(clipping, &squares, scale, max_norm);
  return {clipping[0], clipping[1]};
}

struct Settings {
  double scale = 1, rate = 0.1, momentum = 0, decay = 0;
};
template <class T>
void update_of(const Tensor& p, const Tensor& v, const Tensor& grad, const Settings& s) {
  cpu::sgd_update(p.data<T>(), v.defined() ? v.data<T>() : nullptr, grad.data<T>(), &s.scale,
                  T(s.rate), T(s.momentum), T(s.decay), p.numel());
}
inline void update(const Tensor& p, const Tensor& v, const Tensor& grad, const Settings& s) {
  if (p.dtype() == DType::f32) return update_of<float>(p, v, grad, s);
  update_of<double>(p, v, grad, s);
}

}  // namespace heed::lab
