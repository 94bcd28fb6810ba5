// Averages of parameters over the steps of a training.
#pragma once

#include <string>
#include <vector>

#include "nn/module.h"
#include "nn/safetensors.h"

namespace heed {

// An exponential moving average (Polyak & Juditsky 1992), which starts at the module's values:
//   average = decay average + (1 - decay) p      in each update(), after each step
// It often validates better than the parameters themselves:
//   ema.swap();  validate(model);  ema.swap();
class Ema {
 public:
  // Throws UsageError unless decay is in [0, 1).
  Ema(Module& module, double decay);
  Ema(const Ema&) = delete;  // a copy would change the same averages
  Ema& operator=(const Ema&) = delete;
  void update();
  // Exchanges the module's values and the averages. The next call puts them back, with the
  // gradients that were accumulated; until then there are none, and the other functions throw
  // UsageError.
  void swap();
  // Copies the averages to another module with the same parameters. Throws ShapeError if names or
  // shapes differ.
  void copy_to(Module& module) const;
  // The averages as "ema.NAME", where NAME is the parameter's. They are saved and loaded like an
  // optimiser's state.
  [[nodiscard]] std::vector<NamedTensor> state() const;

 private:
  void check_not_swapped(const char* what) const;
  Tensor& average(size_t i) const;  // of the type and on the device that the parameter has now

  const double decay_;
  const std::vector<NamedParameter> parameters_;
  mutable std::vector<Tensor> averages_;
  std::vector<Gradient> gradients_;  // of the parameters, while the averages are in the module
  bool swapped_ = false;
};

}  // namespace heed
