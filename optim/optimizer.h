// What all optimisers share: parameters, parameter groups, gradient clipping, and the state that is
// kept between steps. docs/add-an-optimizer.md shows how to write one.
#pragma once

#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "nn/module.h"
#include "nn/safetensors.h"

namespace heed {

// The square root of the sum of squares of all gradients, in f64. A tied parameter counts once.
[[nodiscard]] double grad_norm(const std::vector<NamedParameter>& parameters);
// min(1, max_norm / norm), and NaN if the norm is: then the step makes all parameters NaN (of a
// sparse gradient, perhaps only its rows), and not only the one whose gradient was. Throws
// UsageError unless max_norm is positive.
[[nodiscard]] double clip_scale(double norm, double max_norm);

// Parameters with their own rate and weight decay: those whose names match the pattern `name`, see
// fits() in nn/module.h.
struct ParameterGroup {
  std::string name;                   // "lstm", "decoder*.bias"
  double rate = 1, weight_decay = 1;  // factors of the optimiser's rate and weight decay
};

// The factor that a step applies to its gradients, which clipping() computes on their device,
// without waiting for it.
struct Clipping {
  Tensor numbers;  // f64 (2): grad_norm(all), and the factor of the gradients
  Tensor norm() const { return numbers.rows(0, 1); }
  Tensor factor() const { return numbers.rows(1, 2); }
};

// The gradients of a step are multiplied by `scale` (1 / k after k backward passes), and then
// clipped to the global norm max_norm (Pascanu et al. 2013):
//   g = clip_scale(scale norm, max_norm) scale gradient,   norm = grad_norm(all)
struct StepOptions {
  double scale = 1;
  double max_norm = std::numeric_limits<double>::infinity();
};
// Throws UsageError unless max_norm is positive, and for a scale that is negative or infinite.
[[nodiscard]] Clipping clipping(const std::vector<NamedParameter>& parameters,
                                const StepOptions& options);

// It refers to the module's parameters, which may be moved, converted, loaded or frozen later.
class Optimizer {
 public:
  virtual ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Updates every parameter that has a gradient and is not frozen; the gradients do not change.
  // Throws UsageError if no parameter has a gradient, for a rate that is negative or not finite,
  // for a scale that is negative or infinite, for max_norm with L-BFGS, and if a layer was added or
  // replaced after the optimiser was made, and would not be trained: a parameter of the module has
  // a gradient but no optimiser, or one of the optimiser's parameters is in no module any more.
  void step(const StepOptions& options = {});
  // The same, with the result of clipping().
  void step(const Clipping& clipping);

  // The state between steps, by name: "m.decoder.output.weight". The tensors are the optimiser's
  // own: if their values are copied into those of another optimiser of the same kind and module,
  // that one continues with the same numbers. In a file:
  //   save_tensors(path, optimizer.state());   load_into(path, optimizer.state());
  [[nodiscard]] std::vector<NamedTensor> state() const;

  double rate;  // learning rate; a schedule changes it between steps

 protected:
  // A parameter belongs to the first group that it matches. Throws UsageError for a module without
  // parameters, such as one that was moved, for a negative factor and for a group without
  // parameters.
  Optimizer(Module& module, double rate, double weight_decay,
            const std::vector<ParameterGroup>& groups);

  // One parameter in one step.
  struct Update {
    size_t index;               // its place in what remember() returns
    const Var& parameter;       // with its gradient, sparse or dense
    double rate, weight_decay;  // with the factors of its group
    Tensor scale;               // of the gradient, with clipping: f64 (1), on its device

    const Tensor& p() const { return parameter.value(); }  // to be changed in place
    Var g() const;                                         // scale * gradient, dense
    double not_zero(double eps) const;  // eps as a positive number of the type of p
  };
  // Empty, or why a step with max_norm would be wrong.
  virtual std::string refuses_clipping() const { return {}; }
  // Changes the values of the parameters that have a gradient.
  virtual void update(const std::vector<Update>& all) = 0;

  // Makes a part of the state: a tensor for each parameter, of its shape, initially zero, ...
  std::vector<Tensor>& remember(const std::string& name);
  // ... or integers, initially zero. Both stay where they are as long as the optimiser exists.
  int32_t* remember_numbers(const std::string& name, size_t count = 1);

  const std::vector<NamedParameter> parameters_;

 private:
  struct Memory {
    std::string name;
    std::vector<Tensor> tensors;  // one for each parameter, or a single one of i32
    bool numbers;
  };
  void step_with(const Tensor& scale);
  void check_none_is_left_out() const;
  void follow_parameters() const;

  const std::shared_ptr<Module* const> module_;
  const double weight_decay_;
  std::vector<ParameterGroup> group_of_;  // one for each parameter
  mutable std::deque<Memory> memories_;   // see follow_parameters()
};

}  // namespace heed
