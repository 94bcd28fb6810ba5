// Tensors of random numbers. An element is a function of the key and of its place
// (tensor/random.h): the same on every device and for any number of threads, up to the last digits
// of log, sin and cos in normal() and gumbel().
#pragma once

#include "tensor/random.h"
#include "tensor/tensor.h"

namespace heed {

// In [low, high)
[[nodiscard]] Tensor uniform(Shape shape, double low, double high, RandomKey key,
                             DType dtype = DType::f32, Device device = {});
[[nodiscard]] Tensor normal(Shape shape, double mean, double deviation, RandomKey key,
                            DType dtype = DType::f32, Device device = {});
// Standard Gumbel numbers -ln(-ln u), in [-2.9, 17.4]. The largest of x_i + g_i is i with the
// probability softmax(x)_i.
[[nodiscard]] Tensor gumbel(Shape shape, RandomKey key, DType dtype = DType::f32,
                            Device device = {});

}  // namespace heed
