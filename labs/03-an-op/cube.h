// A function whose gradient is wrong on purpose.
#pragma once

#include "autograd/node.h"
#include "autograd/ops.h"
#include "labs/03-an-op/each.h"

namespace heed::lab {

// y = x^3 for each element, with a closure that multiplies each slope by a factor of its own.
inline Var cube(const Var& x, const Tensor& factors) {
  const Tensor at = x.value().clone();
  return record(
      "cube", map(at, [](double v) { return v * v * v; }), {x},
      [at, factors](Tensor dy, const Grads& dx) {
        dx.add(0, product(factors, product(dy, map(at, [](double v) { return 3 * v * v; }))));
      });
}

}  // namespace heed::lab
