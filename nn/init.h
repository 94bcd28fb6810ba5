// Initialisers. Each parameter draws from its own random stream, named by its place in the model,
// so that a parameter's numbers do not depend on which others there are.
#pragma once

#include <string>

#include "nn/module.h"
#include "tensor/random.h"

namespace heed {

Tensor uniform(Shape shape, double low, double high, RandomKey key, DType dtype = DType::f32);
Tensor normal(Shape shape, double mean, double deviation, RandomKey key, DType dtype = DType::f32);
// Glorot & Bengio 2010: uniform in +-sqrt(6 / (fan_in + fan_out)) for a weight (out, in)
Tensor xavier_uniform(Shape shape, RandomKey key, DType dtype = DType::f32);
// He et al. 2015: uniform in +-sqrt(6 / fan_in), for layers followed by relu
Tensor kaiming_uniform(Shape shape, RandomKey key, DType dtype = DType::f32);

RandomKey init_key(uint64_t seed, const std::string& parameter_name);
// Sets every parameter of the module to uniform numbers in [low, high).
void init_uniform(Module& module, double low, double high, uint64_t seed);

}  // namespace heed
