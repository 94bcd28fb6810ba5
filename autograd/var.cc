#include "autograd/var.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "autograd/anomaly.h"
#include "autograd/node.h"
#include "autograd/row_groups.h"

namespace heed {
namespace {

thread_local bool no_grad = false;

void check_record(const char* op, const Tensor& value, const std::vector<Var>& inputs,
                  const Backward& backward) {
  check_shape(value.defined(), op, ": the op made an undefined value");
  for (const Var& x : inputs) {
    if (x.defined()) check_types(op, x.value(), value);
  }
  if (!backward && std::any_of(inputs.begin(), inputs.end(), wants_grad)) {
    throw UsageError(text(op, ": an input needs a gradient, and record() was given no closure"));
  }
  if (DetectAnomaly::active()) check_forward(CalledOp::or_else(op), value, inputs);
}

// Whose output may have as many rows as an input, and not the same ones.
bool moves_rows(std::string_view op) {
  constexpr std::string_view kMovers[] = {"gather_rows",       "scatter_rows",     "gather_along",
                                          "scatter_along",     "transpose",        "segment_scores",
                                          "segment_context",   "segment_mean",     "segment_max",
                                          "attention_weights", "attention_context"};
  return std::find(std::begin(kMovers), std::end(kMovers), op) != std::end(kMovers);
}

// The order of the rows that an op makes of its inputs' rows. A product has the rows of its left
// side.
RowOrder order_of(const char* op, const Tensor& value, const std::vector<Var>& inputs) {
  if (moves_rows(op)) return RowOrder::unknown;
  const std::string_view name = op;
  const bool product = name == "matmul" || name.starts_with("affine");
  RowOrder order = RowOrder::unknown;
  for (size_t i = 0; i < (product ? 1 : inputs.size()); ++i) {
    const Var& x = inputs[i];
    if (!x.defined() || x.row_order() == RowOrder::unknown || x.shape()[0] != value.shape()[0])
      continue;
    check_shape(order == RowOrder::unknown || order == x.row_order(), CalledOp::or_else(op),
                ": one input has its rows step by step, another one sequence by sequence; convert "
                "one with by_sequence() or by_step()");
    order = x.row_order();
  }
  return order;
}

// What collects the gradient of a parameter.
std::shared_ptr<Node> make_leaf(const ParameterCell& cell) {
  auto leaf = std::make_shared<Node>("parameter", cell.value);
  leaf->outputs[0].sparse_rows = cell.sparse_rows;
  return leaf;
}

// The node of an op whose values are `values`; null where no input needs a gradient.
template <class Values>
std::shared_ptr<Node> make_node(const char* op, const Values& values,
                                const std::vector<Var>& inputs, Backward backward) {
  if (std::none_of(inputs.begin(), inputs.end(), wants_grad)) return nullptr;
  const auto node = std::make_shared<Node>(op, values);
  for (const Var& x : inputs) node->inputs.push_back({x.node(), x.output()});
  node->backward = std::move(backward);
  return node;
}

// One step of the backward pass: from the gradients of the outputs to those of the inputs.
void run(Node& node) {
  bool reached = false;  // by the gradient of an output
  for (GradientBuffer& output : node.outputs) {
    output.settle();
    reached = reached || output.total.defined();
  }
  if (DetectAnomaly::active()) check_settled(node);
  if (!node.backward) {  // a leaf keeps what has arrived
    for (GradientBuffer& output : node.outputs) output.own();
    return;
  }
  for (GradientBuffer& output : node.outputs) {
    const Tensor& dense = output.total.dense;  // a copy is kept: the closure may write into it
    if (output.keep) output.kept.dense = dense.defined() ? dense.clone() : Tensor();
  }
  running_op = node.op.c_str();
  if (reached) node.backward(OutputGrads(node), Grads(node));
  if (DetectAnomaly::active()) check_backward(node);
  for (GradientBuffer& output : node.outputs) output.clear();
  node.backward = nullptr;
  node.used = true;
}

// Leaves are the oldest, and come last. Here each comes right after the last node that uses it.
void bring_leaves_forward(std::vector<std::shared_ptr<Node>>& order) {
  if (order.size() == 1) return;
  std::unordered_set<const Node*> seen;
  std::vector<std::shared_ptr<Node>> backwards;
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    if ((*node)->inputs.empty()) continue;
    for (const Edge& input : (*node)->inputs) {
      const bool leaf = input && input.node->inputs.empty();
      if (leaf && seen.insert(input.node.get()).second) backwards.push_back(input.node);
    }
    backwards.push_back(std::move(*node));
  }
  order.assign(std::move_iterator(backwards.rbegin()), std::move_iterator(backwards.rend()));
}

}  // namespace

NoGrad::NoGrad() : active_(no_grad, true) {}
bool NoGrad::active() {
  return no_grad;
}

