#include "autograd/node.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <unordered_set>

#include "autograd/anomaly.h"
#include "autograd/row_groups.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/layout.h"

namespace heed {
namespace {

uint64_t next_number() {
  static std::atomic<uint64_t> count{0};
  return count.fetch_add(1, std::memory_order_relaxed);
}

// Stacks tensors (n_i, width) to (sum n_i, width); a single one as it is.
template <class Items, class Member> Tensor stack_rows(const Items& items, Member member) {
  if (items.size() == 1) return items[0].*member;
  int64_t rows = 0;
  for (const auto& item : items) rows += (item.*member).shape()[0];
  const Tensor& first = items[0].*member;
  Tensor all = Tensor::empty(first.shape().with(0, rows), first.dtype(), first.device());
  std::vector<Tensor> parts;
  for (const auto& item : items) parts.push_back(item.*member);
  KERNEL(all, join(all.data<T>(), values_of<T>(parts).data(), std::ssize(parts)));
  return all;
}

}  // namespace

Node::Node(std::string op, const std::vector<Tensor>& values)
    : op(std::move(op)), number(next_number()), outputs(values.begin(), values.end()) {}

Node::Node(std::string op, const Tensor& value) : op(std::move(op)), number(next_number()) {
  outputs.emplace_back(value);
}

Node::~Node() {
  std::shared_ptr<Node> orphans;  // a list, so that nothing is allocated
  const auto let_go = [&orphans](std::vector<Edge>& inputs) {
    for (Edge& input : inputs) {
      std::shared_ptr<Node> node = std::move(input.node);
      if (!node || node.use_count() > 1) continue;
      node->next_orphan_ = std::move(orphans);
      orphans = std::move(node);
    }
    inputs.clear();
  };
  let_go(inputs);
  while (orphans) {
    const std::shared_ptr<Node> node = std::move(orphans);
    orphans = std::move(node->next_orphan_);
    let_go(node->inputs);
  }
}

std::vector<std::shared_ptr<Node>> reachable(const std::shared_ptr<Node>& root) {
  std::vector<std::shared_ptr<Node>> found, open;
  std::unordered_set<const Node*> seen;
  if (root) open.push_back(root);
  while (!open.empty()) {
    std::shared_ptr<Node> node = std::move(open.back());
    open.pop_back();
    if (!seen.insert(node.get()).second) continue;
    for (const Edge& input : node->inputs) {
      if (input) open.push_back(input.node);
    }
    found.push_back(std::move(node));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a->number > b->number; });
  return found;
}

Tensor OutputGrads::take(int output) const {
  if (output < 0 || output >= std::ssize(node_.outputs)) {
    throw UsageError(text(node_.op, ": its gradient takes dy[", output, "] of ",
                          node_.outputs.size(), " outputs"));
  }
  return std::move(node_.outputs[output].total.dense);
}

void GradientBuffer::add(Tensor dx) {
  Tensor& dense = total.dense;
  if (!dense.defined()) {
    dense = std::move(dx);
    borrowed_ = true;
  } else if (borrowed_ && !dense.shares_memory_uniquely()) {
    const Tensor before = dense;
    dense = empty_like(before);
    borrowed_ = false;
    KERNEL(dense, binary_forward<Add>(dense.data<T>(), before.data<T>(), dx.data<T>(), dx.numel()));
  } else {
    KERNEL(dx, scale<T>({dense.data<T>(), Write::add}, dx.data<T>(), T(1), dx.numel()));
  }
}

Destination GradientBuffer::destination() {
  if (total.dense.defined()) return {sum(), Write::add};
  total.dense = Tensor::empty(shape, dtype, device);
  return {total.dense, Write::assign};
}

const Tensor& GradientBuffer::sum() {
  if (!total.dense.defined()) total.dense = Tensor::zeros(shape, dtype, device);
  own();
  return total.dense;
}

void GradientBuffer::own() {
  if (borrowed_) unshare();
  borrowed_ = false;
}

void GradientBuffer::unshare() {
  Tensor& dense = total.dense;
  if (dense.defined() && !dense.shares_memory_uniquely()) dense = dense.clone();
}

void GradientBuffer::clear() {
  total = {};
  borrowed_ = false;
  outers_.clear();
  outer_rows_ = 0;
  lookups_.clear();
}

void GradientBuffer::add_outer(Tensor dy, Tensor x, int64_t first_col) {
  outer_rows_ += dy.shape()[0];
  outers_.push_back({std::move(dy), std::move(x), first_col});
  if (outer_rows_ >= kManyRows) settle_outers();
}

bool GradientBuffer::all_finite() const {
  const auto finite = [](const Tensor& x) { return heed::all_finite(x); };
  return finite(total.dense) && finite(total.rows) &&
         std::all_of(outers_.begin(), outers_.end(),
                     [&](const Outer& o) { return finite(o.dy) && finite(o.x); }) &&
         std::all_of(lookups_.begin(), lookups_.end(),
                     [&](const Lookup& l) { return finite(l.rows); });
}

