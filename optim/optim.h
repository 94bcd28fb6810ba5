// Optimisers, gradient clipping, and the schedule of the learning rate.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "nn/module.h"

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

// Stochastic gradient descent, with g = scale * gradient:
//   d = g + weight_decay p;   v = momentum v + d;   p -= rate v      (p -= rate d without momentum)
// Sparse gradients touch their own rows only while momentum and weight decay are 0.
class Sgd {
 public:
  struct Options {
    double rate = 1.0, momentum = 0, weight_decay = 0;
  };
  explicit Sgd(Module& module) : Sgd(module, Options{}) {}
  Sgd(Module& module, Options options);
  void step(double scale = 1);

  Options options;

 private:
  std::vector<NamedParameter> parameters_;
  std::vector<Tensor> velocity_;
};

// Adam (Kingma & Ba 2015, algorithm 1).
class Adam {
 public:
  struct Options {
    double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8;
  };
  explicit Adam(Module& module) : Adam(module, Options{}) {}
  Adam(Module& module, Options options);
  void step(double scale = 1);

  Options options;

 private:
  std::vector<NamedParameter> parameters_;
  std::vector<Tensor> m_, v_;
  int64_t steps_ = 0;
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
