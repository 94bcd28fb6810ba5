#include "train/gradient_sum.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "autograd/node.h"
#include "tensor/bytes.h"

namespace heed {
namespace {

using Node = GradientTree::Node;

// A parameter as rows (n, width); a number is one row of one.
struct Rows {
  int64_t count, width;
  explicit Rows(const Shape& shape)
      : count(shape.rank() > 0 ? shape[0] : 1), width(count > 0 ? shape.numel() / count : 0) {}
  Shape shape() const { return {count, width}; }
  // Which of them a rank adds up: [begin, the begin of the next).
  int64_t begin(int rank, int ranks) const { return count * rank / ranks; }
  int64_t of_rank(int rank, int ranks) const { return begin(rank + 1, ranks) - begin(rank, ranks); }
};

GradientBuffer& buffer_of(const Var& parameter) {
  return parameter.node()->outputs[static_cast<size_t>(parameter.output())];
}

// a + b, for gradients of what has this form.
Gradient sum(const GradientBuffer& form, Gradient a, Gradient b) {
  const auto adds_nothing = [](const Gradient& g) {
    return !g.defined() || (g.sparse() && g.ids.numel() == 0);
  };
  if (adds_nothing(a)) return b.defined() ? b : a;
  if (adds_nothing(b)) return a;
  GradientBuffer both = form;
  both.sparse_rows = true;  // the rows of both, unless one is dense
  both.total = std::move(a);
  if (b.sparse()) {
    both.add_rows(std::move(b.ids), std::move(b.rows));
  } else {
    both.add(std::move(b.dense));
  }
  both.settle();
  return std::move(both.total);
}

GradientTree tree_of(std::vector<GradientBuffer> forms) {
  return GradientTree([forms = std::move(forms)](Gradients a, Gradients b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] = sum(forms[i], std::move(a[i]), std::move(b[i]));
    return a;
  });
}

// The rows of a gradient that a rank adds up, in the memory of the gradient if that is the host's;
// ids are counted from the first of them.
Gradient rows_of(const Gradient& g, const Rows& all, int rank, int ranks) {
  const int64_t begin = all.begin(rank, ranks), end = all.begin(rank + 1, ranks);
  if (!g.defined() || begin == end) return {};
  if (!g.sparse()) return {g.dense.to(Device{}).reshape(all.shape()).rows(begin, end), {}, {}};
  std::vector<int32_t> ids = g.ids.to_ints();  // ascending
  const auto first = std::lower_bound(ids.begin(), ids.end(), begin),
             last = std::lower_bound(first, ids.end(), end);
  const Tensor rows = g.rows.to(Device{}).rows(first - ids.begin(), last - ids.begin());
  for (auto id = first; id != last; ++id) *id -= static_cast<int32_t>(begin);
  return {{}, Tensor::from(std::vector<int32_t>(first, last)), rows};
}

// ---- gradients as bytes -------------------------------------------------------------------------

enum class Kind : uint8_t { kNone, kDense, kSparse };

void put_tensor(BytesOut& out, const Tensor& x) {
  out.append(x.raw(), static_cast<size_t>(x.bytes()));
}

Tensor get_tensor(BytesIn& in, const Shape& shape, DType dtype) {
  Tensor x = Tensor::empty(shape, dtype);
  in.copy(x.raw(), static_cast<size_t>(x.bytes()));
  return x;
}

void put_gradient(BytesOut& out, const Gradient& g) {
  if (!g.defined()) return out.put(Kind::kNone);
  if (!g.sparse()) {
    out.put(Kind::kDense);
    return put_tensor(out, g.dense);
  }
  out.put(Kind::kSparse);
  out.put_list(g.ids.to_ints());
  put_tensor(out, g.rows);
}

Gradient get_gradient(BytesIn& in, const Rows& all, int64_t count, DType dtype) {
  const Kind kind = in.get<Kind>();
  if (kind == Kind::kNone) return {};
  if (kind == Kind::kDense) return {get_tensor(in, {count, all.width}, dtype), {}, {}};
  const std::vector<int32_t> ids = in.get_list<int32_t>();
  return {{}, Tensor::from(ids), get_tensor(in, {std::ssize(ids), all.width}, dtype)};
}

// What this rank has summed, of the rows that one of the ranks adds up.
std::vector<Node> nodes_for(int rank, int ranks, const std::vector<NamedParameter>& parameters,
                            const std::vector<Node>& own) {
  std::vector<Node> nodes;
  for (const Node& node : own) {
    Gradients& parts = nodes.emplace_back(Node{node.level, node.index, {}}).value;
    for (size_t i = 0; i < parameters.size(); ++i) {
      parts.push_back(rows_of(node.value[i], Rows(parameters[i].var.shape()), rank, ranks));
    }
  }
  return nodes;
}

BytesOut bytes_of(const std::vector<Node>& nodes) {
  size_t size = 0;
  for (const Node& node : nodes) {
    size += sizeof node.level + sizeof node.index;
    for (const Gradient& g : node.value) {
      size += sizeof(Kind) + sizeof(size_t);
      for (const Tensor* x : {&g.dense, &g.ids, &g.rows}) {
        if (x->defined()) size += static_cast<size_t>(x->bytes());
      }
    }
  }
  BytesOut out;
  out.reserve(size);
  for (const Node& node : nodes) {
    out.put(node.level);
    out.put(node.index);
    for (const Gradient& g : node.value) put_gradient(out, g);
  }
  return out;
}

// Nodes of the rows that `rank` adds up.
std::vector<Node> nodes_in(const Bytes& block, int rank, int ranks,
                           const std::vector<NamedParameter>& parameters) {
  std::vector<Node> nodes;
  for (BytesIn in(block.view()); !in.done();) {
    const int level = in.get<int>();
    Gradients& parts = nodes.emplace_back(Node{level, in.get<int64_t>(), {}}).value;
    for (const NamedParameter& p : parameters) {
      const Rows rows(p.var.shape());
      parts.push_back(get_gradient(in, rows, rows.of_rank(rank, ranks), p.var.dtype()));
    }
  }
  return nodes;
}

// The sum of the rows that this rank adds up.
std::vector<Node> add_up(const std::vector<NamedParameter>& parameters,
                         const std::vector<Node>& own, Ranks& ranks) {
  const int me = ranks.rank(), size = ranks.size();
  std::vector<BytesOut> messages;
  for (int r = 0; r < size; ++r) {
    messages.push_back(r == me ? BytesOut() : bytes_of(nodes_for(r, size, parameters, own)));
  }
  std::vector<std::string_view> blocks;
  for (const BytesOut& message : messages) blocks.push_back(message.bytes());
  const std::vector<Bytes> got = ranks.exchange(blocks);
  std::vector<GradientBuffer> forms;
  for (const NamedParameter& p : parameters) {
    const Rows rows(p.var.shape());
    GradientBuffer& form = forms.emplace_back(Tensor());
    form.shape = {rows.of_rank(me, size), rows.width};
    form.dtype = p.var.dtype();
  }
  GradientTree tree = tree_of(forms);
  for (int r = 0; r < size; ++r) {
    for (Node& node : r == me ? nodes_for(me, size, parameters, own)
                              : nodes_in(got[static_cast<size_t>(r)], me, size, parameters)) {
      tree.add(std::move(node));
    }
  }
  check_internal(tree.nodes().size() == 1, "the ranks have the gradients of all pieces");
  return std::move(tree.nodes());
}

// The gradient of a parameter from the parts of it that the ranks have added up.
Gradient assemble(const Var& parameter, const std::vector<Gradient>& parts) {
  const Rows rows(parameter.shape());
  const int ranks = static_cast<int>(parts.size());
  const auto found =
      std::find_if(parts.begin(), parts.end(), [](const Gradient& g) { return g.defined(); });
  if (found == parts.end()) return {};
  std::vector<int32_t> ids;
  for (int r = 0; r < ranks; ++r) {
    const Gradient& part = parts[static_cast<size_t>(r)];
    if (!part.sparse()) continue;
    for (const int32_t id : part.ids.to_ints()) {
      ids.push_back(id + static_cast<int32_t>(rows.begin(r, ranks)));
    }
  }
  const bool sparse = found->sparse();
  const int64_t count = sparse ? std::ssize(ids) : rows.count;
  const Tensor all = Tensor::empty({count, rows.width}, parameter.dtype());
  std::byte* to = all.raw();
  for (const Gradient& part : parts) {
    if (!part.defined()) continue;
    const Tensor& x = sparse ? part.rows : part.dense;
    to = std::copy_n(x.raw(), x.bytes(), to);
  }
  const Device device = parameter.device();
  if (!sparse) return {all.reshape(parameter.shape()).to(device), {}, {}};
  return {{}, Tensor::from(ids, device), all.to(device)};
}

}  // namespace

