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

  // x (N, in) and a state without c, or ShapeError. An empty `initial` is zero. Dropout applies
  // between layers; it draws by the name `place`, or by the layer's own if that is empty.
  Output operator()(const Packing& packing, const Var& x, const GruState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  // The same for an input [z; x] whose contribution of z to the gates of the first layer is known,
  // as of Lstm::from_gates(): gates (N, 3H).
  Output from_gates(const Packing& packing, Var gates, const Var& x, const GruState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  void visit(Visitor& v) override { cells_.visit(v); }
  Gru like() const { return {cells_.in(), hidden_size(), cells_.options()}; }

  int64_t hidden_size() const { return cells_.hidden(); }
  // Of the forward direction. Throws ShapeError if there is no such layer.
  const Var& weight_ih(int64_t layer) const { return cells_.cell(layer).w_ih; }

 private:
  Output run(const Packing& packing, const Var& x, Var first_gates, const GruState& initial,
             const DropoutMode& drop, std::string_view place) const;

  RecurrentCells cells_;
};

}  // namespace heed
