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

Var DropoutMode::operator()(const Var& x, const Module& layer, std::string_view name,
                            std::string_view part, uint32_t index) const {
  if (p_ == 0) return x;
  if (!name.empty()) {
    const std::string whole(name);
    return dropout(x, p_,
                   of(purpose_id(part.empty() ? whole : whole + "." + std::string(part)) + index));
  }
  if (layer.stream() == 0) {
    throw UsageError(
        "dropout: the layer has no name yet, which selects its random stream; call init() or "
        "name_parts() on the whole model first (they reach what visit() names)");
  }
  return dropout(x, p_, of((layer.stream() ^ (part.empty() ? 0 : purpose_id(part))) + index));
}

LayerNorm::LayerNorm(int64_t width, double eps) : eps(eps) {
  check_shape(width > 0, "LayerNorm: the width must be positive, got ", width);
  if (!(eps >= 0)) throw UsageError(text("LayerNorm: needs eps >= 0, got ", eps));
  gain = Var::parameter(Tensor::full({width}, 1));
  bias = Var::parameter(Tensor::zeros({width}));
}

}  // namespace heed
