#include "optim/optim.h"

#include <algorithm>
#include <cmath>

#include "tensor/dispatch.h"
#include "tensor/kernels/update.h"

namespace heed {

double grad_norm(const std::vector<NamedParameter>& parameters) {
  double total = 0;
  for (const NamedParameter& p : parameters) {
    const Gradient& g = p.var.gradient();
    if (!g.defined()) continue;
    const Tensor& values = g.sparse() ? g.rows : g.dense;
    double squares = 0;
    KERNEL(values, sum_squares(&squares, values.data<T>(), values.numel()));
    total += squares;
  }
  return std::sqrt(total);
}

Clipped clip_grad_norm(const std::vector<NamedParameter>& parameters, double max_norm) {
  if (!(max_norm > 0)) {
    throw UsageError("clip_grad_norm: max_norm must be positive, got " + std::to_string(max_norm));
  }
  const double norm = grad_norm(parameters);
  return {norm, norm > max_norm ? max_norm / norm : 1.0};
}

Optimizer::Optimizer(Module& module, double rate, const std::vector<ParameterGroup>& groups)
    : rate(rate), parameters_(parameters(module)), group_of_(parameters_.size()) {
  std::vector<char> used(groups.size());
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const ParameterGroup& g) {
      return parameters_[i].name.find(g.name) != std::string::npos;
    });
    if (group == groups.end()) continue;
    group_of_[i] = *group;
    used[group - groups.begin()] = 1;
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    if (!(groups[g].rate >= 0) || !(groups[g].weight_decay >= 0)) {
      throw UsageError("optimizer: the factors of group '" + groups[g].name +
                       "' must not be negative");
    }
    if (!used[g]) {
      throw UsageError("optimizer: no parameter for group '" + groups[g].name + "'");
    }
  }
}

std::vector<Tensor> Optimizer::zeros() const {
  std::vector<Tensor> tensors;
  for (const NamedParameter& p : parameters_) tensors.push_back(zeros_like(p.var.value()));
  return tensors;
}

void Optimizer::name(const std::string& prefix, const std::vector<Tensor>& tensors,
                     std::vector<NamedTensor>& list) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    list.push_back({prefix + "." + parameters_[i].name, tensors[i]});
  }
}

Sgd::Sgd(Module& module, const Options& options)
    : Optimizer(module, options.rate, options.groups), options_(options) {
  if (!(options.rate >= 0) || !(options.momentum >= 0) || !(options.weight_decay >= 0)) {
    throw UsageError("Sgd: rate, momentum and weight_decay must not be negative");
  }
  if (options.momentum > 0) velocity_ = zeros();
}

void Sgd::step(double scale) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].var.value();
    const Gradient& g = parameters_[i].var.gradient();
    if (!g.defined()) continue;
    const double rate_here = rate * group_of_[i].rate;
    const double decay = options_.weight_decay * group_of_[i].weight_decay;
    if (g.sparse() && options_.momentum == 0 && decay == 0) {
      KERNEL(p, sgd_update_rows(p.data<T>(), g.rows.data<T>(), g.ids.data<int32_t>(),
                                T(rate_here * scale), g.ids.numel(), p.shape().back()));
      continue;
    }
    const Tensor dense = parameters_[i].var.grad();
    KERNEL(p, sgd_update(p.data<T>(), velocity_.empty() ? nullptr : velocity_[i].data<T>(),
                         dense.data<T>(), T(scale), T(rate_here), T(options_.momentum), T(decay),
                         p.numel()));
  }
}

std::vector<NamedTensor> Sgd::state() const {
  std::vector<NamedTensor> list;
  name("velocity", velocity_, list);
  return list;
}

Adam::Adam(Module& module, const Options& options)
    : Optimizer(module, options.rate, options.groups),
      options_(options),
      m_(zeros()),
      v_(zeros()),
      steps_(Tensor::zeros({1}, DType::i32)) {
  if (!(options.rate >= 0) || !(options.weight_decay >= 0) || !(options.eps > 0) ||
      !(options.beta1 >= 0 && options.beta1 < 1) || !(options.beta2 >= 0 && options.beta2 < 1)) {
    throw UsageError("Adam: needs rate, weight_decay >= 0, eps > 0 and beta1, beta2 in [0, 1)");
  }
}

void Adam::step(double scale) {
  const int32_t t = ++*steps_.data<int32_t>();
  const double c1 = 1 - std::pow(options_.beta1, t), c2 = 1 - std::pow(options_.beta2, t);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].var.value();
    const Tensor dense = parameters_[i].var.grad();
    if (!dense.defined()) continue;
    const AdamFactors factors{rate * group_of_[i].rate,
                              options_.beta1,
                              options_.beta2,
                              options_.eps,
                              options_.weight_decay * group_of_[i].weight_decay,
                              c1,
                              c2,
                              scale};
    KERNEL(p, adam_update(p.data<T>(), m_[i].data<T>(), v_[i].data<T>(), dense.data<T>(), factors,
                          p.numel()));
  }
}

std::vector<NamedTensor> Adam::state() const {
  std::vector<NamedTensor> list;
  name("m", m_, list);
  name("v", v_, list);
  list.push_back({"steps", steps_});
  return list;
}

HalvingSchedule::HalvingSchedule(Options options) : options_(options) {
  if (!(options.rate > 0) || !(options.min_rate >= 0) || options.patience < 1 ||
      options.max_halvings < 0 || options.halve_after < 0) {
    throw UsageError(
        "HalvingSchedule: needs rate > 0, min_rate >= 0, patience >= 1, max_halvings >= 0 and "
        "halve_after >= 0");
  }
  state.rate = options.rate;
}

bool HalvingSchedule::update(double perplexity) {
  ++state.epoch;
  const bool first = state.best == 0 && !std::isnan(perplexity);  // NaN is never an improvement
  const bool improved = first || perplexity < state.best * (1 - options_.min_improvement);
  const bool best = first || perplexity < state.best;
  if (best) state.best = perplexity;
  state.bad_epochs = improved ? 0 : state.bad_epochs + 1;
  const bool by_epoch = options_.halve_after > 0 && state.epoch >= options_.halve_after;
  if (state.bad_epochs >= options_.patience || by_epoch) {
    state.bad_epochs = 0;
    if (state.halvings >= options_.max_halvings || state.rate / 2 < options_.min_rate) {
      state.finished = true;
    } else {
      state.rate /= 2;
      ++state.halvings;
    }
  }
  return best;
}

}  // namespace heed