void GradientBuffer::settle() {
  settle_outers();
  settle_lookups();
}

void GradientBuffer::settle_outers() {
  std::map<std::pair<int64_t, int64_t>, std::vector<Outer>> by_columns;
  for (Outer& outer : outers_) {
    by_columns[{outer.first_col, outer.x.shape().back()}].push_back(std::move(outer));
  }
  outers_.clear();
  outer_rows_ = 0;
  for (auto& [columns, group] : by_columns) {
    const Tensor dy = stack_rows(group, &Outer::dy), x = stack_rows(group, &Outer::x);
    group.clear();
    const auto& [first, count] = columns;
    if (count == shape.back()) {
      gemm(destination(), dy.t(), x);
    } else {
      gemm(Matrix(sum()).columns(first, count), dy.t(), x, Write::add);
    }
  }
}

void GradientBuffer::settle_lookups() {
  if (lookups_.empty() && !(total.rows.defined() && total.dense.defined())) return;
  const bool keep_sparse = sparse_rows && !total.dense.defined();
  if (total.rows.defined()) lookups_.push_back({std::move(total.ids), std::move(total.rows)});
  total.ids = total.rows = Tensor();
  std::vector<int32_t> ids;
  for (const Lookup& lookup : lookups_) {
    const std::vector<int32_t> more = lookup.ids.to_ints();
    ids.insert(ids.end(), more.begin(), more.end());
  }
  const Tensor rows = stack_rows(lookups_, &Lookup::rows);
  lookups_.clear();
  const RowGroups groups(ids, device);
  if (!keep_sparse) return groups.add(sum(), rows);
  total.ids = groups.ids();
  total.rows = groups.sums(rows);
}

void check_devices(const char* op, const Tensor& a, const Tensor& b) {
  check_shape(a.defined() && b.defined(), op, ": an input is undefined; it never got a value");
  if (a.device() == b.device()) return;
  throw DeviceError(
      text(op, ": tensors on ", a.device(), " and ", b.device(), "; move one with to()"));
}

void check_defined(const char* op, const Var& x) {
  check_shape(x.defined(), op, ": an input is undefined; it never got a value");
}

void check_float(const char* op, const Var& x) {
  check_defined(op, x);
  check_shape(x.dtype() != DType::i32, op, ": element type i32: expected f32 or f64");
}

int check_axis(const char* op, const Var& x, int axis) {
  check_defined(op, x);
  const int a = x.shape().normalize(axis, op);
  check_shape(x.shape()[a] > 0, op, ": no elements along axis ", axis, " of ", x.shape());
  return a;
}

void check_types(const char* op, const Var& a, const Var& b) {
  check_float(op, a);
  check_float(op, b);
  check_types(op, a.value(), b.value());
}

void check_types(const char* op, const Tensor& a, const Tensor& b) {
  check_devices(op, a, b);
  check_shape(a.dtype() == b.dtype(), op, ": element types differ, ", name_of(a.dtype()), " and ",
              name_of(b.dtype()));
}

void check_places(const char* op, int64_t n) {
  check_shape(n <= INT32_MAX, op, ": ", n, " elements along the axis, more than an i32 can number");
}

const Edge& Grads::input(int i) const {
  if (i >= 0 && i < std::ssize(node_.inputs)) return node_.inputs[i];
  throw UsageError(
      text(node_.op, ": its gradient gives dx[", i, "] of ", node_.inputs.size(), " inputs"));
}

GradientBuffer& Grads::wanted(int i) const {
  if (needs(i)) return input(i).grad();
  throw UsageError(text(node_.op, ": its gradient gives dx[", i,
                        "], which nobody needs; ask needs(", i, ") first"));
}

Destination Grads::to(int i) const {
  return needs(i) ? input(i).grad().destination() : Destination{};
}

void Grads::add(int i, Tensor dx) const {
  if (!needs(i)) return;
  GradientBuffer& grad = input(i).grad();
  check_shape(dx.shape() == grad.shape && dx.dtype() == grad.dtype, node_.op, ": a gradient ",
              name_of(dx.dtype()), " ", dx.shape(), " for the input ", name_of(grad.dtype), " ",
              grad.shape);
  grad.add(std::move(dx));
}

void Grads::add_outer(int i, Tensor dy, Tensor x, int64_t first_col) const {
  if (needs(i)) input(i).grad().add_outer(std::move(dy), std::move(x), first_col);
}

void Grads::add_rows(int i, Tensor ids, Tensor rows) const {
  if (needs(i)) input(i).grad().add_rows(std::move(ids), std::move(rows));
}

const Tensor& Saved::get() const {
  if (tensor_.version() == version_) return tensor_;
  throw UsageError(text("backward: the gradient of ", running_op, " needs a value ",
                        tensor_.shape(),
                        " that was changed after the forward pass, as by an optimiser's step; call "
                        "backward() first"));
}

}  // namespace heed
