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
  return run(packing, x, cells_.first_gates(packing, std::move(gates), x), initial, drop, place);
}

Lstm::Output Lstm::run(const Packing& packing, const Var& x, Var first_gates,
                       const LstmState& initial, const DropoutMode& drop,
                       std::string_view place) const {
  check_shape(initial.h.size() == initial.c.size(), "Lstm: the initial state has h of ",
              initial.h.size(), " layers and c of ", initial.c.size(), "; it needs both, or none");
  return cells_(packing, x, std::move(first_gates), initial, *this, drop, place,
                [&](const RecurrentCells::Cell& cell, Var gates, const Var& h0, const Var& c0) {
                  return lstm(packing, std::move(gates), cell.w_hh, h0, c0);
                });
}

}  // namespace heed
