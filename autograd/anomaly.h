// Finding where a number went wrong.
#pragma once

#include <vector>

#include "autograd/var.h"
#include "base/error.h"

namespace heed {

struct AnomalyError : Error {
  using Error::Error;
};

// While one lives, everything that the ops of this thread compute is looked at: the value of each
// op as it is recorded, and the gradients that each op hands on in backward(). The first that is
// infinite or not a number throws AnomalyError with the name of the op. The numbers stay the same;
// training takes longer.
class DetectAnomaly {
 public:
  explicit DetectAnomaly(bool on = true);
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;
  static bool active();

 private:
  bool before_;
};

// True if no element is infinite or not a number; integers and undefined tensors are fine.
bool all_finite(const Tensor& x);

// What record() and backward() ask while a DetectAnomaly lives; they throw AnomalyError.
void check_forward(const char* op, const Tensor& value, const std::vector<Var>& inputs);
void check_settled(const Node& node);   // before its closure runs: the sum of what its users gave
void check_backward(const Node& node);  // after it has run: what it gave to its inputs

}  // namespace heed
