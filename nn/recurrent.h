// What Lstm and Gru share: stacked layers, in one direction or two.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "nn/module.h"

namespace heed {

// The state of all layers: h[l], and c[l] of an LSTM, are (B, H). Bidirectional: 2 l is layer l
// forward, 2 l + 1 backward.
struct RecurrentState {
  std::vector<Var> h, c = {};
  int64_t directions = 1;

  // h of the top layer, (B, H); bidirectional (B, 2H): forward, backward.
  // Throws UsageError for a state without layers.
  Var top() const {
    if (std::ssize(h) < directions) throw UsageError("top: the state has no layers");
    return directions == 2 ? concat({h[h.size() - 2], h.back()}, 1) : h.back();
  }
  // Rows ids_i of every layer's state: reorders the batch.
  RecurrentState gather(const Tensor& ids) const;
  // The first `batch` sequences. Throws ShapeError if there are fewer.
  RecurrentState first(int64_t batch) const;
};

struct RecurrentOptions {
  int64_t layers = 1;
  bool bias = true;
  bool bidirectional = false;
};

struct [[nodiscard]] RecurrentOutput {
  Var y;                 // (N, H) of the top layer, or (N, 2H): forward, backward
  RecurrentState state;  // after each sequence's last step
};

// A stack of recurrent layers over a packed ragged batch, without padding: what Lstm and Gru share.
// Parameters are named as in PyTorch: weight_ih_l0 (gates H, in), weight_hh_l0 (gates H, H) and a
// vector (gates H) for each name of a bias, with the suffix _reverse for the backward direction.
// Initialised uniformly in +-1/sqrt(H).
class Recurrent : public Module {
 public:
  using Output = RecurrentOutput;

  // x (N, in), or ShapeError. Each layer reads the outputs of the one below, both directions side
  // by side; the second direction reads its input reversed in time. An empty `initial` is zero.
  // Dropout applies between layers; it draws by the name `place`, or by the layer's own if that is
  // empty.
  Output operator()(const Packing& packing, const Var& x, const RecurrentState& initial = {},
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  // The same for an input [z; x] whose contribution of z to the gates of the first layer is known:
  // gates (N, gates H) = z W_z^T, where weight_ih_l0 = [W_z, W_x]. If x is undefined, z is the
  // whole input. For decoders whose steps share products. Throws ShapeError for bidirectional
  // layers.
  Output from_gates(const Packing& packing, Var gates, const Var& x,
                    const RecurrentState& initial = {}, const DropoutMode& drop = {},
                    std::string_view place = {}) const;
  void visit(Visitor& v) override;

  int64_t hidden_size() const { return hidden_; }
  // Of the forward direction. Throws ShapeError if there is no such layer.
  const Var& weight_ih(int64_t layer) const;

 protected:
  struct Cell {
    Var w_ih, w_hh;
    std::vector<Var> biases;
  };
  Recurrent(const char* layer, int64_t in, int64_t hidden, int64_t gates,
            std::vector<std::string> biases, RecurrentOptions options);
  int64_t in() const { return cells_[0].w_ih.shape()[1]; }
  const RecurrentOptions& options() const { return options_; }

 private:
  // One cell over all steps: from its input's contribution to the gates, (N, gates H), and from
  // initial states, undefined where they are zero.
  virtual LstmOutput run_cell(const Packing& packing, const Cell& cell, Var gates, const Var& h0,
                              const Var& c0) const = 0;
  // Throws ShapeError for the state of another kind of layer.
  virtual void check_state(const RecurrentState& initial) const = 0;
  // The first layer reads x or, if they are defined, gates with their bias.
  Output run(const Packing& packing, const Var& x, Var first_gates, const RecurrentState& initial,
             const DropoutMode& drop, std::string_view place) const;
  size_t directions() const { return options_.bidirectional ? 2 : 1; }

  const char* layer_;
  int64_t hidden_;
  std::vector<std::string> biases_;
  RecurrentOptions options_;
  std::vector<Cell> cells_;  // layer by layer; forward, backward where bidirectional
};

}  // namespace heed
