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
  Var operator()(const Var& ids) const {  // in their order, as of Packed::rows
    return (*this)(ids.value()).in_order(ids.row_order());
  }
  void visit(Visitor& v) override { v("weight", weight); }
  Embedding like() const { return {weight.shape()[0], weight.shape()[1]}; }

  Var weight;
};

// Layer normalisation over the last axis (Ba et al. 2016). gain is initially 1 and bias 0, also
// without init(). ShapeError unless width > 0, UsageError unless eps >= 0.
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

// How dropout acts: not at all (evaluation), or it drops each unit with probability p, with a new
// mask in each training step. Layers have different masks: each draws from its own random stream,
// which its name in the model identifies (Module::stream), or a name that the caller gives.
// A mask depends on this name, `seed` and `step` alone, and not on the seed of init(): models that
// are trained side by side need modes of different seeds, and a layer that is called twice in a
// step needs at(), or its second mask is the first.
class DropoutMode {
 public:
  DropoutMode() = default;  // drops nothing
  DropoutMode(double p, uint64_t seed, uint64_t step)
      : p_(p), seed_(seed), step_(step), draws_(true) {}

  double p() const { return p_; }
  // True for the mode of a training step, whatever p is. key() is the random stream of a name in
  // this step, for noise other than dropout.
  bool draws() const { return draws_; }
  RandomKey key(std::string_view name) const { return of(purpose_id(name)); }
  // The mode for time step t, for a layer that is called once per time step. Throws UsageError
  // unless 0 <= t < 2^20: these bits of the stream's step are its own.
  DropoutMode at(int64_t t) const {
    if (t < 0 || t >= 1 << kPositionBits) {
      throw UsageError(
          text("dropout: time step ", t, " is outside of [0, ", 1 << kPositionBits, ")"));
    }
    DropoutMode mode = *this;
    mode.position_ = static_cast<uint32_t>(t);
    return mode;
  }
  // With the stream of a name; `index` distinguishes several streams of the same name.
  Var operator()(const Var& x, std::string_view name, uint32_t index = 0) const {
    return dropout(x, p_, of(purpose_id(name) + index));
  }
  // With the layer's own stream, or, if `name` is not empty, with that of "name" or "name.part".
  // `part` distinguishes several masks of a layer. Throws UsageError if the layer has no name yet.
  Var operator()(const Var& x, const Module& layer, std::string_view name,
                 std::string_view part = "", uint32_t index = 0) const;

 private:
  static constexpr int kPositionBits = 20;
  RandomKey of(uint32_t stream) const {
    return {seed_, stream, step_ << kPositionBits | position_};
  }

  double p_ = 0;
  uint64_t seed_ = 0, step_ = 0;
  uint32_t position_ = 0;
  bool draws_ = false;
};

}  // namespace heed
