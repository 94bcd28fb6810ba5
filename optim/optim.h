// Optimisers, gradient clipping, and the schedule of the learning rate.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/module.h"
#include "nn/safetensors.h"

namespace heed {

// sqrt of the sum of squares of all gradients, in f64.
double grad_norm(const std::vector<NamedParameter>& parameters);

// Global-norm clipping (Pascanu et al. 2013) by way of a factor for the step:
//   scale = min(1, max_norm / norm)
// The gradients stay as they are; pass `scale` to step(). Returns the norm before clipping.
struct Clipped {
  double norm, scale;
};
Clipped clip_grad_norm(const std::vector<NamedParameter>& parameters, double max_norm);

// Parameters that an optimiser treats in a way of their own: those with `name` in their name.
struct ParameterGroup {
  std::string name;                   // "lstm", "decoder.output"
  double rate = 1, weight_decay = 1;  // factors of the optimiser's rate and weight decay
};

// What all optimisers have in common. Make one when the module is where it will be trained: it
// holds the parameters as they are then.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // Updates every parameter that has a gradient; the gradient is taken times `scale`.
  virtual void step(double scale = 1) = 0;
  // All that is remembered between steps, by name. The tensors are the optimiser's own: with their
  // values copied into those of another one of the same kind and module, that one goes on with the
  // same numbers.
  virtual std::vector<NamedTensor> state() const = 0;

  double rate;  // learning rate; a schedule changes it between steps

 protected:
  // The first group that a parameter is in counts for it. Throws UsageError for a negative factor
  // and for a group without parameters.
  Optimizer(Module& module, double rate, const std::vector<ParameterGroup>& groups);
  // One tensor for each parameter, of its shape and device, filled with zeros.
  std::vector<Tensor> zeros() const;
  // Appends them as "m.encoder.embedding.weight" and so on.
  void name(const std::string& prefix, const std::vector<Tensor>& tensors,
            std::vector<NamedTensor>& list) const;

  const std::vector<NamedParameter> parameters_;
  std::vector<ParameterGroup> group_of_;  // one for each parameter
};

// Stochastic gradient descent, with g = scale * gradient:
//   d = g + weight_decay p;   v = momentum v + d;   p -= rate v      (p -= rate d without momentum)
// Sparse gradients touch their own rows only while momentum and weight decay are 0.
// Its state is the velocity v, if there is momentum.
class Sgd : public Optimizer {
 public:
  struct Options {
    double rate = 1.0, momentum = 0, weight_decay = 0;
    std::vector<ParameterGroup> groups = {};
  };
  explicit Sgd(Module& module) : Sgd(module, Options{}) {}
  Sgd(Module& module, const Options& options);  // throws UsageError for negative numbers
  void step(double scale = 1) override;
  std::vector<NamedTensor> state() const override;

 private:
  const Options options_;
  std::vector<Tensor> velocity_;
};

// Adam (Kingma & Ba 2015, algorithm 1), with decoupled weight decay (AdamW: Loshchilov & Hutter
// 2019, algorithm 2), g = scale * gradient, in step t = 1, 2, ...:
//   m = beta1 m + (1 - beta1) g;   v = beta2 v + (1 - beta2) g^2
//   p -= rate ((m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay p)
// Its state is m, v and t.
class Adam : public Optimizer {
 public:
  struct Options {
    double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
    std::vector<ParameterGroup> groups = {};
  };
  explicit Adam(Module& module) : Adam(module, Options{}) {}
  Adam(Module& module, const Options& options);  // throws UsageError for what is out of range
  void step(double scale = 1) override;
  std::vector<NamedTensor> state() const override;

 private:
  const Options options_;
  std::vector<Tensor> m_, v_;
  Tensor steps_;  // t, one i32 on the CPU: a tensor, so that it is saved like the others
};

// Halves the learning rate when validation perplexity stops dropping, and says when to stop.
//   an epoch improves if  perplexity < best (1 - min_improvement)
//   after `patience` epochs in a row without improvement: rate /= 2
//   stop when the rate would fall below min_rate, or after max_halvings
// With halve_after > 0 the rate is also halved after every epoch beyond that one, whatever the
// perplexity (Luong et al. 2015).
class HalvingSchedule {
 public:
  struct Options {
    double rate = 1.0, min_rate = 1e-3, min_improvement = 0.0;
    int patience = 1, max_halvings = 10, halve_after = 0;
  };
  // All that changes; saved with a run and given back on resume.
  struct State {
    double rate = 1.0, best = 0;  // best is 0 before the first epoch
    int epoch = 0, bad_epochs = 0, halvings = 0;
    bool finished = false;
  };
  explicit HalvingSchedule(Options options);
  // After each epoch. Returns true if this is the best perplexity so far.
  bool update(double perplexity);
  double rate() const { return state.rate; }
  bool finished() const { return state.finished; }

  State state;

 private:
  Options options_;
};

}  // namespace heed
