#include "autograd/node.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "autograd/anomaly.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/gather.h"
#include "tensor/kernels/gemm.h"

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
  int64_t at = 0;
  for (const auto& item : items) {
    const int64_t count = (item.*member).shape()[0];
    all.rows(at, at + count).copy_from(item.*member);
    at += count;
  }
  return all;
}

}  // namespace

Node::Node(const char* op, const Tensor& value)
    : op(op),
      number(next_number()),
      shape(value.shape()),
      dtype(value.dtype()),
      device(value.device()) {}

Node::~Node() {
  std::vector<std::shared_ptr<Node>> orphans = std::move(parents);
  while (!orphans.empty()) {
    const std::shared_ptr<Node> node = std::move(orphans.back());
    orphans.pop_back();
    if (!node || node.use_count() > 1) continue;
    orphans.insert(orphans.end(), node->parents.begin(), node->parents.end());
    node->parents.clear();
  }
}

const Tensor& GradientBuffer::dense(const Node& node) {
  if (!total.dense.defined()) {
    total.dense = Tensor::zeros(node.shape, node.dtype, node.device);
  }
  return total.dense;
}

void GradientBuffer::add(Tensor dx) {
  if (!total.dense.defined()) {
    total.dense = dx.shares_memory_uniquely() ? std::move(dx) : dx.clone();
    return;
  }
  KERNEL(dx, accumulate(total.dense.data<T>(), dx.data<T>(), T(1), dx.numel()));
}

void GradientBuffer::add_outer(const Node& node, Tensor dy, Tensor x, int64_t first_col) {
  outer_rows_ += dy.shape()[0];
  outers_.push_back({std::move(dy), std::move(x), first_col});
  if (outer_rows_ >= kManyRows) settle_outers(node);
}

bool GradientBuffer::all_finite() const {
  const auto finite = [](const Tensor& x) { return heed::all_finite(x); };
  return finite(total.dense) && finite(total.rows) &&
         std::all_of(outers_.begin(), outers_.end(),
                     [&](const Outer& o) { return finite(o.dy) && finite(o.x); }) &&
         std::all_of(lookups_.begin(), lookups_.end(),
                     [&](const Lookup& l) { return finite(l.rows); });
}

void GradientBuffer::settle(const Node& node) {
  settle_outers(node);
  settle_lookups(node);
}

void GradientBuffer::settle_outers(const Node& node) {
  std::map<std::pair<int64_t, int64_t>, std::vector<Outer>> by_columns;
  for (Outer& outer : outers_) {
    by_columns[{outer.first_col, outer.x.shape().back()}].push_back(std::move(outer));
  }
  outers_.clear(), outer_rows_ = 0;
  for (auto& [columns, group] : by_columns) {
    const Tensor dy = stack_rows(group, &Outer::dy), x = stack_rows(group, &Outer::x);
    group.clear();
    const bool whole = columns.second == node.shape.back() && !total.dense.defined();
    if (whole) total.dense = Tensor::empty(node.shape, node.dtype, node.device);
    const Tensor& dw = dense(node);
    const int64_t ld = node.shape.back();
    KERNEL(dw, gemm(dw.data<T>() + columns.first, ld, dy.data<T>(), dy.shape().back(), Trans::yes,
                    x.data<T>(), columns.second, Trans::no, dy.shape().back(), columns.second,
                    dy.shape()[0], /*accumulate=*/!whole));
  }
}

void GradientBuffer::settle_lookups(const Node& node) {
  if (lookups_.empty() && !(total.rows.defined() && total.dense.defined())) return;
  const bool keep_sparse = node.sparse_rows && !total.dense.defined();
  if (total.rows.defined()) lookups_.push_back({std::move(total.ids), std::move(total.rows)});
  total.ids = total.rows = Tensor();
  const Tensor ids = stack_rows(lookups_, &Lookup::ids), rows = stack_rows(lookups_, &Lookup::rows);
  lookups_.clear();
  const int64_t width = rows.shape().back(), count = ids.numel();
  if (!keep_sparse) {
    const Tensor& dw = dense(node);
    KERNEL(dw, scatter_add_rows(dw.data<T>(), rows.data<T>(), ids.data<int32_t>(), count, width));
    return;
  }
  // Sum the rows of equal ids: each id's place among the distinct ids, then one scatter.
  std::vector<int32_t> places = ids.to_ints(), distinct = places;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (int32_t& id : places) {
    id = static_cast<int32_t>(std::lower_bound(distinct.begin(), distinct.end(), id) -
                              distinct.begin());
  }
  const Tensor to = Tensor::from(places, node.device);
  total.ids = Tensor::from(distinct, node.device);
  total.rows = Tensor::zeros({total.ids.numel(), width}, node.dtype, node.device);
  KERNEL(rows,
         scatter_add_rows(total.rows.data<T>(), rows.data<T>(), to.data<int32_t>(), count, width));
}

void check_devices(const char* op, const Tensor& a, const Tensor& b) {
  if (a.device() == b.device()) return;
  throw DeviceError(std::string(op) + ": tensors on " + a.device().str() + " and " +
                    b.device().str() + "; move one with to()");
}

void check_defined(const char* op, const Var& x) {
  check_shape(x.defined(), std::string(op) + ": an input is undefined; it never got a value");
}

void check_types(const char* op, const Var& a, const Var& b) {
  check_defined(op, a);
  check_defined(op, b);
  check_devices(op, a.value(), b.value());
  if (a.dtype() == b.dtype()) return;
  throw ShapeError(std::string(op) + ": element types differ, " + name_of(a.dtype()) + " and " +
                   name_of(b.dtype()));
}

void Grads::add(int i, Tensor dx) const {
  if (needs(i)) parent(i).grad.add(std::move(dx));
}

void Grads::add_outer(int i, Tensor dy, Tensor x, int64_t first_col) const {
  if (needs(i)) parent(i).grad.add_outer(parent(i), std::move(dy), std::move(x), first_col);
}

void Grads::add_rows(int i, Tensor ids, Tensor rows) const {
  if (needs(i)) parent(i).grad.add_rows(std::move(ids), std::move(rows));
}

}  // namespace heed
