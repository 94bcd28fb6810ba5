// Reverse-mode automatic differentiation. The graph is made by running the code: each op records a
// Node with a closure for its gradient, and backward() runs the closures in reverse order of
// creation.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "base/scoped_value.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace heed {

class Grads;
class Node;
class OutputGrads;
class Saved;

// The gradient of an op: takes the gradients of its outputs, and gives each input its own. With one
// output it is a function of (Tensor dy, const Grads& dx), with several of (const OutputGrads& dy,
// const Grads& dx). See autograd/node.h.
using Backward = std::function<void(const OutputGrads& dy, const Grads& dx)>;

// A gradient: dense, or some rows of it while all others are zero (of an embedding table).
struct Gradient {
  Tensor dense;
  Tensor ids, rows;  // rows (n, width) belong to the distinct, ascending ids (n)

  bool defined() const { return dense.defined() || rows.defined(); }
  bool sparse() const { return rows.defined(); }
};

// A parameter's law: how init() draws its initial values, from a random stream of its own.
using Initializer = std::function<Tensor(const Shape&, RandomKey, DType)>;

// What all Vars of one parameter share. A tied weight, which a module uses in two places, is one
// cell. Its tensor can be replaced (moved, converted, drawn), and every Var sees the new one.
struct ParameterCell {
  Tensor value;
  std::shared_ptr<Node> node;  // collects the gradient
  bool sparse_rows = false;
  bool frozen = false;
  bool buffer = false;   // frozen permanently
  bool blank = false;    // allocated, not yet initialised
  Initializer law = {};  // empty: made with values
  int optimizers = 0;    // that update it
};

// The order of the rows of ragged sequences: step by step, as in a Packing and in the result of
// lstm(), or sequence by sequence, as in Segments. The result of an op has the order of its inputs
// if it has as many rows, except for ops that move rows.
enum class RowOrder : uint8_t { unknown, by_step, by_sequence };

// A value and its place in the graph. Copying a Var copies two references. An op changes none of
// its inputs, so its result must not be discarded.
class [[nodiscard]] Var {
 public:
  Var() = default;
  Var(Tensor value) : value_(std::move(value)) {}  // a constant
  // A leaf that collects a gradient. Its memory is its own: that of the tensor, or a copy if others
  // refer to it. With sparse_rows (Embedding) the gradient is sparse: it holds the looked-up rows
  // only, as long as only gather_rows uses the parameter.
  static Var parameter(Tensor value, bool sparse_rows = false);
  // The same, f32 on the CPU and blank: init() (nn/init.h) draws its values by the law, or
  // load_parameters() or set_value() sets them.
  static Var parameter(Shape shape, Initializer law, bool sparse_rows = false);
  // A parameter that is saved, loaded, moved and cloned with its module, and never trained, such as
  // BatchNorm's running mean: a constant to ops, which set_value() changes.
  static Var buffer(Tensor value);

  bool defined() const { return memory().defined(); }
  // Throws UsageError for a blank parameter.
  const Tensor& value() const {
    if (cell_ && cell_->blank) fail_blank();
    return memory();
  }
  double item() const { return value().item(); }  // of a loss: a value of one element
  const Shape& shape() const { return memory().shape(); }
  DType dtype() const { return memory().dtype(); }
  Device device() const { return memory().device(); }
  bool needs_grad() const { return node() != nullptr; }
  bool sparse_rows() const { return cell_ && cell_->sparse_rows; }
  Var detach() const { return Var(value()).in_order(order_); }  // outside of the graph
  // Row i of the leading axis, which is removed; a negative i counts from the end. Differentiable.
  Var operator[](int64_t i) const;
  RowOrder row_order() const { return order_; }
  // The same value, with the order of its rows declared.
  Var in_order(RowOrder order) const {
    Var result = *this;
    result.order_ = order;
    return result;
  }

  // ---- for parameters; these throw UsageError for other values
  bool is_parameter() const { return cell_ != nullptr; }
  bool frozen() const { return cell_ && cell_->frozen; }
  bool is_buffer() const { return cell_ && cell_->buffer; }
  // The same for all Vars of one parameter, and null for other values.
  const std::shared_ptr<ParameterCell>& cell() const { return cell_; }
  // A new parameter with the same values, law, sparse_rows, frozen and buffer.
  Var clone() const;
  // Replaces the tensor of the parameter, for all its Vars. Its gradient is dropped, and the
  // backward pass of an earlier graph throws. set_value() throws ShapeError for another shape, and
  // for another element type, as that of a .npy file: say set_value(value.to(p.dtype())). A blank
  // parameter takes the type of its first values.
  void set_value(Tensor value) const;
  void convert(DType dtype, Device device) const;
  // A frozen parameter is a constant to ops, and optimisers do not change it. Freezing drops its
  // gradient; backward() of an earlier graph still adds to it, for when it is unfrozen. Throws
  // UsageError to unfreeze a buffer.
  void freeze(bool frozen = true) const;

