#include "train/gradient_sum.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "autograd/node.h"
#include "tensor/bytes.h"

namespace heed {
namespace {

using TreeNode = GradientTree::Node;

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

// The same in another memory. Ids stay on the host, where they are looked at.
Gradient in_memory(const Gradient& g, Device memory) {
  if (g.sparse()) return {{}, g.ids, g.rows.to(memory)};
  return {g.defined() ? g.dense.to(memory) : Tensor(), {}, {}};
}

// The rows of a gradient that a rank adds up, in the memory of the gradient; ids are counted from
// the first of them.
Gradient rows_of(const Gradient& g, const Rows& all, int rank, int ranks) {
  const int64_t begin = all.begin(rank, ranks), end = all.begin(rank + 1, ranks);
  if (!g.defined() || begin == end) return {};
  if (!g.sparse()) return {g.dense.reshape(all.shape()).rows(begin, end), {}, {}};
  std::vector<int32_t> ids = g.ids.to_ints();  // ascending
  const auto first = std::lower_bound(ids.begin(), ids.end(), begin),
             last = std::lower_bound(first, ids.end(), end);
  const Tensor rows = g.rows.rows(first - ids.begin(), last - ids.begin());
  for (auto id = first; id != last; ++id) *id -= static_cast<int32_t>(begin);
  return {{}, Tensor::from(std::vector<int32_t>(first, last)), rows};
}

// ---- gradients as what a carrier takes ----------------------------------------------------------

enum class Kind : uint8_t { kNone, kDense, kSparse };

void put_form(BytesOut& head, const Gradient& g) {
  head.put(!g.defined() ? Kind::kNone : g.sparse() ? Kind::kSparse : Kind::kDense);
  if (g.sparse()) head.put_list(g.ids.to_ints());
}

// A gradient of `count` rows whose numbers are still to come.
Gradient form_in(BytesIn& head, int64_t count, int64_t width, DType dtype, Device memory) {
  const Kind kind = head.get<Kind>();
  if (kind == Kind::kNone) return {};
  if (kind == Kind::kDense) return {Tensor::empty({count, width}, dtype, memory), {}, {}};
  const std::vector<int32_t> ids = head.get_list<int32_t>();
  return {{}, Tensor::from(ids), Tensor::empty({std::ssize(ids), width}, dtype, memory)};
}

// What this rank has summed, of the rows that one of the ranks adds up.
std::vector<TreeNode> nodes_for(int rank, int ranks, const std::vector<NamedParameter>& parameters,
                                const std::vector<TreeNode>& own) {
  std::vector<TreeNode> nodes;
  for (const TreeNode& node : own) {
    Gradients& parts = nodes.emplace_back(TreeNode{node.level, node.index, {}}).value;
    for (size_t i = 0; i < parameters.size(); ++i) {
      parts.push_back(rows_of(node.value[i], Rows(parameters[i].var.shape()), rank, ranks));
    }
  }
  return nodes;
}

// All numbers of the nodes, in one order.
std::vector<Tensor> tensors_of(const std::vector<TreeNode>& nodes) {
  std::vector<Tensor> tensors;
  for (const TreeNode& node : nodes) {
    for (const Gradient& g : node.value) {
      if (g.defined()) tensors.push_back(g.sparse() ? g.rows : g.dense);
    }
  }
  return tensors;
}

Carrier::Block block_of(const std::vector<TreeNode>& nodes) {
  Carrier::Block block{.tensors = tensors_of(nodes)};
  for (const TreeNode& node : nodes) {
    block.head(node.level, node.index);
    for (const Gradient& g : node.value) put_form(block.head, g);
  }
  return block;
}

// Nodes of the rows that `rank` adds up, whose numbers are still to come.
std::vector<TreeNode> nodes_in(std::string_view head, int rank, const Carrier& carrier,
                               const std::vector<NamedParameter>& parameters) {
  std::vector<TreeNode> nodes;
  for (BytesIn in(head); !in.done();) {
    const int level = in.get<int>();
    Gradients& parts = nodes.emplace_back(TreeNode{level, in.get<int64_t>(), {}}).value;
    for (const NamedParameter& p : parameters) {
      const Rows rows(p.var.shape());
      parts.push_back(form_in(in, rows.of_rank(rank, carrier.ranks().size()), rows.width,
                              p.var.dtype(), carrier.memory()));
    }
  }
  return nodes;
}

// What a carrier's exchange() brings from each rank: of the rows that `of_rank(r)` adds up.
template <class OfRank>
std::vector<std::vector<TreeNode>> exchange(const std::vector<const Carrier::Block*>& blocks,
                                            Carrier& carrier,
                                            const std::vector<NamedParameter>& parameters,
                                            const OfRank& of_rank) {
  std::vector<std::vector<TreeNode>> nodes(blocks.size());
  carrier.exchange(blocks, [&](int rank, std::string_view head) {
    std::vector<TreeNode>& got = nodes[static_cast<size_t>(rank)];
    got = nodes_in(head, of_rank(rank), carrier, parameters);
    return tensors_of(got);
  });
  return nodes;
}

// The sum of the rows that this rank adds up.
std::vector<TreeNode> add_up(const std::vector<NamedParameter>& parameters,
                             const std::vector<TreeNode>& own, Carrier& carrier) {
  const int me = carrier.ranks().rank(), size = carrier.ranks().size();
  std::vector<Carrier::Block> messages;
  for (int r = 0; r < size; ++r) {
    messages.push_back(r == me ? Carrier::Block() : block_of(nodes_for(r, size, parameters, own)));
  }
  std::vector<const Carrier::Block*> blocks;
  for (const Carrier::Block& message : messages) blocks.push_back(&message);
  auto nodes = exchange(blocks, carrier, parameters, [&](int) { return me; });
  nodes[static_cast<size_t>(me)] = nodes_for(me, size, parameters, own);
  std::vector<GradientBuffer> forms;
  for (const NamedParameter& p : parameters) {
    const Rows rows(p.var.shape());
    GradientBuffer& form = forms.emplace_back(Tensor());
    form.shape = {rows.of_rank(me, size), rows.width};
    form.dtype = p.var.dtype();
    form.device = carrier.memory();
  }
  GradientTree tree = tree_of(forms);
  for (std::vector<TreeNode>& of_rank : nodes) {
    for (TreeNode& node : of_rank) tree.add(std::move(node));
  }
  std::vector<TreeNode> whole = std::move(tree.nodes());
  check_internal(whole.size() == 1, "the ranks have the gradients of all pieces");
  return whole;
}

// The gradient of a parameter from the parts of it that the ranks have added up.
Gradient assemble(const Var& parameter, const std::vector<Gradient>& parts, Device memory) {
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
  const Tensor all = Tensor::empty({count, rows.width}, parameter.dtype(), memory);
  int64_t done = 0;
  for (const Gradient& part : parts) {
    if (!part.defined()) continue;
    const Tensor& x = sparse ? part.rows : part.dense;
    const int64_t end = done + x.shape()[0];
    all.rows(std::exchange(done, end), end).copy_from(x);
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
                         Carrier& carrier) {
  const auto me = static_cast<size_t>(carrier.ranks().rank()),
             size = static_cast<size_t>(carrier.ranks().size());
  for (TreeNode& node : own.nodes()) {
    for (Gradient& g : node.value) g = in_memory(g, carrier.memory());
  }
  std::vector<TreeNode> sum = add_up(parameters, own.nodes(), carrier);
  own.nodes().clear();
  const Carrier::Block message = block_of(sum);
  auto sums = exchange(std::vector<const Carrier::Block*>(size, &message), carrier, parameters,
                       [](int rank) { return rank; });
  sums[me] = std::move(sum);
  Gradients result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<Gradient> parts;
    for (const std::vector<TreeNode>& of_rank : sums) parts.push_back(of_rank[0].value[i]);
    result.push_back(assemble(parameters[i].var, parts, carrier.memory()));
  }
  return result;
}

}  // namespace heed
