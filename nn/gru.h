#pragma once

#include "nn/recurrent.h"

namespace heed {

using GruState = RecurrentState;  // without c
using GruOptions = RecurrentOptions;

// A stack of GRU layers over a packed ragged batch, without padding. The equations are those of the
// op gru() in autograd/ops.h. Parameters are named as in PyTorch: weight_ih_l0 (3H, in),
// weight_hh_l0 (3H, H), bias_ih_l0 (3H), bias_hh_l0 (3H), with the suffix _reverse for the backward
// direction. Initialised uniformly in +-1/sqrt(H).
class Gru : public Module {
 public:
  using Output = RecurrentOutput;

  Gru(int64_t in, int64_t hidden, GruOptions options = {})
      : cells_("Gru", in, hidden, 3, {"bias_ih", "bias_hh"}, options) {}

  // x (N, in), or ShapeError. An empty `initial` is zero. Dropout applies between layers; it draws
  // by the name `place`, or by the layer's own if that is empty.
  Output operator()(const Packing& packing, const Var& x, const GruState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  void visit(Visitor& v) override { cells_.visit(v); }
  Gru like() const { return {cells_.in(), hidden_size(), cells_.options()}; }

  int64_t hidden_size() const { return cells_.hidden(); }

 private:
  RecurrentCells cells_;
};

}  // namespace heed
