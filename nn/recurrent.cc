#include "nn/recurrent.h"

#include <cmath>
#include <utility>

#include "nn/init.h"

namespace heed {
namespace {

// f(state) for each state.
template <class F> RecurrentState mapped(const RecurrentState& state, F f) {
  RecurrentState result = state;
  for (std::vector<Var>* part : {&result.h, &result.c}) {
    for (Var& v : *part) v = f(v);
  }
  return result;
}

// "_l0", "_l0_reverse", "_l1" ...: PyTorch's names of the cells, layer by layer.
std::string cell_suffix(size_t cell, size_t directions) {
  return "_l" + std::to_string(cell / directions) + (cell % directions ? "_reverse" : "");
}

}  // namespace

RecurrentState RecurrentState::gather(const Tensor& ids) const {
  return mapped(*this, [&](const Var& v) { return gather_rows(v, ids); });
}

RecurrentState RecurrentState::first(int64_t batch) const {
  return mapped(*this, [&](const Var& v) {
    check_shape(0 <= batch && batch <= v.shape()[0], "first: ", batch, " of ", v.shape()[0],
                " sequences");
    return rows(v, 0, batch);
  });
}

Recurrent::Recurrent(const char* layer, int64_t in, int64_t hidden, int64_t gates,
                     std::vector<std::string> biases, RecurrentOptions options)
    : layer_(layer), hidden_(hidden), biases_(std::move(biases)), options_(options) {
  check_shape(in > 0 && hidden > 0 && options.layers > 0, layer,
              ": sizes must be positive, got in ", in, ", hidden ", hidden, ", layers ",
              options.layers);
  const double limit = 1 / std::sqrt(static_cast<double>(hidden));
  const auto make = [&](const Shape& shape) {
    return Var::parameter(shape, uniform_law(-limit, limit));
  };
  const int64_t directions = options.bidirectional ? 2 : 1, width = gates * hidden;
  for (int64_t i = 0; i < options.layers * directions; ++i) {
    const int64_t below = i < directions ? in : hidden * directions;
    Cell cell{make({width, below}), make({width, hidden}), std::vector<Var>(biases_.size())};
    for (Var& bias : cell.biases) bias = options.bias ? make({width}) : Var();
    cells_.push_back(std::move(cell));
  }
}

void Recurrent::visit(Visitor& v) {
  for (size_t i = 0; i < cells_.size(); ++i) {
    const std::string suffix = cell_suffix(i, directions());
    v("weight_ih" + suffix, cells_[i].w_ih);
    v("weight_hh" + suffix, cells_[i].w_hh);
    for (size_t b = 0; b < biases_.size(); ++b) v(biases_[b] + suffix, cells_[i].biases[b]);
  }
}

const Var& Recurrent::weight_ih(int64_t layer) const {
  check_shape(layer >= 0 && layer < options_.layers, layer_, ": layer ", layer, " of ",
              options_.layers);
  return cells_[layer * directions()].w_ih;
}

RecurrentOutput Recurrent::operator()(const Packing& packing, const Var& x,
                                      const RecurrentState& initial, const DropoutMode& drop,
                                      std::string_view place) const {
  const Shape expected{packing.rows(), in()};
  check_shape(x.shape() == expected, layer_, ": x must be ", expected, ", got ", x.shape());
  return run(packing, x, Var(), initial, drop, place);
}

RecurrentOutput Recurrent::from_gates(const Packing& packing, Var gates, const Var& x,
                                      const RecurrentState& initial, const DropoutMode& drop,
                                      std::string_view place) const {
  check_shape(!options_.bidirectional, layer_, ": from_gates() is for one direction only");
  const Shape expected{packing.rows(), cells_[0].w_ih.shape()[0]};
  check_shape(gates.shape() == expected, layer_, ": gates must be ", expected, ", got ",
              gates.shape());
  if (x.defined()) {
    const Shape& shape = x.shape();
    check_shape(shape.rank() == 2 && shape[0] == packing.rows() && shape[1] <= in(), layer_,
                ": x must be (", packing.rows(), ", at most ", in(), "), got ", shape);
    gates = gates + affine_columns(x, cells_[0].w_ih, in() - shape[1]);
  }
  if (const Var& bias = cells_[0].biases[0]; bias.defined()) gates = gates + bias;
  // Moved: lstm() and gru() work in the memory of gates that nobody else holds.
  return run(packing, x, std::move(gates), initial, drop, place);
}

RecurrentOutput Recurrent::run(const Packing& packing, const Var& x, Var first_gates,
                               const RecurrentState& initial, const DropoutMode& drop,
                               std::string_view place) const {
  check_state(initial);
  for (const auto* part : {&initial.h, &initial.c}) {
    check_shape(part->empty() || part->size() == cells_.size(), layer_, ": initial state of ",
                part->size(), " layers, expected ", cells_.size(), ", one a layer and direction");
  }
  RecurrentOutput out;
  out.state.directions = static_cast<int64_t>(directions());
  const auto state = [](const std::vector<Var>& part, size_t i) {
    return part.empty() ? Var() : part[i];
  };
  const auto run_on = [&](size_t i, const Var& below) {
    Var gates = std::exchange(first_gates, Var());
    if (!gates.defined()) gates = affine(below, cells_[i].w_ih, cells_[i].biases[0]);
    LstmOutput after =
        run_cell(packing, cells_[i], std::move(gates), state(initial.h, i), state(initial.c, i));
    out.state.h.push_back(std::move(after.h));
    if (after.c.defined()) out.state.c.push_back(std::move(after.c));
    return std::move(after.y);
  };
  // Backward in time: row r of the mirror image belongs to row r of x.
  Tensor mirror;
  if (options_.bidirectional) mirror = Tensor::from(packing.reversed(), x.device());
  Var below = x;
  for (size_t cell = 0; cell < cells_.size(); cell += directions()) {
    const uint32_t layer = static_cast<uint32_t>(cell / directions());
    if (layer > 0) below = drop(out.y, *this, place, "", layer - 1);
    out.y = run_on(cell, below);
    if (options_.bidirectional) {
      const Var back = gather_rows(run_on(cell + 1, gather_rows(below, mirror)), mirror);
      out.y = concat({out.y, back}, 1);
    }
  }
  return out;
}

}  // namespace heed
