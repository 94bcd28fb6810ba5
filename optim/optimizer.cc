#include "optim/optimizer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/update.h"

namespace heed {

namespace {

void check_max_norm(const char* what, double max_norm) {
  if (max_norm > 0) return;
  throw UsageError(text(what, ": max_norm must be positive, got ", max_norm));
}

// It may be 0 or NaN, as that of clip_scale() for a norm that is not finite.
void check_scale(const char* what, double scale) {
  if (!(scale < 0) && !std::isinf(scale)) return;
  throw UsageError(text(what, ": the scale must not be negative or infinite, got ", scale));
}

// The sum of squares of all gradients, f64 (1), on the device of the first.
Tensor sum_of_squares(const std::vector<NamedParameter>& parameters) {
  std::vector<Tensor> open;
  for (const NamedParameter& p : parameters) {
    const Gradient& g = p.var.gradient();
    if (g.defined()) open.push_back(g.sparse() ? g.rows : g.dense);
  }
  Tensor total;
  while (!open.empty()) {  // those of one device and type together: in most models that is all
    const Tensor first = open[0], part = Tensor::empty({1}, DType::f64, first.device());
    const auto rest = std::stable_partition(open.begin(), open.end(), [&](const Tensor& x) {
      return x.device() == first.device() && x.dtype() == first.dtype();
    });
    const std::vector<Tensor> alike(open.begin(), rest);
    KERNEL(first, sum_squares(part.data<double>(), values_of<T>(alike).data(), std::ssize(alike)));
    open.erase(open.begin(), rest);
    total = total.defined() ? add(Var(total), Var(part.to(total.device()))).value() : part;
  }
  return total.defined() ? total : Tensor::zeros({1}, DType::f64);
}

}  // namespace

double grad_norm(const std::vector<NamedParameter>& parameters) {
  return std::sqrt(sum_of_squares(parameters).item());
}

double clip_scale(double norm, double max_norm) {
  check_max_norm("clip_scale", max_norm);
  return clip_factor(norm, max_norm);
}

Clipping clipping(const std::vector<NamedParameter>& parameters, const StepOptions& options) {
  check_scale("clipping", options.scale);
  check_max_norm("clipping", options.max_norm);
  const Tensor squares = sum_of_squares(parameters);
  const Tensor numbers = Tensor::empty({2}, DType::f64, squares.device());
  ON_DEVICE(numbers,
            clip(numbers.data<double>(), squares.data<double>(), options.scale, options.max_norm));
  return {numbers};
}

Optimizer::Optimizer(Module& module, double rate, double weight_decay,
                     const std::vector<ParameterGroup>& groups)
    : rate(rate),
      parameters_(parameters(module)),
      module_(module.place()),
      weight_decay_(weight_decay),
      group_of_(parameters_.size()) {
  if (parameters_.empty()) throw UsageError("optimizer: the module has no parameters");
  std::vector<char> used(groups.size());
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const ParameterGroup& g) {
      return fits(parameters_[i], g.name);
    });
    if (group == groups.end()) continue;
    group_of_[i] = *group;
    if (!parameters_[i].var.is_buffer()) used[group - groups.begin()] = 1;
  }
  for (size_t g = 0; g < groups.size(); ++g) {
    if (!(groups[g].rate >= 0) || !(groups[g].weight_decay >= 0)) {
      throw UsageError("optimizer: the factors of group '" + groups[g].name +
                       "' must not be negative");
    }
    if (used[g]) continue;
    const bool taken = std::any_of(
        parameters_.begin(), parameters_.end(),
        [&](const NamedParameter& p) { return !p.var.is_buffer() && fits(p, groups[g].name); });
    throw UsageError("optimizer: no parameter for group '" + groups[g].name + "'" +
                     (taken ? ": groups before it have them all" : ""));
  }
  for (const NamedParameter& p : parameters_) ++p.var.cell()->optimizers;
}

Optimizer::~Optimizer() {
  for (const NamedParameter& p : parameters_) --p.var.cell()->optimizers;
}

