#include "nn/gru.h"

#include <utility>

namespace heed {

Gru::Output Gru::operator()(const Packing& packing, const Var& x, const GruState& initial,
                            const DropoutMode& drop, std::string_view place) const {
  cells_.check_input(packing, x);
  return run(packing, x, Var(), initial, drop, place);
}

Gru::Output Gru::from_gates(const Packing& packing, Var gates, const Var& x,
                            const GruState& initial, const DropoutMode& drop,
                            std::string_view place) const {
  return run(packing, x, cells_.first_gates(packing, std::move(gates), x), initial, drop, place);
}

// first_gates, if defined, are those of the first layer.
Gru::Output Gru::run(const Packing& packing, const Var& x, Var first_gates, const GruState& initial,
                     const DropoutMode& drop, std::string_view place) const {
  return cells_(packing, x, initial, *this, drop, place,
                [&](const RecurrentCells::Cell& cell, const Var& below, const Var& h0, const Var&) {
                  Var gates = std::exchange(first_gates, Var());
                  if (!gates.defined()) gates = affine(below, cell.w_ih, cell.biases[0]);
                  const GruOutput out =
                      gru(packing, std::move(gates), cell.w_hh, cell.biases[1], h0);
                  return LstmOutput{out.y, out.h, {}};
                });
}

}  // namespace heed
