// The optimisers. Each has a source of its own (optim/adam.cc).
// Schedules of the rate are in optim/schedule.h, averages of the parameters in optim/ema.h.
#pragma once

#include "optim/optimizer.h"

namespace heed {

// Stochastic gradient descent, with g = the scaled gradient:
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

 private:
  void update(const std::vector<Update>& all) override;

  const Options options_;
  std::vector<Tensor>* velocity_ = nullptr;  // null without momentum
};

// Adam (Kingma & Ba 2015, algorithm 1), with decoupled weight decay (AdamW: Loshchilov & Hutter
// 2019, algorithm 2), g = the scaled gradient, t = 1, 2, ... counts the steps in which the
// parameter had one:
//   m = beta1 m + (1 - beta1) g;   v = beta2 v + (1 - beta2) g^2
//   p -= rate ((m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay p)
// Its state is m, v and "steps", t of each parameter.
class Adam : public Optimizer {
 public:
  struct Options {
    double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
    std::vector<ParameterGroup> groups = {};
  };
  explicit Adam(Module& module) : Adam(module, Options{}) {}
  Adam(Module& module, const Options& options);  // throws UsageError for what is out of range

 private:
  void update(const std::vector<Update>& all) override;

  const Options options_;
  std::vector<Tensor>&m_, &v_;
  int32_t* steps_;  // t of each parameter
};

// Adagrad (Duchi et al. 2011), g = the scaled gradient + weight_decay p:
//   h += g^2;   p -= rate g / (sqrt(h) + eps)
// Its state is h.
class Adagrad : public Optimizer {
 public:
  struct Options {
    double rate = 0.01, eps = 1e-10, weight_decay = 0;
    std::vector<ParameterGroup> groups = {};
  };
  explicit Adagrad(Module& module) : Adagrad(module, Options{}) {}
  Adagrad(Module& module, const Options& options);  // throws UsageError for what is out of range

 private:
  void update(const std::vector<Update>& all) override;

  const Options options_;
  std::vector<Tensor>& h_;
};

// L-BFGS without a line search (Liu & Nocedal 1989; Nocedal & Wright 2006, algorithm 7.4), for
// small problems with the gradient of the whole data in every step. From the last `history` pairs
//   s = p_{t+1} - p_t,   y = g_{t+1} - g_t       that have s . y > 1e-10
// it makes d = -H g, H the estimate of the inverse Hessian, and p += rate d; in the first step
// d = -g min(1, 1 / sum |g|).
// Its state is 2 (history + 1) tensors for each parameter. The set of parameters with gradients
// should not change during training. Clipping would scale each gradient by another factor, so that
// y would not be a difference of gradients of one function: a step with max_norm throws UsageError.
class Lbfgs : public Optimizer {
 public:
  struct Options {
    double rate = 1;
    int history = 10;
    std::vector<ParameterGroup> groups = {};  // of rates; there is no weight decay
  };
  explicit Lbfgs(Module& module) : Lbfgs(module, Options{}) {}
  Lbfgs(Module& module, const Options& options);  // throws UsageError for what is out of range

 private:
  std::string refuses_clipping() const override {
    return "Lbfgs: max_norm scales each gradient by another factor; step() without it";
  }
  void update(const std::vector<Update>& all) override;
  void remember_pair(const std::vector<Update>& all, const std::vector<Var>& g);
  std::vector<Var> direction(const std::vector<Update>& all, const std::vector<Var>& g) const;

  const Options options_;
  std::vector<Tensor>&last_step_, &last_g_;
  std::vector<std::vector<Tensor>*> s_, y_;  // of pair k at k % history
  int32_t &steps_, &pairs_;
};

}  // namespace heed
