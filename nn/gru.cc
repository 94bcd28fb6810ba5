#include "nn/gru.h"

#include <utility>

namespace heed {

Gru::Gru(int64_t in, int64_t hidden, GruOptions options)
    : Recurrent("Gru", in, hidden, 3, {"bias_ih", "bias_hh"}, options) {}

LstmOutput Gru::run_cell(const Packing& packing, const Cell& cell, Var gates, const Var& h0,
                         const Var&) const {
  const GruOutput out = gru(packing, std::move(gates), cell.w_hh, cell.biases[1], h0);
  return {out.y, out.h, {}};
}

void Gru::check_state(const GruState& initial) const {
  check_shape(initial.c.empty(), "Gru: the initial state has c, as that of an Lstm");
}

}  // namespace heed
