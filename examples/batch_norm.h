// Batch normalisation (Ioffe & Szegedy 2015): a layer with buffers, which are saved and not
// trained.
#pragma once

#include "autograd/composed.h"
#include "nn/module.h"

namespace examples {

using namespace heed;

// y = z gain + bias for each column,  z = (x - mean) / sqrt(variance + eps).   x, y (n, width)
// In training mean and variance are those of the batch (the variance divided by n), and
//   running = (1 - momentum) running + momentum batch's    (there the variance divided by n - 1)
// In evaluation they are the running ones. Throws ShapeError for a training batch of one row.
class BatchNorm : public Module {
 public:
  explicit BatchNorm(int64_t width, double momentum = 0.1, double eps = 1e-5)
      : gain(Var::parameter(Tensor::full({width}, 1))),
        bias(Var::parameter(Tensor::zeros({width}))),
        running_mean(Var::buffer(Tensor::zeros({width}))),
        running_variance(Var::buffer(Tensor::full({width}, 1))),
        momentum(momentum),
        eps(eps) {}

  Var train(const Var& x) {
    keep(running_variance, variance(x, 0));  // which throws, before anything has changed
    keep(running_mean, mean(x, 0));
    return normalised(x, mean(x, 0), variance(x, 0, /*keepdim=*/false, /*correction=*/0));
  }
  Var operator()(const Var& x) const { return normalised(x, running_mean, running_variance); }

  void visit(Visitor& v) override {
    v("weight", gain);
    v("bias", bias);
    v("running_mean", running_mean);
    v("running_var", running_variance);
  }
  BatchNorm like() const { return BatchNorm(gain.shape()[0], momentum, eps); }

  Var gain, bias, running_mean, running_variance;
  double momentum, eps;

 private:
  Var normalised(const Var& x, const Var& mean, const Var& variance) const {
    return (x - mean) / sqrt(variance + eps) * gain + bias;
  }
  void keep(const Var& running, const Var& of_batch) {
    const NoGrad guard;
    running.set_value(((1 - momentum) * running + momentum * of_batch.detach()).value());
  }
};

}  // namespace examples
