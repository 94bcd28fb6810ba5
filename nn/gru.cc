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

Gru::Output Gru::run(const Packing& packing, const Var& x, Var first_gates, const GruState& initial,
                     const DropoutMode& drop, std::string_view place) const {
  check_shape(initial.c.empty(), "Gru: the initial state has c, as that of an Lstm");
  return cells_(packing, x, std::move(first_gates), initial, *this, drop, place,
                [&](const RecurrentCells::Cell& cell, Var gates, const Var& h0, const Var&) {
                  const GruOutput out =
                      gru(packing, std::move(gates), cell.w_hh, cell.biases[1], h0);
                  return LstmOutput{out.y, out.h, {}};
                });
}

}  // namespace heed