void Optimizer::step(const StepOptions& options) {
  if (options.max_norm != std::numeric_limits<double>::infinity()) {
    return step(clipping(parameters_, options));
  }
  check_scale("optimizer", options.scale);
  step_with(Tensor::full({1}, options.scale, DType::f64));
}

void Optimizer::step(const Clipping& clipping) {
  if (const std::string why = refuses_clipping(); !why.empty()) throw UsageError(why);
  step_with(clipping.factor());
}

void Optimizer::step_with(const Tensor& scale) {
  if (!(rate >= 0 && std::isfinite(rate))) {
    throw UsageError(text("optimizer: the rate must be finite and >= 0, got ", rate));
  }
  std::map<int, Tensor> on_device;  // the scale, by the device of a gradient
  std::vector<Update> all;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Var& p = parameters_[i].var;
    if (!p.gradient().defined()) {  // nor has one that is frozen
      if (p.cell().use_count() > 1) continue;
      throw UsageError(
          "optimizer: no module holds '" + parameters_[i].name +
          "' any more: its layer was replaced after the optimiser was made, and the new one "
          "would not be trained; make the optimiser again");
    }
    Tensor& here = on_device[p.device().is_cuda() ? p.device().index : -1];
    if (!here.defined()) here = scale.to(p.device());
    all.push_back(
        {i, p, rate * group_of_[i].rate, weight_decay_ * group_of_[i].weight_decay, here});
  }
  check_none_is_left_out();
  if (all.empty()) {
    throw UsageError(
        "optimizer: no parameter has a gradient; call backward() before step(), on a loss that "
        "depends on parameters that are not frozen");
  }
  follow_parameters();
  update(all);
  for (const Update& u : all) u.p().mark_written();
}

// What the module has by now, if there is one.
void Optimizer::check_none_is_left_out() const {
  if (!*module_) return;
  for (const NamedParameter& p : parameters(**module_)) {
    if (!p.var.gradient().defined() || p.var.cell()->optimizers > 0) continue;
    throw UsageError("optimizer: '" + p.name +
                     "' has a gradient, but no optimiser: its layer was added or replaced after "
                     "the optimiser was made, and would not be trained; make the optimiser again, "
                     "or another one for the layer");
  }
}

Var Optimizer::Update::g() const {
  const Tensor dense = parameter.grad(), y = empty_like(dense), factor = scale.to(dense.dtype());
  KERNEL(y, scale_by(y.data<T>(), dense.data<T>(), factor.data<T>(), y.numel()));
  return y;
}

double Optimizer::Update::not_zero(double eps) const {
  constexpr double kLeast = std::numeric_limits<float>::min();
  return p().dtype() == DType::f32 ? std::max(eps, kLeast) : eps;
}

std::vector<Tensor>& Optimizer::remember(const std::string& name) {
  Memory& memory = memories_.emplace_back(Memory{name, {}, /*numbers=*/false});
  for (const NamedParameter& p : parameters_) {
    memory.tensors.push_back(Tensor::zeros(p.var.shape(), p.var.dtype(), p.var.device()));
  }
  return memory.tensors;
}

int32_t* Optimizer::remember_numbers(const std::string& name, size_t count) {
  Memory& memory = memories_.emplace_back(Memory{name, {}, /*numbers=*/true});
  const Shape shape{static_cast<int64_t>(count)};
  return memory.tensors.emplace_back(Tensor::zeros(shape, DType::i32)).data<int32_t>();
}

// What is remembered goes where the parameters have gone.
void Optimizer::follow_parameters() const {
  for (Memory& memory : memories_) {
    if (memory.numbers) continue;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Var& p = parameters_[i].var;
      memory.tensors[i] = memory.tensors[i].to(p.dtype()).to(p.device());
    }
  }
}

std::vector<NamedTensor> Optimizer::state() const {
  follow_parameters();
  std::vector<NamedTensor> list;
  for (const Memory& memory : memories_) {
    for (size_t i = 0; i < memory.tensors.size(); ++i) {
      list.push_back(
          {memory.name + (memory.numbers ? "" : "." + parameters_[i].name), memory.tensors[i]});
    }
  }
  return list;
}

}  // namespace heed
