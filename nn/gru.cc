#include "nn/gru.h"

namespace heed {

Gru::Output Gru::operator()(const Packing& packing, const Var& x, const GruState& initial,
                            const DropoutMode& drop, std::string_view place) const {
  cells_.check_input(packing, x);
  return cells_(packing, x, initial, *this, drop, place,
                [&](const RecurrentCells::Cell& cell, const Var& below, const Var& h0, const Var&) {
                  Var gates = affine(below, cell.w_ih, cell.biases[0]);
                  const GruOutput out =
                      gru(packing, std::move(gates), cell.w_hh, cell.biases[1], h0);
                  return LstmOutput{out.y, out.h, {}};
                });
}

}  // namespace heed
