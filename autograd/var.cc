#include "autograd/var.h"

#include <algorithm>
#include <sstream>
#include <unordered_set>

#include "autograd/anomaly.h"
#include "autograd/node.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/gather.h"

namespace heed {
namespace {

thread_local bool no_grad = false;

// All nodes that root depends on, itself included, newest first.
std::vector<std::shared_ptr<Node>> reachable(const std::shared_ptr<Node>& root) {
  std::vector<std::shared_ptr<Node>> found, open;
  std::unordered_set<const Node*> seen;
  if (root) open.push_back(root);
  while (!open.empty()) {
    std::shared_ptr<Node> node = std::move(open.back());
    open.pop_back();
    if (!seen.insert(node.get()).second) continue;
    for (const auto& parent : node->parents) {
      if (parent) open.push_back(parent);
    }
    found.push_back(std::move(node));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a->number > b->number; });
  return found;
}

void check_inputs(const char* op, const Tensor& value, const std::vector<Var>& inputs) {
  for (const Var& x : inputs) {
    if (x.defined()) check_types(op, x, Var(value));
  }
}

}  // namespace

NoGrad::NoGrad() : before_(no_grad) {
  no_grad = true;
}
NoGrad::~NoGrad() {
  no_grad = before_;
}
bool NoGrad::active() {
  return no_grad;
}

Var Var::parameter(Tensor value, bool sparse_rows) {
  check_shape(value.dtype() != DType::i32, "parameter: element type i32: expected f32 or f64");
  Var leaf(std::move(value));
  leaf.node_ = std::make_shared<Node>("parameter", leaf.value_);
  leaf.node_->sparse_rows = sparse_rows;
  return leaf;
}

Var record(const char* op, Tensor value, const std::vector<Var>& inputs, Backward backward) {
  check_inputs(op, value, inputs);
  if (DetectAnomaly::active()) check_forward(op, value, inputs);
  Var result(std::move(value));
  const auto needs_grad = [](const Var& x) { return x.needs_grad(); };
  if (no_grad || std::none_of(inputs.begin(), inputs.end(), needs_grad)) return result;
  result.node_ = std::make_shared<Node>(op, result.value_);
  for (const Var& x : inputs) result.node_->parents.push_back(x.node());
  result.node_->backward = std::move(backward);
  return result;
}

void Var::backward() const {
  check_shape(defined() && value_.numel() == 1,
              "backward: needs a single value (a loss), got the shape " + shape().str());
  if (!node_) throw UsageError("backward: the value does not depend on any parameter");
  std::vector<std::shared_ptr<Node>> order = reachable(node_);
  for (const auto& node : order) {
    if (node->used) {
      throw UsageError(std::string("backward: the graph was used already (op ") + node->op +
                       "); run the forward pass again, or add the losses first");
    }
  }
  node_->grad.add(Tensor::full(shape(), 1.0, dtype(), device()));
  for (std::shared_ptr<Node>& node : order) {
    node->grad.settle(*node);
    if (DetectAnomaly::active()) check_settled(*node);
    if (node->backward) {
      // Every node that uses this one has run, so dy is complete; what is not needed any more goes.
      const Tensor dy = std::move(node->grad.total.dense);
      node->grad.total = {};
      if (dy.defined()) node->backward(dy, Grads(*node));
      if (DetectAnomaly::active()) check_backward(*node);
      node->backward = nullptr;
      node->used = true;
    }
    node.reset();
  }
}

bool Var::sparse_rows() const {
  return node_ && node_->sparse_rows;
}

const Gradient& Var::gradient() const {
  if (!node_) throw UsageError("gradient: not a parameter");
  return node_->grad.total;
}

Tensor Var::grad() const {
  const Gradient& g = gradient();
  if (!g.sparse()) return g.dense;
  Tensor dense = zeros_like(value_);
  KERNEL(dense, scatter_add_rows(dense.data<T>(), g.rows.data<T>(), g.ids.data<int32_t>(),
                                 g.ids.numel(), g.rows.shape().back()));
  return dense;
}

void Var::zero_grad() const {
  if (node_) node_->grad = {};
}

std::string graph_text(const Var& root) {
  std::ostringstream out;
  std::vector<std::shared_ptr<Node>> nodes = reachable(root.node());
  std::reverse(nodes.begin(), nodes.end());
  for (const auto& node : nodes) {
    out << '%' << node->number << " = " << node->op << ' ' << name_of(node->dtype) << ' '
        << node->shape.str();
    for (size_t i = 0; i < node->parents.size(); ++i) {
      out << (i ? ", " : "  <- ");
      node->parents[i] ? out << '%' << node->parents[i]->number : out << "constant";
    }
    out << '\n';
  }
  return out.str();
}

std::string graph_dot(const Var& root) {
  std::ostringstream out;
  out << "digraph heed {\n  node [shape=box, fontname=\"monospace\"];\n";
  std::vector<std::shared_ptr<Node>> nodes = reachable(root.node());
  std::reverse(nodes.begin(), nodes.end());
  for (const auto& node : nodes) {
    out << "  n" << node->number << " [label=\"" << node->op << "\\n"
        << node->shape.str() << "\"" << (node->backward ? "" : ", style=rounded") << "];\n";
    for (const auto& parent : node->parents) {
      if (parent) out << "  n" << parent->number << " -> n" << node->number << ";\n";
    }
  }
  out << "}\n";
  return out.str();
}

}  // namespace heed
