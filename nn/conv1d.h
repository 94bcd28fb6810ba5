#pragma once

#include "autograd/packing.h"
#include "nn/module.h"

namespace heed {

// A convolution along ragged sequences, without padding, with the parameters of PyTorch's Conv1d:
//   y_t = bias + sum_j W_j x_{t + j},   j = 0 ... width - 1
// weight (out, in, width), W_j = weight[:, :, j]; bias (out). A sequence of n rows gives
// n - width + 1. Initialised uniformly in +-1/sqrt(in width). With the maximum over time (Kim
// 2014):
//   segment_max(relu(conv(x, s)), conv.windows(s))
class Conv1d : public Module {
 public:
  Conv1d(int64_t in, int64_t out, int64_t width, bool with_bias = true);
  // x (M, in), one sequence after the other, the M rows of s -> (rows of windows(s), out)
  Var operator()(const Var& x, const Segments& s) const;
  // The rows of the result. Throws ShapeError for a sequence of fewer rows than `width`.
  Segments windows(const Segments& s) const;
  void visit(Visitor& v) override {
    v("weight", weight);
    v("bias", bias);
  }
  Conv1d like() const {
    const Shape& w = weight.shape();
    return {w[1], w[0], w[2], bias.defined()};
  }

  Var weight, bias;
};

}  // namespace heed
