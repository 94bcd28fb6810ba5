#pragma once

#include "nn/recurrent.h"

namespace heed {

using LstmState = RecurrentState;
using LstmOptions = RecurrentOptions;

// A stack of LSTM layers (nn/recurrent.h). The equations are those of the op lstm() in
// autograd/ops.h: 4 gates, and one bias, bias_l0, where PyTorch has two. An initial state with h
// needs c, too, or ShapeError.
class Lstm : public Recurrent {
 public:
  Lstm(int64_t in, int64_t hidden, LstmOptions options = {});
  Lstm like() const { return {in(), hidden_size(), options()}; }

 private:
  LstmOutput run_cell(const Packing& packing, const Cell& cell, Var gates, const Var& h0,
                      const Var& c0) const override;
  void check_state(const LstmState& initial) const override;
};

}  // namespace heed
