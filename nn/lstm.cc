#include "nn/lstm.h"

#include <utility>

namespace heed {

Lstm::Lstm(int64_t in, int64_t hidden, LstmOptions options)
    : cells_("Lstm", in, hidden, 4, {"bias"}, options) {}

Lstm::Output Lstm::operator()(const Packing& packing, const Var& x, const LstmState& initial,
                              const DropoutMode& drop, std::string_view place) const {
  cells_.check_input(packing, x);
  return run(packing, x, Var(), initial, drop, place);
}

Lstm::Output Lstm::from_gates(const Packing& packing, Var gates, const Var& x,
                              const LstmState& initial, const DropoutMode& drop,
                              std::string_view place) const {
  check_shape(!cells_.options().bidirectional, "Lstm: from_gates() is for one direction only");
  const RecurrentCells::Cell& cell = cells_.cell(0);
  if (x.defined()) {
    const Shape& shape = x.shape();
    const int64_t in = cells_.in();
    check_shape(shape.rank() == 2 && shape[0] == packing.rows() && shape[1] <= in,
                "Lstm: x must be (", packing.rows(), ", at most ", in, "), got ", shape);
    gates = gates + affine_columns(x, cell.w_ih, in - shape[1]);
  }
  if (cell.biases[0].defined()) gates = gates + cell.biases[0];
  return run(packing, x, std::move(gates), initial, drop, place);
}

// first_gates, if defined, are those of the first layer.
Lstm::Output Lstm::run(const Packing& packing, const Var& x, Var first_gates,
                       const LstmState& initial, const DropoutMode& drop,
                       std::string_view place) const {
  return cells_(
      packing, x, initial, *this, drop, place,
      [&](const RecurrentCells::Cell& cell, const Var& below, const Var& h0, const Var& c0) {
        Var gates = std::exchange(first_gates, Var());
        if (!gates.defined()) gates = affine(below, cell.w_ih, cell.biases[0]);
        return lstm(packing, std::move(gates), cell.w_hh, h0, c0);
      });
}

}  // namespace heed
