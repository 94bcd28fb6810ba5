#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>

#include "labs/04-softmax/by_loops.h"
#include "labs/support/check.h"
#include "tensor/kernels/softmax.h"

namespace heed::lab {

// Milliseconds, the best of some runs.
static double milliseconds(const std::function<void()>& run) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return best;
}

static void tell_speed() {
  const Tensor x = Draw().normal({256, 40000}, DType::f32), y = empty_like(x);
  const double yours =
      milliseconds([&] { cpu::softmax_forward(y.data<float>(), x.data<float>(), 256, 40000); });
  const double copy = milliseconds([&] { std::memcpy(y.raw(), x.raw(), x.bytes()); });
  std::cerr << "softmax of (256, 40000) in f32: " << text(yours) << " ms; a copy: " << text(copy)
            << " ms\n";
}

}  // namespace heed::lab

// Right digits of a softmax in f32 over a constant that is added to the row.
LAB_FIGURE() {
  std::vector<double> constants, naive, yours;
  const std::vector<double> row = {0, 1, 2, 3};
  for (int constant = 0; constant <= 120; constant += 15) {
    std::vector<float> moved, powers;
    for (const double v : row) moved.push_back(static_cast<float>(v + constant));
    float sum = 0;
    for (const float v : moved) sum += powers.emplace_back(std::exp(v));
    for (float& v : powers) v /= sum;
    const Tensor want = softmax_by_loops(Tensor::from(row, {1, 4}));
    const auto digits = [&](const Tensor& got) {
      const double error = std::fabs(got(0, 3) / want(0, 3) - 1);
      return std::isnan(error) ? 0 : std::min(8.0, -std::log10(error + 1e-9));
    };
    constants.push_back(constant);
    naive.push_back(digits(Tensor::from(powers, {1, 4})));
    const Tensor y = unwritten({1, 4}, DType::f32);
    cpu::softmax_forward(y.data<float>(), moved.data(), 1, 4);
    yours.push_back(digits(y));
  }
  tell_speed();
  print_curves("Right digits of softmax(x + c) in f32", "c", "digits", constants,
               {{"exp without the maximum", naive}, {"yours", yours}});
}
