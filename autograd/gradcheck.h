#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/var.h"

namespace heed {

struct GradCheck {
  double max_error = 0;  // |analytic - numeric| / max(|analytic|, |numeric|, 0.01)
  std::string worst;     // "input 1, element 7: analytic 0.5, numeric 0.4"
};

// Compares the gradient of f with central differences at `inputs` (f64). f may return any shape:
// its result is projected to a number by fixed random weights r, L = sum_i r_i f_i, so that every
// element counts and errors do not cancel.
//   numeric = (L(x + step) - L(x - step)) / (2 step)      error O(step^2) + O(1e-16 / step)
// Where f has a kink (relu at 0) there is no gradient to compare with: choose other inputs. Throws
// ShapeError if an input is not f64, and UsageError if no gradient reaches any input.
[[nodiscard]] GradCheck check_gradient(const std::function<Var(const std::vector<Var>&)>& f,
                                       const std::vector<Tensor>& inputs, uint64_t seed = 1,
                                       double step = 1e-5);

}  // namespace heed
