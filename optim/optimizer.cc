#include "optim/optimizer.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
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

double clip_scale(double norm, double max_norm) {
  if (!(max_norm > 0)) {
    throw UsageError("clip_scale: max_norm must be positive, got " + std::to_string(max_norm));
  }
  return norm > max_norm ? max_norm / norm : 1.0;
}

Optimizer::Optimizer(Module& module, double rate, double weight_decay,
                     const std::vector<ParameterGroup>& groups)
    : rate(rate),
      parameters_(parameters(module)),
      weight_decay_(weight_decay),
      group_of_(parameters_.size()) {
  std::vector<char> used(groups.size());
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const ParameterGroup& g) {
      return fits(parameters_[i], g.name);
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

void Optimizer::step(const StepOptions& options) {
  double scale = options.scale;
  if (!std::isinf(options.max_norm)) {
    scale *= clip_scale(std::abs(scale) * grad_norm(parameters_), options.max_norm);
  }
  std::vector<Update> all;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Var& p = parameters_[i].var;
    if (!p.gradient().defined()) continue;  // nor has one that is frozen
    all.push_back(
        {i, p, rate * group_of_[i].rate, weight_decay_ * group_of_[i].weight_decay, scale});
  }
  if (all.empty()) {
    throw UsageError(
        "optimizer: no parameter has a gradient; call backward() before step(), on a loss that "
        "depends on parameters that are not frozen");
  }
  follow_parameters();
  update(all);
  for (const Update& u : all) u.p().mark_written();
}

Var Optimizer::Update::g() const {
  return scale * Var(parameter.grad());
}

std::vector<Tensor>& Optimizer::remember(const std::string& name) {
  Memory& memory = memories_.emplace_back(Memory{name, {}, /*number=*/false});
  for (const NamedParameter& p : parameters_) {
    memory.tensors.push_back(Tensor::zeros(p.var.shape(), p.var.dtype(), p.var.device()));
  }
  return memory.tensors;
}

int32_t& Optimizer::remember_number(const std::string& name) {
  Memory& memory = memories_.emplace_back(Memory{name, {}, /*number=*/true});
  return *memory.tensors.emplace_back(Tensor::zeros({1}, DType::i32)).data<int32_t>();
}

// What is remembered goes where the parameters have gone.
void Optimizer::follow_parameters() {
  for (Memory& memory : memories_) {
    if (memory.number) continue;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Var& p = parameters_[i].var;
      memory.tensors[i] = memory.tensors[i].to(p.dtype()).to(p.device());
    }
  }
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> list;
  for (const Memory& memory : memories_) {
    for (size_t i = 0; i < memory.tensors.size(); ++i) {
      list.push_back(
          {memory.name + (memory.number ? "" : "." + parameters_[i].name), memory.tensors[i]});
    }
  }
  return list;
}

}  // namespace heed
