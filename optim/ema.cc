#include "optim/ema.h"

#include <utility>

#include "autograd/node.h"
#include "autograd/ops.h"

namespace heed {

Ema::Ema(Module& module, double decay) : decay_(decay), parameters_(parameters(module)) {
  if (!(decay >= 0 && decay < 1)) {
    throw UsageError(text("Ema: decay must be in [0, 1), got ", decay));
  }
  for (const NamedParameter& p : parameters_) {
    check_has_values(p);
    averages_.push_back(p.var.value().clone());
  }
  gradients_.resize(averages_.size());
}

void Ema::check_not_swapped(const char* what) const {
  if (swapped_) {
    throw UsageError(std::string("Ema: ") + what + " while the averages are in the module; " +
                     "swap() them back first");
  }
}

Tensor& Ema::average(size_t i) const {
  const Var& p = parameters_[i].var;
  return averages_[i] = averages_[i].to(p.dtype()).to(p.device());
}

void Ema::update() {
  check_not_swapped("update()");
  for (size_t i = 0; i < averages_.size(); ++i) {
    const Var p = parameters_[i].var.value(), before = average(i);
    // As a step towards p: in f32 decay and 1 - decay are rounded, and their sum is not 1.
    averages_[i].copy_from((before + (1 - decay_) * (p - before)).value());
  }
}

void Ema::swap() {
  for (size_t i = 0; i < averages_.size(); ++i) {
    const Var& parameter = parameters_[i].var;
    const Tensor p = parameter.value();
    const Gradient gradient =
        std::exchange(gradients_[i], swapped_ ? Gradient{} : parameter.gradient());
    parameter.set_value(averages_[i].to(p.dtype()).to(p.device()));  // drops the gradient
    averages_[i] = p;
    // It is lost where the parameter was frozen, converted or moved meanwhile, as always.
    const Tensor& g = gradient.sparse() ? gradient.rows : gradient.dense;
    const bool fits = g.defined() && g.dtype() == p.dtype() && g.device() == p.device();
    if (fits && !parameter.frozen()) parameter.node()->outputs[0].total = gradient;
  }
  swapped_ = !swapped_;
}

void Ema::copy_to(Module& module) const {
  check_not_swapped("copy_to()");
  const std::vector<NamedParameter> targets = parameters(module);
  check_shape(targets.size() == parameters_.size(), "Ema: ", parameters_.size(),
              " averages do not fit ", targets.size(), " parameters");
  for (size_t i = 0; i < targets.size(); ++i) {
    const auto& [name, var, aliases] = targets[i];
    check_shape(name == parameters_[i].name, "Ema: ", parameters_[i].name, " does not fit ", name);
    var.set_value(averages_[i].to(var.dtype()).to(var.device()));
  }
}

std::vector<NamedTensor> Ema::state() const {
  check_not_swapped("state()");
  std::vector<NamedTensor> list;
  for (size_t i = 0; i < averages_.size(); ++i) {
    list.push_back({"ema." + parameters_[i].name, average(i)});
  }
  return list;
}

}  // namespace heed
