// The nodes of the graph. For ops and the backward pass.
#pragma once

#include <cstdint>
#include <string>

#include "autograd/var.h"
#include "tensor/matrix.h"

namespace heed {

// The gradient that a node collects during the backward pass. Products dy^T x for a weight matrix
// are deferred until they have kManyRows rows together, or until the node is reached. A loop over
// time steps then costs a few large products instead of many small ones, each of which reads and
// writes the whole weight gradient, and only these rows are held in memory.
class GradientBuffer {
 public:
  explicit GradientBuffer(const Tensor& value)
      : shape(value.shape()), dtype(value.dtype()), device(value.device()) {}

  Shape shape;  // of the value, and so of its gradient
  DType dtype;
  Device device;
  bool sparse_rows = false;  // see Var::parameter
  Gradient total;
  bool keep = false;  // see Var::keep_grad
  Gradient kept;

  // The first contribution is kept without a copy, even if others share its memory.
  void add(Tensor dx);
  Destination destination();
  const Tensor& sum();
  void add_outer(Tensor dy, Tensor x, int64_t first_col);
  void add_rows(Tensor ids, Tensor rows) { lookups_.push_back({std::move(ids), std::move(rows)}); }
  // Adds all deferred products to `total`.
  void settle();
  // Makes `total` unshared, by a copy if necessary, so that its owner may change it.
  void own();
  // A gradient that somebody holds stays as it is: the next pass adds to a copy.
  void unshare();
  void clear();
  bool all_finite() const;  // of all that was collected, deferred or not

 private:
  struct Outer {
    Tensor dy, x;
    int64_t first_col;
  };
  struct Lookup {
    Tensor ids, rows;
  };
  void settle_outers();
  void settle_lookups();

  static constexpr int64_t kManyRows = 1024;

  bool borrowed_ = false;  // others may hold total.dense
  std::vector<Outer> outers_;
  int64_t outer_rows_ = 0;  // of all of them
  std::vector<Lookup> lookups_;
};

// Throws DeviceError "op: tensors on cpu and cuda:0; move one with to()" unless both are on one
// device. Call it before a kernel runs: kernels cannot distinguish pointers of two devices.
void check_devices(const char* op, const Tensor& a, const Tensor& b);
// Throws ShapeError "op: an input is undefined" for a Var that never got a value.
void check_defined(const char* op, const Var& x);
// The same, and for an i32 "op: element type i32: expected f32 or f64".
void check_float(const char* op, const Var& x);
// Checks that x has the axis and elements along it; returns the axis, counted from the front.
int check_axis(const char* op, const Var& x, int axis);
// The same for both and check_devices(), and throws ShapeError "op: element types differ, f32 and
// f64" where they do.
void check_types(const char* op, const Var& a, const Var& b);
void check_types(const char* op, const Tensor& a, const Tensor& b);
// Throws ShapeError for more elements along an axis than an i32 can number.
void check_places(const char* op, int64_t n);

// The op that the user called. While one exists, the messages of the ops that it is made of begin
// with its name. If several exist, the outermost gives the name.
class CalledOp {
 public:
  [[nodiscard]] explicit CalledOp(const char* op) : called_(called, or_else(op)) {}
  static const char* or_else(const char* op) { return called ? called : op; }

 private:
  static inline thread_local const char* called = nullptr;
  const ScopedValue<const char*> called_;
};

// An input of a node: an output of another one. No node where the input needs no gradient.
struct Edge {
  std::shared_ptr<Node> node;
  int output = 0;

  explicit operator bool() const { return node != nullptr; }
  GradientBuffer& grad() const;
};

class Node {
 public:
  Node(std::string op, const std::vector<Tensor>& values);
  Node(std::string op, const Tensor& value);
  ~Node();  // takes long chains apart in a loop, not by recursion
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const std::string op;
  const uint64_t number;  // creation order: inputs have smaller numbers than the nodes using them
  std::vector<GradientBuffer> outputs;
  bool used = false;  // the backward pass has been here
  std::vector<Edge> inputs;
  Backward backward;  // empty in leaves

 private:
  std::shared_ptr<Node> next_orphan_;  // while a chain is taken apart
};

inline GradientBuffer& Edge::grad() const {
  return node->outputs[output];
}

// All nodes that root depends on, itself included, newest first.
std::vector<std::shared_ptr<Node>> reachable(const std::shared_ptr<Node>& root);

// The gradients of an op's outputs, for its closure, which owns them: it may pass them on, and
// change those whose memory is not shared.
class OutputGrads {
 public:
  explicit OutputGrads(Node& node) : node_(node) {}

  // The gradient of one output, once; undefined if nothing has arrived for it. Throws UsageError if
  // the op has no such output.
  Tensor take(int output) const;
  operator Tensor() const { return take(0); }  // of the only one

 private:
  Node& node_;
};

// The gradients of an op's inputs, which its closure computes. Gradients for inputs that need none
// are dropped.
class Grads {
 public:
  explicit Grads(const Node& node) : node_(node) {}

  // These all throw UsageError if the op has no such input.
  bool needs(int i) const { return static_cast<bool>(input(i)); }

  // dx_i = or += all values that are written to the destination. False if dx_i is not needed.
  Destination to(int i) const;
  // The same for a kernel with one destination. Requires needs(i).
  template <class T> Out<T> to(int i) const { return wanted(i).destination().template out<T>(); }
  // dx_i += dx, for a tensor that exists already: the first one is kept without a copy.
  void add(int i, Tensor dx) const;

  // dx_i, initially zeros, to add to parts of it or in several passes. Requires needs(i).
  const Tensor& sum(int i) const { return wanted(i).sum(); }
  // The same as a pointer; null if dx_i is not needed.
  template <class T> T* sum(int i) const { return needs(i) ? sum(i).template data<T>() : nullptr; }
  // dx_i[:, first_col : first_col + cols of x] += dy^T x, for dy (n, rows of x_i) and x (n, cols)
  void add_outer(int i, Tensor dy, Tensor x, int64_t first_col = 0) const;
  // dx_i[ids] += rows
  void add_rows(int i, Tensor ids, Tensor rows) const;

 private:
  const Edge& input(int i) const;
  GradientBuffer& wanted(int i) const;  // throws UsageError if dx_i is not needed

  const Node& node_;
};

inline thread_local const char* running_op = "an op";  // whose closure runs, for messages
// A tensor that a closure keeps for the gradient; undefined if it was not needed. Reading it throws
// UsageError if its memory was written to since it was saved (Tensor::version).
class Saved {
 public:
  Saved() = default;
  Saved(Tensor x) : tensor_(std::move(x)), version_(tensor_.version()) {}

  bool defined() const { return tensor_.defined(); }
  const Tensor& get() const;
  operator const Tensor&() const { return get(); }
  operator Matrix() const { return get(); }
  Matrix t() const { return get().t(); }
  // The first element; null where it is undefined.
  template <class T> const T* data() const {
    return defined() ? get().template data<T>() : nullptr;
  }

 private:
  Tensor tensor_;
  uint32_t version_ = 0;
};

}  // namespace heed
