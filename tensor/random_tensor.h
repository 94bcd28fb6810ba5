// Tensors of random numbers. An element depends only on the key and on its position
// (tensor/random.h), so it is the same on every device and for any number of threads, up to the
// rounding of log, sin and cos in normal() and gumbel(). They throw ShapeError for i32.
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace heed {

// In [low, high), or all `low` where both are equal. UsageError unless low <= high, and both and
// high - low are finite in the element type.
Tensor uniform(Shape shape, double low, double high, RandomKey key, DType dtype = DType::f32,
               Device device = {});
// UsageError unless mean and deviation >= 0 are finite in the element type.
Tensor normal(Shape shape, double mean, double deviation, RandomKey key, DType dtype = DType::f32,
              Device device = {});
// Standard Gumbel numbers g = -ln(-ln u), in [-2.9, 17.4]. argmax_i (x_i + g_i) is i with the
// probability softmax(x)_i.
Tensor gumbel(Shape shape, RandomKey key, DType dtype = DType::f32, Device device = {});

}  // namespace heed
