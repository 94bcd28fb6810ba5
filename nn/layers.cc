#include "nn/layers.h"

#include <cmath>

#include "nn/init.h"

namespace heed {

Linear::Linear(int64_t in, int64_t out, bool with_bias) {
  check_shape(in > 0 && out > 0, "Linear: sizes must be positive, got in ", in, ", out ", out);
  const double limit = 1 / std::sqrt(static_cast<double>(in));
  weight = Var::parameter({out, in}, uniform_law(-limit, limit));
  if (with_bias) bias = Var::parameter({out}, uniform_law(-limit, limit));
}

Embedding::Embedding(int64_t rows, int64_t width) {
  check_shape(rows > 0 && width > 0, "Embedding: sizes must be positive, got rows ", rows,
              ", width ", width);
  weight = Var::parameter({rows, width}, normal_law(0, 1), /*sparse_rows=*/true);
}

LayerNorm::LayerNorm(int64_t width, double eps)
    : gain(Var::parameter(Tensor::full({width}, 1))),
      bias(Var::parameter(Tensor::zeros({width}))),
      eps(eps) {}

}  // namespace heed
