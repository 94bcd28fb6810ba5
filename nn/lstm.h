#pragma once

#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/module.h"

namespace heed {

// The state of all layers: h[l] and c[l] are (B, H). Bidirectional: 2 l is layer l forward, 2 l + 1
// backward.
struct LstmState {
  std::vector<Var> h, c;
  int64_t directions = 1;

  // h of the top layer, (B, H); bidirectional (B, 2H): forward, backward.
  Var top() const { return directions == 2 ? concat({h.end()[-2], h.end()[-1]}, 1) : h.back(); }
  // Rows ids_i of every layer's state: the batch in another order.
  LstmState gather(const Tensor& ids) const;
  // The first `batch` sequences.
  LstmState first(int64_t batch) const;
};

struct LstmOptions {
  int64_t layers = 1;
  bool bias = true;
  bool bidirectional = false;
};

// A stack of LSTM layers over a packed ragged batch, without padding. The equations are those of
// the op lstm() in autograd/ops.h. Parameters are named as in PyTorch: weight_ih_l0 (4H, in),
// weight_hh_l0 (4H, H), bias_l0 (4H; one vector where PyTorch has two), with the suffix _reverse
// for the backward direction. Initialised uniformly in +-1/sqrt(H).
class Lstm : public Module {
 public:
  Lstm(int64_t in, int64_t hidden, LstmOptions options = {});

  struct Output {
    Var y;            // (N, H) of the top layer, or (N, 2H): forward, backward
    LstmState state;  // after each sequence's last step
  };
  // x (N, in), or ShapeError. An empty `initial` is zero. Dropout applies between layers; it draws
  // by the name `place`, or by the layer's own if that is empty.
  Output operator()(const Packing& packing, const Var& x, const LstmState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  // The same for an input [z; x] whose contribution of z to the gates of the first layer is known:
  // gates (N, 4H) = z W_z^T, where weight_ih_l0 = [W_z, W_x]. If x is undefined, z is the whole
  // input. For decoders whose steps share products. Not for bidirectional layers.
  Output from_gates(const Packing& packing, Var gates, const Var& x, const LstmState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  void visit(Visitor& v) override;
  Lstm like() const { return {weight_ih(0).shape()[1], hidden_, options_}; }

  int64_t hidden_size() const { return hidden_; }
  // Of the forward direction. Throws ShapeError if there is no such layer.
  const Var& weight_ih(int64_t layer) const {
    check_shape(layer >= 0 && layer < options_.layers, "Lstm: layer ", layer, " of ",
                options_.layers);
    return cells_[layer * directions()].w_ih;
  }

 private:
  struct Cell {
    Var w_ih, w_hh, bias;
  };
  Output run(const Packing& packing, const Var& x, Var first_gates, const LstmState& initial,
             const DropoutMode& drop, std::string_view place) const;

  int64_t directions() const { return options_.bidirectional ? 2 : 1; }

  int64_t hidden_;
  LstmOptions options_;
  std::vector<Cell> cells_;  // layer by layer; forward, backward where bidirectional
};

}  // namespace heed
