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

Sgd::Sgd(Module& module, Options options) : options(options), parameters_(parameters(module)) {
  if (!(options.rate >= 0) || !(options.momentum >= 0) || !(options.weight_decay >= 0)) {
    throw UsageError("Sgd: rate, momentum and weight_decay must not be negative");
  }
  for (const NamedParameter& p : parameters_) {
    velocity_.push_back(options.momentum > 0 ? zeros_like(p.var.value()) : Tensor());
  }
}

void Sgd::step(double scale) {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].var.value();
    const Gradient& g = parameters_[i].var.gradient();
    if (!g.defined()) continue;
    if (g.sparse() && options.momentum == 0 && options.weight_decay == 0) {
      KERNEL(p, sgd_update_rows(p.data<T>(), g.rows.data<T>(), g.ids.data<int32_t>(),
                                T(options.rate * scale), g.ids.numel(), p.shape().back()));
      continue;
    }
    const Tensor dense = parameters_[i].var.grad(), &v = velocity_[i];
    KERNEL(p,
           sgd_update(p.data<T>(), v.defined() ? v.data<T>() : nullptr, dense.data<T>(), T(scale),
                      T(options.rate), T(options.momentum), T(options.weight_decay), p.numel()));
  }
}

Adam::Adam(Module& module, Options options) : options(options), parameters_(parameters(module)) {
  if (!(options.rate >= 0) || !(options.eps > 0) || !(options.beta1 >= 0 && options.beta1 < 1) ||
      !(options.beta2 >= 0 && options.beta2 < 1)) {
    throw UsageError("Adam: needs rate >= 0, eps > 0 and beta1, beta2 in [0, 1)");
  }
  for (const NamedParameter& p : parameters_) {
    m_.push_back(zeros_like(p.var.value()));
    v_.push_back(zeros_like(p.var.value()));
  }
}

void Adam::step(double scale) {
  ++steps_;
  const AdamFactors factors{options.rate,
                            options.beta1,
                            options.beta2,
                            options.eps,
                            1 - std::pow(options.beta1, static_cast<double>(steps_)),
                            1 - std::pow(options.beta2, static_cast<double>(steps_)),
                            scale};
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i].var.value();
    const Tensor dense = parameters_[i].var.grad();
    if (!dense.defined()) continue;
    KERNEL(p, adam_update(p.data<T>(), m_[i].data<T>(), v_[i].data<T>(), dense.data<T>(), factors,
                          p.numel()));
  }
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
