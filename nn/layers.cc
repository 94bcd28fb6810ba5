#include "nn/layers.h"

#include <cmath>

#include "nn/init.h"

namespace heed {

Linear::Linear(int64_t in, int64_t out, uint64_t seed, bool with_bias) {
  check_shape(in > 0 && out > 0, "Linear: sizes must be positive, got in " + std::to_string(in) +
                                     ", out " + std::to_string(out));
  const double limit = 1 / std::sqrt(static_cast<double>(in));
  weight = Var::parameter(uniform({out, in}, -limit, limit, init_key(seed, "weight")));
  if (with_bias) bias = Var::parameter(uniform({out}, -limit, limit, init_key(seed, "bias")));
}

Embedding::Embedding(int64_t rows, int64_t width, uint64_t seed) {
  check_shape(rows > 0 && width > 0, "Embedding: sizes must be positive, got rows " +
                                         std::to_string(rows) + ", width " + std::to_string(width));
  weight = Var::parameter(normal({rows, width}, 0, 1, init_key(seed, "weight")),
                          /*sparse_rows=*/true);
}

LayerNorm::LayerNorm(int64_t width, double eps)
    : gain(Var::parameter(Tensor::full({width}, 1))),
      bias(Var::parameter(Tensor::zeros({width}))),
      eps(eps) {}

}  // namespace heed
