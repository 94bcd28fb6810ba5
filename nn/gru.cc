#include "nn/gru.h"

#include <cmath>

#include "nn/init.h"
#include "nn/recurrent_stack.h"

namespace heed {

GruState GruState::gather(const Tensor& ids) const {
  GruState result;
  result.directions = directions;
  for (const Var& v : h) result.h.push_back(gather_rows(v, ids));
  return result;
}

GruState GruState::first(int64_t batch) const {
  if (h.empty() || h[0].shape()[0] == batch) return *this;
  GruState result;
  result.directions = directions;
  for (const Var& v : h) result.h.push_back(rows(v, 0, batch));
  return result;
}

Gru::Gru(int64_t in, int64_t hidden, GruOptions options) : hidden_(hidden), options_(options) {
  check_shape(in > 0 && hidden > 0 && options.layers > 0, "Gru: sizes must be positive, got in ",
              in, ", hidden ", hidden, ", layers ", options.layers);
  const double limit = 1 / std::sqrt(static_cast<double>(hidden));
  const auto make = [&](const Shape& shape) {
    return Var::parameter(shape, uniform_law(-limit, limit));
  };
  for (int64_t cell = 0; cell < options.layers * directions(); ++cell) {
    const int64_t width = cell < directions() ? in : hidden * directions();
    cells_.push_back({make({3 * hidden, width}), make({3 * hidden, hidden}),
                      options.bias ? make({3 * hidden}) : Var(),
                      options.bias ? make({3 * hidden}) : Var()});
  }
}

void Gru::visit(Visitor& v) {
  for (size_t i = 0; i < cells_.size(); ++i) {
    const std::string suffix = cell_suffix(i, directions());
    v("weight_ih" + suffix, cells_[i].w_ih);
    v("weight_hh" + suffix, cells_[i].w_hh);
    v("bias_ih" + suffix, cells_[i].b_ih);
    v("bias_hh" + suffix, cells_[i].b_hh);
  }
}

Gru::Output Gru::operator()(const Packing& packing, const Var& x, const GruState& initial,
                            const DropoutMode& drop, std::string_view place) const {
  const Shape expected{packing.rows(), cells_[0].w_ih.shape()[1]};
  check_shape(x.shape() == expected, "Gru: x must be ", expected, ", got ", x.shape());
  check_shape(initial.h.empty() || initial.h.size() == cells_.size(), "Gru: initial state of ",
              initial.h.size(), " layers, expected ", cells_.size());
  Output out;
  out.state.directions = directions();
  out.y = run_stack(
      packing, x, cells_.size(), directions(), *this, drop, place, [&](size_t i, const Var& below) {
        const Cell& cell = cells_[i];
        const GruOutput run = gru(packing, affine(below, cell.w_ih, cell.b_ih), cell.w_hh,
                                  cell.b_hh, initial.h.empty() ? Var() : initial.h[i]);
        out.state.h.push_back(run.h);
        return run.y;
      });
  return out;
}

}  // namespace heed
