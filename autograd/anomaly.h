// Finds the op that makes the first NaN or infinity.
#pragma once

#include <vector>

#include "autograd/var.h"
#include "base/error.h"

namespace heed {

struct AnomalyError : Error {
  using Error::Error;
};

// While one exists, everything that the ops of this thread compute is checked: the value of each op
// when it is recorded, and the gradients that each op computes in backward(). The first infinity or
// NaN throws AnomalyError with the name of the op. The results do not change; training is slower.
// A value may be infinite where an input is, as behind a mask of -infinity, but a loss and a
// gradient may not. The logits of categorical() are not checked.
class DetectAnomaly {
 public:
  [[nodiscard]] explicit DetectAnomaly(bool on = true);
  static bool active();

 private:
  const ScopedValue<bool> active_;
};

// True if no element is infinite or not a number; integers and undefined tensors are fine.
bool all_finite(const Tensor& x);

// The checks of record() and backward() while a DetectAnomaly exists. They throw AnomalyError.
void check_forward(const char* op, const Tensor& value, const std::vector<Var>& inputs);
void check_settled(const Node& node);   // before its closure runs: the sum of its gradients
void check_backward(const Node& node);  // after it has run: the gradients of its inputs

}  // namespace heed
