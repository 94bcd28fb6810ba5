// How large representations are, whatever they mean: a probe with an L2 penalty gets more out of
// long vectors.
#pragma once

#include "tensor/tensor.h"

namespace heed {

struct Extent {
  double length = 0;  // mean |x_i|
  double range = 0;   // largest minus smallest x_i . v, v the first principal component
                      // (dialog/stats/principal_components.h)
};
// Of the rows of x, f32 (n, d), n > 0.
Extent extent_of(const Tensor& x);

}  // namespace heed
