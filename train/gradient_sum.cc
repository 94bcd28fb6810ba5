#include "train/gradient_sum.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "autograd/node.h"
#include "train/bytes.h"

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

// ---- rows of gradients as bytes -----------------------------------------------------------------

enum class Kind : uint8_t { kNone, kDense, kSparse };

void put_tensor(BytesOut& out, const Tensor& x) {
  out.append(x.raw(), static_cast<size_t>(x.bytes()));
}

Tensor get_tensor(BytesIn& in, const Shape& shape, DType dtype) {
  Tensor x = Tensor::empty(shape, dtype);
  in.copy(x.raw(), static_cast<size_t>(x.bytes()));
  return x;
}

// Rows [begin, end) of a gradient; ids are counted from the first of them.
void put_rows(BytesOut& out, const Gradient& g, const Rows& all, int64_t begin, int64_t end) {
  if (!g.defined() || begin == end) return out.put(Kind::kNone);
  if (!g.sparse()) {
    out.put(Kind::kDense);
    return put_tensor(out, g.dense.to(Device{}).reshape(all.shape()).rows(begin, end));
  }
  std::vector<int32_t> ids = g.ids.to_ints();  // ascending
  const auto first = std::lower_bound(ids.begin(), ids.end(), begin),
             last = std::lower_bound(first, ids.end(), end);
  out.put(Kind::kSparse);
  const Tensor rows = g.rows.to(Device{}).rows(first - ids.begin(), last - ids.begin());
  for (auto id = first; id != last; ++id) *id -= static_cast<int32_t>(begin);
  out.put_list(std::vector<int32_t>(first, last));
  put_tensor(out, rows);
}

Gradient get_rows(BytesIn& in, const Rows& all, int64_t count, DType dtype) {
  const Kind kind = in.get<Kind>();
  if (kind == Kind::kNone) return {};
  if (kind == Kind::kDense) return {get_tensor(in, {count, all.width}, dtype), {}, {}};
  const std::vector<int32_t> ids = in.get_list<int32_t>();
  return {{}, Tensor::from(ids), get_tensor(in, {std::ssize(ids), all.width}, dtype)};
}

// What this rank has summed of the rows that another one adds up.
std::string rows_for(int rank, int ranks, const std::vector<NamedParameter>& parameters,
                     const std::vector<Node>& nodes) {
  BytesOut out;
  for (const Node& node : nodes) {
    out.put(node.level);
    out.put(node.index);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Rows rows(parameters[i].var.shape());
      put_rows(out, node.value[i], rows, rows.begin(rank, ranks), rows.begin(rank + 1, ranks));
    }
  }
  return out.bytes();
}

// The nodes of all ranks, of the rows of one.
std::vector<Node> read_nodes(const std::vector<std::string>& blocks, int rank,
                             const std::vector<NamedParameter>& parameters) {
  std::vector<Node> nodes;
  for (const std::string& block : blocks) {
    BytesIn in(block);
    while (!in.done()) {
      const int level = in.get<int>();
      Node node{level, in.get<int64_t>(), {}};
      for (const NamedParameter& p : parameters) {
        const Rows rows(p.var.shape());
        const int64_t count = rows.of_rank(rank, static_cast<int>(blocks.size()));
        node.value.push_back(get_rows(in, rows, count, p.var.dtype()));
      }
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

// The sum of the rows that this rank adds up, as bytes.
std::string add_up(const std::vector<std::string>& blocks,
                   const std::vector<NamedParameter>& parameters, const Ranks& ranks) {
  std::vector<GradientBuffer> forms;
  for (const NamedParameter& p : parameters) {
    const Rows rows(p.var.shape());
    GradientBuffer& form = forms.emplace_back(Tensor());
    form.shape = {rows.of_rank(ranks.rank(), ranks.size()), rows.width};
    form.dtype = p.var.dtype();
  }
  GradientTree tree = tree_of(forms);
  for (Node& node : read_nodes(blocks, ranks.rank(), parameters)) tree.add(std::move(node));
  check_internal(tree.nodes().size() == 1, "the ranks have the gradients of all pieces");
  BytesOut out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Rows own(forms[i].shape);
    put_rows(out, tree.nodes()[0].value[i], own, 0, own.count);
  }
  return out.bytes();
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
  std::vector<std::string> blocks;
  for (int r = 0; r < ranks.size(); ++r) {
    blocks.push_back(rows_for(r, ranks.size(), parameters, own.nodes()));
  }
  own.nodes().clear();
  blocks = ranks.exchange({blocks.begin(), blocks.end()});
  blocks = ranks.gather(add_up(blocks, parameters, ranks));
  std::vector<BytesIn> sums(blocks.begin(), blocks.end());
  Gradients result;
  for (const NamedParameter& p : parameters) {
    const Rows rows(p.var.shape());
    std::vector<Gradient> parts;
    for (int r = 0; r < ranks.size(); ++r) {
      const int64_t count = rows.of_rank(r, ranks.size());
      parts.push_back(get_rows(sums[static_cast<size_t>(r)], rows, count, p.var.dtype()));
    }
    result.push_back(assemble(p.var, parts));
  }
  return result;
}

}  // namespace heed
