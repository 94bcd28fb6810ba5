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

// What collects the gradient of a parameter.
std::shared_ptr<Node> make_leaf(const ParameterCell& cell) {
  auto leaf = std::make_shared<Node>("parameter", cell.value);
  leaf->sparse_rows = cell.sparse_rows;
  return leaf;
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
  Var leaf;
  leaf.cell_ = std::make_shared<ParameterCell>(ParameterCell{std::move(value), {}, sparse_rows});
  leaf.cell_->node = make_leaf(*leaf.cell_);
  return leaf;
}

Var Var::parameter(Shape shape, Initializer law, bool sparse_rows) {
  Var leaf = parameter(Tensor::empty(shape), sparse_rows);
  leaf.cell_->blank = true;
  leaf.cell_->law = std::move(law);
  return leaf;
}

void Var::fail_blank() {
  throw UsageError(
      "a parameter has no values yet; call init(module, seed) or load_parameters() first (they "
      "reach "
      "what visit() names)");
}

ParameterCell& Var::own_cell(const char* what) const {
  if (!cell_) throw UsageError(std::string(what) + ": not a parameter");
  return *cell_;
}

Var Var::clone() const {
  const ParameterCell& cell = own_cell("clone");
  Var copy = parameter(cell.blank ? empty_like(cell.value) : cell.value.clone(), cell.sparse_rows);
  copy.cell_->blank = cell.blank;
  copy.cell_->law = cell.law;
  copy.freeze(frozen());
  return copy;
}

void Var::exchange(Tensor value) const {
  check_shape(value.dtype() != DType::i32, "parameter: element type i32: expected f32 or f64");
  cell_->value = std::move(value);
  if (frozen()) return;
  cell_->node->used = true;  // a graph that holds it belongs to the values before
  cell_->node = make_leaf(*cell_);
}

void Var::set_value(Tensor value) const {
  const ParameterCell& cell = own_cell("set_value");
  check_shape(value.defined() && value.shape() == cell.value.shape(),
              "set_value: " + value.shape().str() + " does not fit the parameter, " +
                  cell.value.shape().str());
  exchange(std::move(value));
  cell_->blank = false;
}

void Var::convert(DType dtype, Device device) const {
  const ParameterCell& cell = own_cell("convert");
  exchange(cell.blank ? Tensor::empty(cell.value.shape(), dtype, device)
                      : cell.value.to(dtype).to(device));
}

void Var::freeze(bool frozen) const {
  ParameterCell& cell = own_cell("freeze");
  if (frozen == this->frozen()) return;
  cell.node = frozen ? nullptr : make_leaf(cell);
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
  check_shape(defined() && value().numel() == 1,
              "backward: needs a single value (a loss), got the shape " + shape().str());
  if (!node()) throw UsageError("backward: the value does not depend on any parameter");
  std::vector<std::shared_ptr<Node>> order = reachable(node());
  for (const auto& node : order) {
    if (node->used && node->parents.empty()) {
      throw UsageError(
          "backward: a parameter was moved, converted or given other values after the forward "
          "pass; run it again");
    }
    if (node->used) {
      throw UsageError(std::string("backward: the graph was used already (op ") + node->op +
                       "); run the forward pass again, or add the losses first");
    }
  }
  node()->grad.add(Tensor::full(shape(), 1.0, dtype(), device()));
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

const Gradient& Var::gradient() const {
  static const Gradient none;
  if (frozen()) return none;
  if (!node()) throw UsageError("gradient: not a parameter");
  return node()->grad.total;
}

Tensor Var::grad() const {
  const Gradient& g = gradient();
  if (!g.sparse()) return g.dense;
  Tensor dense = zeros_like(value());
  KERNEL(dense, scatter_add_rows(dense.data<T>(), g.rows.data<T>(), g.ids.data<int32_t>(),
                                 g.ids.numel(), g.rows.shape().back()));
  return dense;
}

void Var::zero_grad() const {
  if (node()) node()->grad = {};
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
