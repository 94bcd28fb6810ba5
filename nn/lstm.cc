#include "nn/lstm.h"

#include <utility>

namespace heed {

Lstm::Lstm(int64_t in, int64_t hidden, LstmOptions options)
    : Recurrent("Lstm", in, hidden, 4, {"bias"}, options) {}

LstmOutput Lstm::run_cell(const Packing& packing, const Cell& cell, Var gates, const Var& h0,
                          const Var& c0) const {
  return lstm(packing, std::move(gates), cell.w_hh, h0, c0);
}

void Lstm::check_state(const LstmState& initial) const {
  check_shape(initial.h.size() == initial.c.size(), "Lstm: the initial state has h of ",
              initial.h.size(), " layers and c of ", initial.c.size(), "; it needs both, or none");
}

}  // namespace heed
