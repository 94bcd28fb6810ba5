#pragma once

#include <string>
#include <vector>

#include "autograd/node.h"

namespace heed {

// What each dropout in the graph of `root` does to a gradient of ones.
inline std::vector<std::vector<double>> dropout_masks(const Var& root) {
  std::vector<std::vector<double>> masks;
  for (const auto& node : reachable(root.node())) {
    if (node->op != "dropout") continue;
    GradientBuffer &out = node->outputs[0], &in = node->inputs.at(0).grad();
    out.clear();
    in.clear();
    out.add(Tensor::full(out.shape, 1, out.dtype));
    node->backward(OutputGrads(*node), Grads(*node));
    masks.push_back(in.sum().to_vector());
  }
  return masks;
}

}  // namespace heed
