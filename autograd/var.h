// Reverse-mode automatic differentiation. The graph is made by running the code: each op records a
// Node with a closure for its gradient, and backward() runs the closures in reverse order of
// creation.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

class Grads;
class Node;

// A gradient: dense, or some rows of it while all others are zero (of an embedding table).
struct Gradient {
  Tensor dense;
  Tensor ids, rows;  // rows (n, width) belong to the distinct, ascending ids (n)

  bool defined() const { return dense.defined() || rows.defined(); }
  bool sparse() const { return rows.defined(); }
};

// A value and its place in the graph. Copying a Var copies two references.
class Var {
 public:
  Var() = default;
  Var(Tensor value) : value_(std::move(value)) {}  // a constant
  // A leaf that collects a gradient. With sparse_rows the gradient keeps to the rows that were
  // looked up (Embedding), as long as nothing but gather_rows uses the parameter.
  static Var parameter(Tensor value, bool sparse_rows = false);

  bool defined() const { return value_.defined(); }
  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  DType dtype() const { return value_.dtype(); }
  Device device() const { return value_.device(); }
  bool needs_grad() const { return node_ != nullptr; }
  bool sparse_rows() const;
  Var detach() const { return Var(value_); }  // the same value, outside of the graph

  // Adds d(this)/d(leaf) to the gradient of every leaf that this value depends on, and takes the
  // graph apart on the way. Throws ShapeError for a value of more than one element, UsageError
  // where there is nothing to differentiate or the graph was used already.
  void backward() const;

  const Gradient& gradient() const;  // of a leaf, as it was collected
  Tensor grad() const;               // of a leaf, dense; undefined if nothing has arrived
  void zero_grad() const;

  const std::shared_ptr<Node>& node() const { return node_; }

 private:
  friend Var record(const char*, Tensor, const std::vector<Var>&,
                    std::function<void(const Tensor&, const Grads&)>);
  Tensor value_;
  std::shared_ptr<Node> node_;
};

// The gradient of an op: reads dy and adds to the gradients of the inputs.
using Backward = std::function<void(const Tensor& dy, const Grads& dx)>;

// Puts an op into the graph: its name, its value, its inputs, and its gradient, which may own
// tensors but never a Var. Returns a constant when no input needs a gradient. The inputs must share
// one element type and device; undefined inputs are optional ones left out.
Var record(const char* op, Tensor value, const std::vector<Var>& inputs, Backward backward);

// While one lives, ops on this thread record nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
  static bool active();

 private:
  bool before_;
};

// One line for each op that `root` depends on: number, op, shape, inputs.
std::string graph_text(const Var& root);
std::string graph_dot(const Var& root);  // for Graphviz: dot -Tsvg

}  // namespace heed
