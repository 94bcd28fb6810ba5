// What Lstm and Gru share: layers one above the other, in one direction or two.
#pragma once

#include <string>
#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"

namespace heed {

// "_l0", "_l0_reverse", "_l1" ...: PyTorch's names of the cells, layer by layer.
inline std::string cell_suffix(size_t cell, size_t directions) {
  return "_l" + std::to_string(cell / directions) + (cell % directions ? "_reverse" : "");
}

// The last layer's outputs. run(cell, below) is one cell forward in time; the second direction gets
// the mirror image of what it reads. Each layer reads the outputs of the one below, both directions
// side by side, and dropout of the module's stream stands between two layers.
template <class Run>
Var run_stack(const Packing& packing, const Var& x, size_t cells, size_t directions,
              const Module& module, const DropoutMode& drop, std::string_view place,
              const Run& run) {
  // Backward in time: row r of the mirror image belongs to row r of x.
  Tensor mirror;
  if (directions == 2) mirror = Tensor::from(packing.reversed(), x.device());
  Var below = x, y;
  for (size_t layer = 0; layer * directions < cells; ++layer) {
    const size_t cell = layer * directions;
    y = run(cell, below);
    if (directions == 2) {
      const Var back = gather_rows(run(cell + 1, gather_rows(below, mirror)), mirror);
      y = concat({y, back}, 1);
    }
    const bool top = cell + directions == cells;
    below = top ? y : drop(y, module, place, "", static_cast<uint32_t>(layer));
  }
  return y;
}

}  // namespace heed
