#pragma once

#include <string_view>
#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/module.h"

namespace heed {

// The state of all layers: h[l] is (B, H). Bidirectional: 2 l is layer l forward, 2 l + 1 backward.
struct GruState {
  std::vector<Var> h;
  int64_t directions = 1;

  // h of the top layer, (B, H); bidirectional (B, 2H): forward, backward.
  Var top() const { return directions == 2 ? concat({h.end()[-2], h.end()[-1]}, 1) : h.back(); }
  // Rows ids_i of every layer's state: the batch in another order.
  GruState gather(const Tensor& ids) const;
  // The first `batch` sequences.
  GruState first(int64_t batch) const;
};

struct GruOptions {
  int64_t layers = 1;
  bool bias = true;
  bool bidirectional = false;
};

// A stack of GRU layers over a packed ragged batch, without padding. The equations are those of the
// op gru() in autograd/ops.h. Parameters are named as in PyTorch: weight_ih_l0 (3H, in),
// weight_hh_l0 (3H, H), bias_ih_l0 (3H), bias_hh_l0 (3H), with the suffix _reverse for the backward
// direction. Initialised uniformly in +-1/sqrt(H).
class Gru : public Module {
 public:
  Gru(int64_t in, int64_t hidden, GruOptions options = {});

  struct Output {
    Var y;           // (N, H) of the top layer, or (N, 2H): forward, backward
    GruState state;  // after each sequence's last step
  };
  // x (N, in), or ShapeError. An empty `initial` is zero. Dropout applies between layers; it draws
  // by the name `place`, or by the layer's own if that is empty.
  Output operator()(const Packing& packing, const Var& x, const GruState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  void visit(Visitor& v) override;
  Gru like() const { return {cells_[0].w_ih.shape()[1], hidden_, options_}; }

  int64_t hidden_size() const { return hidden_; }

 private:
  struct Cell {
    Var w_ih, w_hh, b_ih, b_hh;
  };

  int64_t directions() const { return options_.bidirectional ? 2 : 1; }

  int64_t hidden_;
  GruOptions options_;
  std::vector<Cell> cells_;  // layer by layer; forward, backward where bidirectional
};

}  // namespace heed
