#include <algorithm>
#include <sstream>

#include "autograd/node.h"
#include "base/json.h"
#include "base/list.h"

namespace heed {
namespace {

// "(2, 3)", or of several outputs "(2, 3), (3)"
std::string shapes_of(const Node& node) {
  return joined(node.outputs, ", ",
                [](const GradientBuffer& output) { return output.shape.str(); });
}

}  // namespace

std::string graph_text(const Var& root) {
  std::ostringstream out;
  std::vector<std::shared_ptr<Node>> nodes = reachable(root.node());
  std::reverse(nodes.begin(), nodes.end());
  for (const auto& node : nodes) {
    out << '%' << node->number << " = " << node->op << ' ' << name_of(node->outputs[0].dtype) << ' '
        << shapes_of(*node);
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const Edge& input = node->inputs[i];
      out << (i ? ", " : "  <- ");
      if (input) {
        out << '%' << input.node->number;
        if (input.output) out << '.' << input.output;
      } else {
        out << "constant";
      }
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
    out << "  n" << node->number << " [label=" << json_string(node->op + "\n" + shapes_of(*node))
        << (node->backward ? "" : ", style=rounded") << "];\n";
    for (const Edge& input : node->inputs) {
      if (input) out << "  n" << input.node->number << " -> n" << node->number << ";\n";
    }
  }
  out << "}\n";
  return out.str();
}

}  // namespace heed
