#pragma once

#include <functional>

#include "autograd/gradcheck.h"
#include "nn/module.h"

namespace heed {

// Compares the gradient of f(), which computes with the module, with central differences at the
// module's parameters, each once whatever its names are; as check_gradient() of a function does
// (autograd/gradcheck.h). Throws ShapeError unless the module is f64.
[[nodiscard]] GradCheck check_gradient(Module& module, const std::function<Var()>& f,
                                       uint64_t seed = 1, double step = 1e-5);

}  // namespace heed
