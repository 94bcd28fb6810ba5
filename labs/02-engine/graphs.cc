#include "labs/02-engine/graphs.h"

namespace heed::lab {

// The gradient that a closure was given.
static double taken(const Tensor& dy) {
  if (dy.numel() != 1) {
    if_stopped(
        "a closure was given no gradient: it runs only if one has arrived, and nothing of a node "
        "is let go before its closure has run.");
  }
  return dy.item();
}

Tensor scalar(double value) {
  return Tensor::full({}, value, DType::f64);
}

NodePtr make_node(const std::vector<NodePtr>& inputs) {
  auto node = std::make_shared<Node>("made by hand", scalar(0));
  for (const NodePtr& input : inputs) node->inputs.push_back({input, 0});
  return node;
}

Var weigh(const std::vector<Var>& inputs, const std::vector<double>& weights,
          const std::function<void()>& at_run) {
  double sum = 0;
  for (size_t i = 0; i < inputs.size(); ++i) sum += weights[i] * inputs[i].value().item();
  return record("weigh", scalar(sum), inputs, [weights, at_run](Tensor dy, const Grads& dx) {
    at_run();
    for (size_t i = 0; i < weights.size(); ++i) {
      dx.add(static_cast<int>(i), scalar(weights[i] * taken(dy)));
    }
  });
}

Var square_of(const Var& x) {
  const Tensor& at = x.value();
  return record("square", scalar(at.item() * at.item()), {x},
                [at](Tensor dy, const Grads& dx) { dx.add(0, scalar(2 * at.item() * taken(dy))); });
}

}  // namespace heed::lab
