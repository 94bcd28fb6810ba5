// The simple layers. A new layer is blank: init() (nn/init.h) or load_parameters() sets the values
// of the whole model. They are f32 on the CPU; convert() and move() change that.
#pragma once

#include "autograd/ops.h"
#include "nn/module.h"

namespace heed {

// y = x W^T + b.   x (..., in), weight (out, in), bias (out), y (..., out)
// Initialised uniformly in +-1/sqrt(in).
class Linear : public Module {
 public:
  Linear(int64_t in, int64_t out, bool with_bias = true);
  Var operator()(const Var& x) const { return affine(x, weight, bias); }
  void visit(Visitor& v) override {
    v("weight", weight);
    v("bias", bias);
  }
  Linear like() const { return {weight.shape()[1], weight.shape()[0], bias.defined()}; }

  Var weight, bias;
};

// y_i = weight[ids_i].   ids i32 (n), weight (rows, width), y (n, width)
// Initialised with standard normal numbers. The gradient is sparse: it holds the looked-up rows
// only.
class Embedding : public Module {
 public:
  Embedding(int64_t rows, int64_t width);
  Var operator()(const Tensor& ids) const { return gather_rows(weight, ids); }
  void visit(Visitor& v) override { v("weight", weight); }
  Embedding like() const { return {weight.shape()[0], weight.shape()[1]}; }

  Var weight;
};

// Layer normalisation over the last axis (Ba et al. 2016). gain is initially 1 and bias 0, also
// without init().
class LayerNorm : public Module {
 public:
  explicit LayerNorm(int64_t width, double eps = 1e-5);
  Var operator()(const Var& x) const { return layer_norm(x, gain, bias, eps); }
  void visit(Visitor& v) override {
    v("weight", gain);
    v("bias", bias);
  }
  LayerNorm like() const { return LayerNorm(gain.shape()[0], eps); }

  Var gain, bias;
  double eps;
};

// Where dropout draws from: nothing is dropped while p is 0 (evaluation). Each place in a model
// takes its own stream: mode("decoder.embedding") and so on.
struct DropoutMode {
  double p = 0;
  uint64_t seed = 1;
  uint64_t step = 0;      // training step: new masks for every step
  uint32_t position = 0;  // time step, where a layer is called once for each

  DropoutMode at(int64_t time_step) const {
    return {p, seed, step, static_cast<uint32_t>(time_step)};
  }
  Var operator()(const Var& x, std::string_view place, uint32_t index = 0) const {
    return dropout(x, p, {seed, purpose_id(place) + index, step << 20 | position});
  }
};

}  // namespace heed