Var Var::parameter(Tensor value, bool sparse_rows) {
  check_float("parameter", value);
  if (!value.shares_memory_uniquely()) value = value.clone();
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

Var Var::buffer(Tensor value) {
  Var result = parameter(std::move(value));
  result.cell_->frozen = result.cell_->buffer = true;
  return result;
}

void Var::fail_blank() {
  throw UsageError(
      "a parameter has no values yet; call init(module, seed) or load_parameters() first (they "
      "reach what visit() names)");
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
  copy.cell_->frozen = cell.frozen;
  copy.cell_->buffer = cell.buffer;
  return copy;
}

void Var::exchange(Tensor value) const {
  check_shape(value.dtype() != DType::i32, "parameter: element type i32: expected f32 or f64");
  cell_->value = std::move(value);
  cell_->node->used = true;  // a graph that holds it belongs to the values before
  cell_->node = make_leaf(*cell_);
}

void Var::set_value(Tensor value) const {
  const ParameterCell& cell = own_cell("set_value");
  check_defined("set_value", value);
  const bool same_type = value.dtype() == cell.value.dtype() || cell.blank;
  check_shape(value.shape() == cell.value.shape() && same_type,
              "set_value: ", name_of(value.dtype()), " ", value.shape(),
              " does not fit the parameter, ", name_of(cell.value.dtype()), " ",
              cell.value.shape());
  exchange(value.shares_memory_uniquely() ? std::move(value) : value.clone());
  cell_->blank = false;
}

void Var::convert(DType dtype, Device device) const {
  const ParameterCell& cell = own_cell("convert");
  exchange(cell.blank ? Tensor::empty(cell.value.shape(), dtype, device)
                      : cell.value.to(dtype).to(device));
}

void Var::freeze(bool frozen) const {
  ParameterCell& cell = own_cell("freeze");
  if (cell.buffer && !frozen) throw UsageError("unfreeze: a buffer is never trained");
  cell.frozen = frozen;
  if (frozen) cell.node->outputs[0].clear();
}

bool wants_grad(const Var& x) {
  return x.needs_grad() && !no_grad;
}

Saved Var::for_grad_of(const Var& other) const {
  return wants_grad(other) ? Saved(value()) : Saved();
}

Var record(const char* op, Tensor value, const std::vector<Var>& inputs, Backward backward) {
  check_record(op, value, inputs, backward);
  Var result(std::move(value));
  result.node_ = make_node(op, result.value_, inputs, std::move(backward));
  if (result.shape().rank() > 0) result.order_ = order_of(op, result.value_, inputs);
  return result;
}

std::vector<Var> record(const char* op, std::vector<Tensor> values, const std::vector<Var>& inputs,
                        Backward backward) {
  for (const Tensor& value : values) check_record(op, value, inputs, backward);
  const std::shared_ptr<Node> node = make_node(op, values, inputs, std::move(backward));
  std::vector<Var> results(values.begin(), values.end());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].node_ = node;
    results[i].output_ = static_cast<int>(i);
  }
  return results;
}

// Makes what has come to a leaf, put aside or not, its gradient; nothing of it where that fails.
static void settle_leaf(GradientBuffer& leaf) noexcept {
  try {
    leaf.settle();
    leaf.own();
  } catch (...) {
    leaf.clear();
  }
}

// What a pass that an exception ends has collected between the loss and the leaves belongs to
// nobody: the graph counts as used.
struct GraphOfAPass {
  const std::vector<std::shared_ptr<Node>>& order;
  bool done = false;

  ~GraphOfAPass() {
    if (done) return;
    for (const auto& node : order) {
      if (node->inputs.empty()) {
        settle_leaf(node->outputs[0]);
        continue;
      }
      for (GradientBuffer& output : node->outputs) output.clear();
      node->used = true;
    }
  }
};

// A node is older than what uses it. So in the order from new to old every node comes when all that
// uses it has run: the gradients of its outputs are complete, and it can be run and let go.
void Var::backward(const OnComplete& complete) const {
  check_defined("backward", *this);
  check_shape(value().numel() == 1, "backward: needs a single value (a loss), got the shape ",
              shape());
  if (!node()) {
    throw UsageError(
        "backward: the value depends on no parameter in the graph; constants, detach(), frozen "
        "parameters and NoGrad are outside of it");
  }
  if (DetectAnomaly::active() && !all_finite(value())) {
    throw AnomalyError("anomaly: the loss is not finite; an infinite input has reached it");
  }
  std::vector<std::shared_ptr<Node>> order = reachable(node());
  for (const auto& node : order) {
    if (!node->used) continue;
    if (node->inputs.empty()) {
      throw UsageError(
          "backward: a parameter was moved, converted or given other values after the forward "
          "pass; run it again");
    }
    throw UsageError(text("backward: the graph was used already (op ", node->op,
                          "); run the forward pass again, or add the losses first"));
  }
  for (const auto& node : order) {
    if (node->inputs.empty()) node->outputs[0].unshare();
  }
  if (complete) bring_leaves_forward(order);
  GraphOfAPass pass{order};
  node()->outputs[output_].add(Tensor::full(shape(), 1.0, dtype(), device()));
  for (const auto& node : order) {
    run(*node);
    if (complete && node->inputs.empty()) complete(*node);
  }
  pass.done = true;
}

const Gradient& Var::gradient() const {
  static const Gradient none;
  if (frozen()) return none;
  if (!node()) throw UsageError("grad: a constant, which collects no gradient");
  const GradientBuffer& grad = node()->outputs[output_];
  if (is_parameter()) return grad.total;
  if (!grad.keep) {
    throw UsageError(text("grad: the value is not a parameter, an op made it (", node()->op,
                          "); call keep_grad() on it before backward()"));
  }
  return grad.kept;
}

Tensor Var::grad() const {
  const Gradient& g = gradient();
  if (!g.sparse()) return g.dense;
  Tensor dense = zeros_like(value());
  RowGroups(g.ids.to_ints(), device()).add(dense, g.rows);
  return dense;
}

void Var::zero_grad() const {
  const std::shared_ptr<Node>& collects = cell_ ? cell_->node : node_;  // if it is frozen, too
  if (!collects) return;
  collects->outputs[output_].clear();
  collects->outputs[output_].kept = {};
}

void Var::keep_grad() const {
  if (!node()) throw UsageError("keep_grad: a constant, which collects no gradient");
  node()->outputs[output_].keep = true;
}

}  // namespace heed
