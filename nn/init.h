// Initialisers. Constructors of layers set the shapes and the laws of the initial values, and
// init() draws the values. Each parameter has its own random stream, by its name in the model
// ("decoder.output.weight"): parameters of equal shape start with different values, one seed serves
// a whole model, and the values of a parameter do not depend on the others.
#pragma once

#include <string>

#include "nn/module.h"
#include "tensor/random_tensor.h"  // uniform(), normal()

namespace heed {

// Glorot & Bengio 2010: uniform in +-sqrt(6 / (fan_in + fan_out)) for a weight (out, in)
Tensor xavier_uniform(Shape shape, RandomKey key, DType dtype = DType::f32);
// He et al. 2015: uniform in +-sqrt(6 / fan_in), for layers followed by relu
Tensor kaiming_uniform(Shape shape, RandomKey key, DType dtype = DType::f32);

// Laws of initial values, for Var::parameter(shape, law). xavier_uniform and kaiming_uniform are
// laws, too.
Initializer uniform_law(double low, double high);
Initializer normal_law(double mean, double deviation);
Initializer constant_law(double value);

[[nodiscard]] RandomKey init_key(uint64_t seed, const std::string& parameter_name);
// Draws all blank parameters, each by its law; parameters that were made with values, loaded or
// trained keep theirs. Call it once, on the whole model. A tied parameter draws by its first name.
// It also names the submodules, whose dropout draws by these names (nn/layers.h).
void init(Module& module, uint64_t seed);
// The same, but uniform in [low, high) instead of by the laws.
void init_uniform(Module& module, double low, double high, uint64_t seed);
// Draw all parameters again: by their laws (parameters that were made with values have none and
// keep theirs), or uniform in [low, high). Buffers keep their values.
void init_again(Module& module, uint64_t seed);
void init_again_uniform(Module& module, double low, double high, uint64_t seed);
// Draws all matrices again, by xavier_uniform. Vectors, such as biases, keep their values.
void init_again_xavier(Module& module, uint64_t seed);

}  // namespace heed
