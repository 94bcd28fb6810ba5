// What Lstm and Gru share: stacked layers, in one direction or two.
#pragma once

#include <functional>
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

// The cells of a stack with their parameters, layer by layer; forward, backward where
// bidirectional. A cell has the weights weight_ih (gates H, in) and weight_hh (gates H, H) and a
// vector (gates H) for each name of a bias.
class RecurrentCells {
 public:
  struct Cell {
    Var w_ih, w_hh;
    std::vector<Var> biases;
  };
  // One cell over all steps: from its input's contribution to the gates, (N, gates H), and from
  // initial states, undefined where they are zero.
  using Run = std::function<LstmOutput(const Cell& cell, Var gates, const Var& h0, const Var& c0)>;

  RecurrentCells(const char* layer, int64_t in, int64_t hidden, int64_t gates,
                 std::vector<std::string> biases, RecurrentOptions options);

  void visit(Visitor& v);
  // Each layer reads the outputs of the one below, both directions side by side, with dropout of
  // the module's stream in between. The second direction reads its input reversed in time. The
  // first layer reads x or, if they are defined, the gates of first_gates().
  RecurrentOutput operator()(const Packing& packing, const Var& x, Var first_gates,
                             const RecurrentState& initial, const Module& module,
                             const DropoutMode& drop, std::string_view place, const Run& run) const;

  // The forward direction of a layer. Throws ShapeError if there is no such layer.
  const Cell& cell(int64_t layer) const;
  void check_input(const Packing& packing, const Var& x) const;
  // z W_z^T + x W_x^T + b, (N, gates H): the contribution of [z; x] to the gates of the first
  // layer. gates = z W_z^T is given; weight_ih_l0 = [W_z, W_x], and b is the first bias. If x is
  // undefined, z is the whole input. Throws ShapeError for bidirectional layers.
  Var first_gates(const Packing& packing, Var gates, const Var& x) const;
  int64_t in() const { return cells_[0].w_ih.shape()[1]; }
  int64_t hidden() const { return hidden_; }
  const RecurrentOptions& options() const { return options_; }

 private:
  size_t directions() const { return options_.bidirectional ? 2 : 1; }

  const char* layer_;
  int64_t hidden_;
  std::vector<std::string> biases_;
  RecurrentOptions options_;
  std::vector<Cell> cells_;
};

}  // namespace heed
