// How large representations are, whatever they mean: a probe with an L2 penalty gets more out of
// long vectors.
#pragma once

#include "tensor/tensor.h"

namespace heed {

struct Extent {
  double length = 0;  // mean |x_i|
  double range = 0;   // largest minus smallest x_i . v, v the first principal component
};
// Of the rows of x, f32 (n, d), n > 0. v by power iteration on the covariance, from a fixed start:
// 30 steps, after which what is left of a component with 0.8 of the variance is 0.8^30 = 0.001 of
// what it was.
Extent extent_of(const Tensor& x);

}  // namespace heed
