// The simple recurrent unit (Lei et al. 2018, as printed by Swanson et al. 2019, Eq. 1). No product
// involves the state h' of the step before, so the products of all steps are computed at once.
#pragma once

#include <string_view>
#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"

namespace heed::retrieve {

// A bidirectional layer, of H cells each, over a packed ragged batch. In each direction, with the
// cell c' of the step before (0 at the first):
//   f = sigmoid(W_f x + v_f * c' + b_f);   c = f * c' + (1 - f) * (W x)
//   r = sigmoid(W_r x + v_r * c' + b_r);   h = r * c + (1 - r) * x
// and the output is [forward; backward]. If x has the 2H columns of the output, each direction uses
// its half of them in the last term; otherwise W_x x replaces x. Initialised as in the authors'
// program: weights uniform in +-sqrt(3 / in), those of the gates times sqrt(1/2), v uniform in
// +-sqrt(3/2), biases 0.
class SruLayer : public Module {
 public:
  SruLayer(int64_t in, int64_t hidden);
  Var operator()(const Packing& packing, const Var& x) const;  // (N, in) -> (N, 2H)
  void visit(Visitor& v) override;
  SruLayer like() const { return {in_, hidden_}; }

 private:
  struct Direction {
    Var weight, weight_f, weight_r, weight_x;  // (H, in); the last one may be undefined
    Var v_f, v_r, bias_f, bias_r;              // (H)
  };
  Var run(const Direction& d, const Packing& packing, const Var& x, const Var& skip) const;

  int64_t in_, hidden_;
  std::vector<Direction> directions_;  // forward, backward
};

}  // namespace heed::retrieve
