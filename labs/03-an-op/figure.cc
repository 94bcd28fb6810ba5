#include <algorithm>
#include <cmath>

#include "labs/support/check.h"
#include "tensor/kernels/elementwise.h"

// Right digits of a central difference of tanh over the step, in f64 and f32.
LAB_FIGURE() {
  std::vector<double> exponents, in_f64, in_f32;
  const auto digits = [](double got, double want) {
    return std::max(0.0, -std::log10(std::fabs(got / want - 1) + 1e-16));
  };
  const double want = Tanh::df(Tanh::f(0.7));
  for (int k = 1; k <= 12; ++k) {
    const double h = std::pow(10.0, -k);
    const auto low = static_cast<float>(0.7 - h), high = static_cast<float>(0.7 + h);
    exponents.push_back(k);
    in_f64.push_back(digits((Tanh::f(0.7 + h) - Tanh::f(0.7 - h)) / (2 * h), want));
    in_f32.push_back(digits((Tanh::f(high) - Tanh::f(low)) / static_cast<float>(2 * h), want));
  }
  print_curves("Right digits of a central difference of tanh, beside your df", "-log10 of the step",
               "digits", exponents, {{"f64", in_f64}, {"f32", in_f32}});
}
