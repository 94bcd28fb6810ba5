// Graphs made by hand, or of ops with closures that are written here: what the checks of lab 2 are
// made of, so that they call no op of the library.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "autograd/node.h"
#include "labs/support/check.h"

namespace heed::lab {

using NodePtr = std::shared_ptr<Node>;

Tensor scalar(double value);
NodePtr make_node(const std::vector<NodePtr>& inputs);

// y = sum_i weight_i x_i, an op that tells when its closure runs.
Var weigh(
    const std::vector<Var>& inputs, const std::vector<double>& weights,
    const std::function<void()>& at_run = [] {});
Var square_of(const Var& x);

// The nodes that check_backward() was asked about, in turn (anomaly.cc).
std::vector<const Node*>& asked_about();
// Those that run() began with while a DetectAnomaly lived.
std::vector<const Node*>& nodes_run();

}  // namespace heed::lab
