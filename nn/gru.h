#pragma once

#include "nn/recurrent.h"

namespace heed {

using GruState = RecurrentState;  // without c
using GruOptions = RecurrentOptions;

// A stack of GRU layers (nn/recurrent.h). The equations are those of the op gru() in
// autograd/ops.h: 3 gates, and two biases, bias_ih_l0 and bias_hh_l0. An initial state with c is a
// ShapeError.
class Gru : public Recurrent {
 public:
  Gru(int64_t in, int64_t hidden, GruOptions options = {});
  Gru like() const { return {in(), hidden_size(), options()}; }

 private:
  LstmOutput run_cell(const Packing& packing, const Cell& cell, Var gates, const Var& h0,
                      const Var& c0) const override;
  void check_state(const GruState& initial) const override;
};

}  // namespace heed