Gradients take_gradients(const std::vector<NamedParameter>& parameters) {
  Gradients all;
  for (const NamedParameter& p : parameters) {
    all.push_back(p.var.gradient());
    p.var.zero_grad();
  }
  return all;
}

void put_gradients(const std::vector<NamedParameter>& parameters, Gradients gradients) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Var& p = parameters[i].var;
    p.zero_grad();
    if (gradients[i].defined()) buffer_of(p).total = std::move(gradients[i]);
  }
}

GradientTree gradient_tree(const std::vector<NamedParameter>& parameters) {
  std::vector<GradientBuffer> forms;
  for (const NamedParameter& p : parameters) forms.emplace_back(p.var.value());
  return tree_of(std::move(forms));
}

Gradients sum_over_ranks(const std::vector<NamedParameter>& parameters, GradientTree& own,
                         Ranks& ranks) {
  const int me = ranks.rank(), size = ranks.size();
  std::vector<std::vector<GradientTree::Node>> sums(static_cast<size_t>(size));
  sums[static_cast<size_t>(me)] = add_up(parameters, own.nodes(), ranks);
  own.nodes().clear();
  const BytesOut message = bytes_of(sums[static_cast<size_t>(me)]);
  std::vector<std::string_view> blocks(sums.size(), message.bytes());
  blocks[static_cast<size_t>(me)] = {};
  const std::vector<Bytes> got = ranks.exchange(blocks);
  for (int r = 0; r < size; ++r) {
    const auto of_rank = static_cast<size_t>(r);
    if (r != me) sums[of_rank] = nodes_in(got[of_rank], r, size, parameters);
  }
  Gradients result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<Gradient> parts;
    for (const std::vector<GradientTree::Node>& sum : sums) parts.push_back(sum[0].value[i]);
    result.push_back(assemble(parameters[i].var, parts));
  }
  return result;
}

}  // namespace heed
