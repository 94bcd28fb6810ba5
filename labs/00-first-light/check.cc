// Lab 0: the slope of the square. The kernel is called directly, without tensors' ops and engine.
#include "labs/support/check.h"
#include "tensor/kernels/elementwise.h"

namespace heed::lab {
namespace {

// dx = dy f'(x), by the kernel that the library trains with
void backward(const Tensor& dx, Write write, const Tensor& x, const Tensor& dy) {
  cpu::unary_backward<Square>(Out<double>(dx.data<double>(), write), x.data<double>(),
                              dy.data<double>(), Square{}, x.numel());
}

Tensor each(const Tensor& x, const std::function<double(double)>& f) {
  std::vector<double> values = x.to_vector();
  for (double& value : values) value = f(value);
  return Tensor::from(values, x.shape());
}

Tensor slopes(const Tensor& x) {
  return each(x, [](double at) {
    const double h = 1e-5;
    return (Square::f(at + h) - Square::f(at - h)) / (2 * h);
  });
}

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

LAB_FIGURE() {
  std::vector<double> at, square, slope, yours;
  for (int i = 0; i <= 8; ++i) {
    at.push_back(0.25 * i);
    square.push_back(Square::f(at.back()));
  }
  const Tensor x = Tensor::from(at, {std::ssize(at)}), dx = unwritten(x.shape());
  backward(dx, Write::assign, x, Tensor::full(x.shape(), 1, DType::f64));
  print_curves(
      "A square and its slope", "x", "y", at,
      {{"x squared", square}, {"its slope", slopes(x).to_vector()}, {"yours", dx.to_vector()}});
}
