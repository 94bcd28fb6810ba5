// What the graph is made of. Only ops and the backward pass look in here.
#pragma once

#include <cstdint>

#include "autograd/var.h"

namespace heed {

// What a node collects during the backward pass. Products dy^T x for a weight matrix are put aside
// until they have kManyRows rows together, or the node is reached: a loop over time steps then
// costs a few large products instead of many small ones that each read and write the whole weight
// gradient, and for each weight little more than these rows is held in memory.
class GradientBuffer {
 public:
  Gradient total;

  void add(Tensor dx);
  void add_outer(const Node& node, Tensor dy, Tensor x, int64_t first_col);
  void add_rows(Tensor ids, Tensor rows) { lookups_.push_back({std::move(ids), std::move(rows)}); }
  // Brings everything put aside into `total`.
  void settle(const Node& node);
  const Tensor& dense(const Node& node);  // allocated as zeros when first asked for
  bool all_finite() const;                // all that was collected, put aside or not

 private:
  struct Outer {
    Tensor dy, x;
    int64_t first_col;
  };
  struct Lookup {
    Tensor ids, rows;
  };
  void settle_outers(const Node& node);
  void settle_lookups(const Node& node);

  static constexpr int64_t kManyRows = 1024;

  std::vector<Outer> outers_;
  int64_t outer_rows_ = 0;  // of all of them
  std::vector<Lookup> lookups_;
};

// Throws DeviceError "op: tensors on cpu and cuda:0; move one with to()" unless both are on one
// device. To be called before a kernel runs: it would take the pointer of one device for that of
// another.
void check_devices(const char* op, const Tensor& a, const Tensor& b);
// Throws ShapeError "op: an input is undefined" for a Var that never got a value.
void check_defined(const char* op, const Var& x);
// The same for both and check_devices(), and throws ShapeError "op: element types differ, f32 and
// f64" where they do.
void check_types(const char* op, const Var& a, const Var& b);

class Node {
 public:
  Node(const char* op, const Tensor& value);
  ~Node();  // takes long chains apart in a loop, not by recursion
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const char* op;
  const uint64_t number;  // creation order: inputs have smaller numbers than what uses them
  const Shape shape;
  const DType dtype;
  const Device device;
  bool sparse_rows = false;
  bool used = false;                           // the backward pass has been here
  std::vector<std::shared_ptr<Node>> parents;  // null where an input needs no gradient
  Backward backward;                           // empty in leaves
  GradientBuffer grad;
};

// The gradients of an op's inputs, as its closure sees them.
class Grads {
 public:
  explicit Grads(const Node& node) : node_(node) {}

  bool needs(int i) const { return node_.parents[i] != nullptr; }
  // dx_i to accumulate into. Only for inputs that need a gradient.
  const Tensor& operator[](int i) const { return parent(i).grad.dense(parent(i)); }
  // The same as a pointer, null where the input needs no gradient.
  template <class T> T* data(int i) const {
    return needs(i) ? (*this)[i].template data<T>() : nullptr;
  }
  // dx_i += dx; a tensor that nobody else holds is taken over without a copy. The rest do nothing
  // where the input needs no gradient.
  void add(int i, Tensor dx) const;
  // dx_i[:, first_col : first_col + cols of x] += dy^T x, for dy (n, rows of x_i) and x (n, cols)
  void add_outer(int i, Tensor dy, Tensor x, int64_t first_col = 0) const;
  // dx_i[ids] += rows
  void add_rows(int i, Tensor ids, Tensor rows) const;

 private:
  Node& parent(int i) const { return *node_.parents[i]; }
  const Node& node_;
};

}  // namespace heed
