#include "labs/00-first-light/square.h"

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
