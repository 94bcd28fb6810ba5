// The slope of the square, by the kernel that the library trains with and by central differences.
#pragma once

#include <functional>
#include <vector>

#include "labs/support/check.h"
#include "tensor/kernels/elementwise.h"

namespace heed::lab {

// dx = dy f'(x)
inline void backward(const Tensor& dx, Write write, const Tensor& x, const Tensor& dy) {
  cpu::unary_backward<Square>(Out<double>(dx.data<double>(), write), x.data<double>(),
                              dy.data<double>(), Square{}, x.numel());
}

inline Tensor each(const Tensor& x, const std::function<double(double)>& f) {
  std::vector<double> values = x.to_vector();
  for (double& value : values) value = f(value);
  return Tensor::from(values, x.shape());
}

inline Tensor slopes(const Tensor& x) {
  return each(x, [](double at) {
    const double h = 1e-5;
    return (Square::f(at + h) - Square::f(at - h)) / (2 * h);
  });
}

}  // namespace heed::lab
