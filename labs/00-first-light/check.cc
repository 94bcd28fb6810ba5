// Lab 0: the slope of the square. The kernel is called directly, without tensors' ops and engine.
#include "labs/00-first-light/square.h"

namespace heed::lab {
namespace {

LAB_CHECK(SlopeOfTheSquare) {
  Draw draw;
  const Tensor x = draw.normal({draw.between(5, 20)}), dx = unwritten(x.shape());
  backward(dx, Write::assign, x, Tensor::full(x.shape(), 1, DType::f64));
  expect_close("the slope of x^2", dx, slopes(x),
               {.suspects = {{"x^2 itself, not its slope", each(x, Square::f<double>)},
                             {"the slope of x^3", each(x, [](double v) { return 3 * v * v; })}},
                .law = "what does x^2 gain if x gains a little? (x + h)^2 - x^2 = 2 x h + h^2"});
}

LAB_CHECK(ChainRule) {
  Draw draw;
  const Tensor x = draw.normal({draw.between(5, 20)}), dy = draw.normal(x.shape());
  const Tensor before = draw.normal(x.shape()), dx = before.clone();
  backward(dx, Write::add, x, dy);
  const Tensor slope = slopes(x), want = before.clone();
  for (int64_t i = 0; i < x.numel(); ++i) {
    want.data<double>()[i] += dy.data<double>()[i] * slope.data<double>()[i];
  }
  expect_close("what was there, plus dy times the slope", dx, want,
               {.law = "df() returns the slope at x alone: the kernel multiplies by dy and adds"});
}

}  // namespace
}  // namespace heed::lab
