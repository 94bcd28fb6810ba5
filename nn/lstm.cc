#include "nn/lstm.h"

#include <cmath>
#include <utility>

#include "nn/init.h"
#include "nn/recurrent_stack.h"

namespace heed {

LstmState LstmState::gather(const Tensor& ids) const {
  LstmState result;
  result.directions = directions;
  for (const Var& v : h) result.h.push_back(gather_rows(v, ids));
  for (const Var& v : c) result.c.push_back(gather_rows(v, ids));
  return result;
}

LstmState LstmState::first(int64_t batch) const {
  if (h.empty() || h[0].shape()[0] == batch) return *this;
  LstmState result;
  result.directions = directions;
  for (const Var& v : h) result.h.push_back(rows(v, 0, batch));
  for (const Var& v : c) result.c.push_back(rows(v, 0, batch));
  return result;
}

Lstm::Lstm(int64_t in, int64_t hidden, LstmOptions options) : hidden_(hidden), options_(options) {
  check_shape(in > 0 && hidden > 0 && options.layers > 0, "Lstm: sizes must be positive, got in ",
              in, ", hidden ", hidden, ", layers ", options.layers);
  const double limit = 1 / std::sqrt(static_cast<double>(hidden));
  const auto make = [&](const Shape& shape) {
    return Var::parameter(shape, uniform_law(-limit, limit));
  };
  for (int64_t cell = 0; cell < options.layers * directions(); ++cell) {
    const int64_t width = cell < directions() ? in : hidden * directions();
    cells_.push_back({make({4 * hidden, width}), make({4 * hidden, hidden}),
                      options.bias ? make({4 * hidden}) : Var()});
  }
}

void Lstm::visit(Visitor& v) {
  for (size_t i = 0; i < cells_.size(); ++i) {
    const std::string suffix = cell_suffix(i, directions());
    v("weight_ih" + suffix, cells_[i].w_ih);
    v("weight_hh" + suffix, cells_[i].w_hh);
    v("bias" + suffix, cells_[i].bias);
  }
}

Lstm::Output Lstm::operator()(const Packing& packing, const Var& x, const LstmState& initial,
                              const DropoutMode& drop, std::string_view place) const {
  const Shape expected{packing.rows(), weight_ih(0).shape()[1]};
  check_shape(x.shape() == expected, "Lstm: x must be ", expected, ", got ", x.shape());
  return run(packing, x, Var(), initial, drop, place);
}

Lstm::Output Lstm::from_gates(const Packing& packing, Var gates, const Var& x,
                              const LstmState& initial, const DropoutMode& drop,
                              std::string_view place) const {
  check_shape(!options_.bidirectional, "Lstm: from_gates() is for one direction only");
  const Cell& cell = cells_[0];
  const int64_t in = cell.w_ih.shape()[1];
  if (x.defined()) {
    const Shape& shape = x.shape();
    check_shape(shape.rank() == 2 && shape[0] == packing.rows() && shape[1] <= in,
                "Lstm: x must be (", packing.rows(), ", at most ", in, "), got ", shape);
    gates = gates + affine_columns(x, cell.w_ih, in - shape[1]);
  }
  if (cell.bias.defined()) gates = gates + cell.bias;
  return run(packing, x, std::move(gates), initial, drop, place);
}

// Layer by layer; first_gates, if defined, are those of the first one.
Lstm::Output Lstm::run(const Packing& packing, const Var& x, Var first_gates,
                       const LstmState& initial, const DropoutMode& drop,
                       std::string_view place) const {
  for (const std::vector<Var>& part : {initial.h, initial.c}) {
    check_shape(part.empty() || part.size() == cells_.size(), "Lstm: initial state of ",
                part.size(), " layers, expected ", cells_.size(), ", one a layer and direction");
  }
  Output out;
  out.state.directions = directions();
  out.y = run_stack(
      packing, x, cells_.size(), directions(), *this, drop, place, [&](size_t i, const Var& below) {
        const Cell& cell = cells_[i];
        Var gates = std::exchange(first_gates, Var());
        if (!gates.defined()) gates = affine(below, cell.w_ih, cell.bias);
        const LstmOutput run =
            lstm(packing, std::move(gates), cell.w_hh, initial.h.empty() ? Var() : initial.h[i],
                 initial.c.empty() ? Var() : initial.c[i]);
        out.state.h.push_back(run.h);
        out.state.c.push_back(run.c);
        return run.y;
      });
  return out;
}

}  // namespace heed