  // Adds d(this)/d(leaf) to the gradient of every leaf that this value depends on, and frees the
  // graph on the way. Throws ShapeError for a value of more than one element, and UsageError if
  // there is nothing to differentiate or the graph was used already.
  //
  // `complete` is called once for each leaf, as soon as all nodes that use it have run: its
  // gradient is complete and may be used while others are not. An exception, of it or of an op,
  // ends the pass: the graph is used, and leaves keep what had come to them.
  using OnComplete = std::function<void(const Node& leaf)>;
  void backward(const OnComplete& complete = {}) const;

  // The gradient that backward() has collected, a constant (there are no second derivatives), as it
  // is (perhaps sparse) or dense; undefined if there is none yet. Throws UsageError for a constant,
  // and for the result of an op without keep_grad(). Its memory is shared with no other gradient.
  const Gradient& gradient() const;
  Tensor grad() const;
  void zero_grad() const;
  // For the result of an op: the next backward() keeps its gradient for grad().
  void keep_grad() const;

  // For the closure of an op: this value if `other` needs a gradient, else an undefined tensor.
  // Example z = x y: dx = dz y needs y, but only if x is not a constant.
  Saved for_grad_of(const Var& other) const;

  const std::shared_ptr<Node>& node() const {
    if (!cell_) return node_;
    static const std::shared_ptr<Node> none;
    return cell_->frozen ? none : cell_->node;
  }
  int output() const { return output_; }  // which one of the node's outputs

 private:
  friend Var record(const char*, Tensor, const std::vector<Var>&, Backward);
  friend std::vector<Var> record(const char*, std::vector<Tensor>, const std::vector<Var>&,
                                 Backward);
  const Tensor& memory() const { return cell_ ? cell_->value : value_; }
  [[noreturn]] static void fail_blank();
  ParameterCell& own_cell(const char* what) const;
  void exchange(Tensor value) const;

  Tensor value_;                // unless it is a parameter
  std::shared_ptr<Node> node_;  // null for a constant
  int output_ = 0;              // the number of this output of the node
  RowOrder order_ = RowOrder::unknown;
  std::shared_ptr<ParameterCell> cell_;  // null unless it is a parameter
};

// Adds an op to the graph: its name, its value, its inputs, and its gradient, a closure that may
// own tensors but never a Var. Returns a constant if no input needs a gradient; if one does, throws
// UsageError for an empty closure. All inputs must have the same element type and device; an
// undefined input is an optional one that was omitted.
Var record(const char* op, Tensor value, const std::vector<Var>& inputs, Backward backward);
// The same for an op with several outputs.
std::vector<Var> record(const char* op, std::vector<Tensor> values, const std::vector<Var>& inputs,
                        Backward backward);

// For the header of an op (x, axis, keepdim, ...): neither a bool nor {} is an axis, and keepdim is
// a bool. op(x, true), meant for keepdim, would be axis 1, op(x, {}) axis 0, and op(x, 0, 1), meant
// for two axes, keepdim; with this none of them compiles.
enum class NoAxis {};
template <class T>
concept NoKeepdim = std::integral<T> && !std::same_as<T, bool>;
#define HEED_NEEDS_AXIS(op)                                          \
  void op(const Var& x, std::same_as<bool> auto, auto...) = delete;  \
  void op(const Var& x, int axis, NoKeepdim auto, auto...) = delete; \
  void op(const Var& x, std::initializer_list<NoAxis>, auto...) = delete

// While one exists, ops on this thread record nothing.
class NoGrad {
 public:
  [[nodiscard]] NoGrad();
  static bool active();

 private:
  const ScopedValue<bool> active_;
};

// Whether x needs a gradient: it is in the graph, and no NoGrad exists.
bool wants_grad(const Var& x);

// One line for each op that `root` depends on: number, op, shape, inputs.
std::string graph_text(const Var& root);
std::string graph_dot(const Var& root);  // for Graphviz: dot -Tsvg

}  // namespace heed
