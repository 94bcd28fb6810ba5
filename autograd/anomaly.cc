#include "autograd/anomaly.h"

#include <algorithm>
#include <cmath>

#include "autograd/node.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/update.h"

namespace heed {
namespace {

thread_local bool detect = false;

[[noreturn]] void fail(const std::string& what) {
  throw AnomalyError("anomaly: " + what);
}

std::string name_of_node(const Node& node) {
  return std::string(node.op) + " " + node.outputs[0].shape.str();
}

}  // namespace

DetectAnomaly::DetectAnomaly(bool on) : active_(detect, on) {}
bool DetectAnomaly::active() {
  return detect;
}

// The sum of squares is one fast pass; only f64 can overflow it with finite numbers, so a sum that
// is not finite is looked into.
bool all_finite(const Tensor& x) {
  if (!x.defined() || x.dtype() == DType::i32) return true;
  const Tensor squares = Tensor::empty({1}, DType::f64, x.device());
  KERNEL(x, sum_squares(squares.data<double>(), values_of<T>({x}).data(), 1));
  if (std::isfinite(squares.item())) return true;
  const std::vector<double> values = x.to_vector();
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// Whether x has a NaN.
static bool has_nan(const Tensor& x) {
  if (all_finite(x)) return false;
  const std::vector<double> values = x.to_vector();
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

void check_forward(const char* op, const Tensor& value, const std::vector<Var>& inputs) {
  if (all_finite(value)) return;
  bool infinite = false;  // an input
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = inputs[i].value();
    if (has_nan(x)) {
      fail(text(op, " was given a number that is not finite: its input ", i + 1, " of ",
                inputs.size(), ", ", inputs[i].node() ? inputs[i].node()->op : "constant", " ",
                x.shape()));
    }
    infinite = infinite || !all_finite(x);
  }
  if (infinite && !has_nan(value)) return;
  fail(text(op, " made the first number that is not finite, in the forward pass: its value ",
            value.shape(), infinite ? ", NaN from infinite inputs" : ", from finite inputs"));
}

void check_backward(const Node& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Edge& input = node.inputs[i];
    if (!input || input.grad().all_finite()) continue;
    fail(std::string(node.op) + " made the first gradient that is not finite, in the backward " +
         "pass: of its input " + std::to_string(i + 1) + " of " +
         std::to_string(node.inputs.size()) + ", " + name_of_node(*input.node));
  }
}

void check_settled(const Node& node) {
  for (const GradientBuffer& output : node.outputs) {
    if (output.all_finite()) continue;
    fail("the gradients that reach " + name_of_node(node) + " are finite, their sum is not");
  }
}

}  // namespace heed
