// Lab 0: the slope of the square. The kernel is called directly, without tensors' ops and engine.
#include <cmath>

#include "labs/00-first-light/square.h"

namespace heed::lab {
namespace {

Tensor slopes_by_df(const Tensor& x) {
  const Tensor dx = unwritten(x.shape());
  backward(dx, Write::assign, x, Tensor::full(x.shape(), 1, DType::f64));
  return dx;
}

LAB_CHECK(SlopeOfTheSquare) {
  Draw draw;
  const Tolerance fine = {.relative = 3e-9, .absolute = 1e-9};
  const std::string law = "what does x^2 gain if x gains a little? (x + h)^2 - x^2 = 2 x h + h^2";
  const Tensor x = draw.normal({draw.between(5, 20)});
  double* const at = x.data<double>();  // both signs are there, and a 0
  at[0] = std::fabs(at[0]), at[1] = -std::fabs(at[1]), at[draw.between(2, x.numel() - 1)] = 0;
  expect_close("the slope of x^2", slopes_by_df(x), slopes(x),
               {.tolerance = fine,
                .suspects = {{"x^2 itself, not its slope", each(x, Square::f<double>)},
                             {"the slope of x^3", each(x, [](double v) { return 3 * v * v; })},
                             {"right to the seven digits of a float, but T is double here",
                              each(x, [](double v) { return 2 * static_cast<float>(v); })}},
                .law = law,
                .not_finite = "the slope of x^2 is finite everywhere, at 0 and below, too."});
  if (testing::Test::HasFailure()) return;
  const double far = draw.uniform(20, 30);
  const Tensor outside = Tensor::from({-far, 1e4 * far, -100 * far, far}, {4});
  expect_close("the slope of x^2 far outside", slopes_by_df(outside), slopes(outside),
               {.tolerance = fine, .law = law});
  const Tensor near = Tensor::from({-1e-5 * far, 1e-4 * far, 1e-6}, {3});
  expect_close("the slope of x^2 near 0", slopes_by_df(near), slopes(near),
               {.tolerance = {.relative = 1e-6, .absolute = 1e-11}, .law = law});
  if (testing::Test::HasFailure()) return;
  const Tensor coarse = unwritten(x.shape(), DType::f32);
  backward<float>(coarse, Write::assign, x.to(DType::f32), Tensor::full(x.shape(), 1, DType::f32));
  expect_close("the slope of x^2 in f32", coarse.to(DType::f64), slopes(x),
               {.tolerance = {.relative = 1e-6, .absolute = 1e-6},
                .law = "right in f64, and not in f32: df is for both, and a difference of two "
                       "values that are nearly the same has few digits there"});
}

LAB_CHECK(ChainRule) {
  Draw draw;
  const Tensor x = draw.normal({draw.between(5, 20)}), dy = draw.normal(x.shape());
  const Tensor before = draw.normal(x.shape()), dx = before.clone();
  backward(dx, Write::add, x, dy);
  const auto added = [&](const Tensor& slope) {
    const Tensor sum = before.clone();
    for (int64_t i = 0; i < x.numel(); ++i) {
      sum.data<double>()[i] += dy.data<double>()[i] * slope.data<double>()[i];
    }
    return sum;
  };
  expect_close("what was there, plus dy times the slope", dx, added(slopes(x)),
               {.suspects = {{"made with a slope that is wrong: SlopeOfTheSquare says how",
                              added(slopes_by_df(x))}},
                .law = "df() returns the slope at x alone: the kernel multiplies by dy and adds"});
}

}  // namespace
}  // namespace heed::lab
