#pragma once

#include "nn/recurrent.h"

namespace heed {

using LstmState = RecurrentState;
using LstmOptions = RecurrentOptions;

// A stack of LSTM layers over a packed ragged batch, without padding. The equations are those of
// the op lstm() in autograd/ops.h. Parameters are named as in PyTorch: weight_ih_l0 (4H, in),
// weight_hh_l0 (4H, H), bias_l0 (4H; one vector where PyTorch has two), with the suffix _reverse
// for the backward direction. Initialised uniformly in +-1/sqrt(H).
class Lstm : public Module {
 public:
  using Output = RecurrentOutput;

  Lstm(int64_t in, int64_t hidden, LstmOptions options = {});

  // x (N, in), or ShapeError. An empty `initial` is zero; one with h needs c, too. Dropout applies
  // between layers; it draws by the name `place`, or by the layer's own if that is empty.
  Output operator()(const Packing& packing, const Var& x, const LstmState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  // The same for an input [z; x] whose contribution of z to the gates of the first layer is known:
  // gates (N, 4H) = z W_z^T, where weight_ih_l0 = [W_z, W_x]. If x is undefined, z is the whole
  // input. For decoders whose steps share products. Not for bidirectional layers.
  Output from_gates(const Packing& packing, Var gates, const Var& x, const LstmState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  void visit(Visitor& v) override { cells_.visit(v); }
  Lstm like() const { return {cells_.in(), hidden_size(), cells_.options()}; }

  int64_t hidden_size() const { return cells_.hidden(); }
  // Of the forward direction. Throws ShapeError if there is no such layer.
  const Var& weight_ih(int64_t layer) const { return cells_.cell(layer).w_ih; }

 private:
  Output run(const Packing& packing, const Var& x, Var first_gates, const LstmState& initial,
             const DropoutMode& drop, std::string_view place) const;

  RecurrentCells cells_;
};

}  // namespace heed
