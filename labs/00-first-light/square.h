// The slope of the square, by the kernel that the library trains with and by central differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "labs/support/check.h"
#include "tensor/kernels/elementwise.h"

namespace heed::lab {

// dx = dy f'(x)
template <class T = double>
void backward(const Tensor& dx, Write write, const Tensor& x, const Tensor& dy) {
  cpu::unary_backward<Square>(Out<T>(dx.data<T>(), write), x.data<T>(), dy.data<T>(), Square{},
                              x.numel());
}

inline Tensor each(const Tensor& x, const std::function<double(double)>& f) {
  std::vector<double> values = x.to_vector();
  for (double& value : values) value = f(value);
  return Tensor::from(values, x.shape());
}

// The step grows with x, so that f(x + h) and f(x - h) differ by enough.
inline Tensor slopes(const Tensor& x) {
  return each(x, [](double at) {
    const double h = 1e-5 + 0.25 * std::max(0.0, std::fabs(at) - 4);
    return (Square::f(at + h) - Square::f(at - h)) / (2 * h);
  });
}

}  // namespace heed::lab
