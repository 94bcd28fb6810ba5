// Lab 2: the destructor of a node.
#include <memory>
#include <utility>

#include "labs/02-engine/graphs.h"

namespace heed::lab {
namespace {

// ---- task: destroy

// `below`, under a chain of so many nodes that nobody holds.
void let_go_of_a_chain(NodePtr below, int64_t length) {
  if_stopped(
      "A chain of half a million nodes was let go, and each destructor called the next one: the "
      "stack is too small for that. It takes a loop.");
  for (int64_t i = 0; i < length; ++i) {  // some as after a backward pass, some as before it
    below = make_node({std::move(below)});
    below->used = i % 3 == 0;
    if (i % 3 == 1) below->backward = [](const OutputGrads&, const Grads&) {};
    if (i % 3 == 2) below->outputs.emplace_back(scalar(0));
  }
}

LAB_CHECK(HalfAMillionNodes) {
  NodePtr(make_node({make_node({})})).reset();
  require_written();
  for (const int64_t length : {10, 500000}) let_go_of_a_chain(make_node({}), length);
  if_stopped(
      "A chain of half a million x * x was let go, of which each holds its input by two edges, and "
      "each destructor called the next one. Who is the last owner when the second edge comes? An "
      "edge that a destructor leaves as it is lets go of its node by recursion.");
  NodePtr top = make_node({});
  for (int64_t i = 1; i < 500000; ++i) top = make_node({top, top});
  top.reset();
  if_stopped(
      "A node with 200,000 inputs was let go: all of them wait at once. Who lets go of the first "
      "of a list before it holds the second lets go of the whole list, by recursion; who looks for "
      "the end of the list each time does not end.");
  std::vector<NodePtr> inputs(200000);
  for (NodePtr& input : inputs) input = make_node({});
  top = make_node(inputs);
  inputs.clear();
  const int64_t before = allocations;
  top.reset();
  const bool none = allocations == before;  // before the next line makes a text
  expect(none,
         "the destructor allocated memory, which may throw, and a destructor must not: those that "
         "wait can stand in a list through next_orphan_.");
  if_stopped(
      "A chain of 100,000 nodes, each of which holds two beside the next, was let go: three wait "
      "at once. One that is lost from the list is let go there and then, by recursion.");
  for (int64_t place = 0; place < 3; ++place) {
    top = make_node({});
    for (int64_t i = 0; i < 100000; ++i) {
      std::vector<NodePtr> three = {make_node({}), make_node({}), make_node({})};
      three[place] = top;
      top = make_node(three);
    }
    top.reset();
  }
}

// Lets a graph go but for one node and what is below it, then that, too: a chain, or one in which
// each node has a second edge to an older one.
bool lets_go_of_a_graph(Draw& draw, bool branches) {
  std::vector<NodePtr> nodes = {make_node({})};
  const int64_t count = draw.between(5, 12), held = draw.between(1, count - 2);
  for (int64_t i = 1; i < count; ++i) {
    std::vector<NodePtr> inputs = {nodes.back()};
    if (branches) inputs.push_back(nodes[draw.between(0, i - 1)]);
    if (i == count - 1) inputs.insert(inputs.begin(), nullptr);  // needs no gradient
    nodes.push_back(make_node(inputs));
  }
  const std::vector<std::weak_ptr<Node>> all(nodes.begin(), nodes.end());
  NodePtr mine = nodes[held];
  const size_t edges = mine->inputs.size();
  nodes.clear();
  require_written();
  bool right = mine->inputs.size() == edges;
  for (const Edge& input : mine->inputs) right = right && input;
  expect(right,
         "a node that somebody still holds lost its inputs: only the last owner of a node may take "
         "it apart. How many owners has it?");
  if (!right) return false;
  for (int64_t i = held + 1; i < count; ++i) right = right && all[i].expired();
  mine.reset();
  for (const auto& node : all) right = right && node.expired();
  expect(right,
         "a node that nobody holds any more was kept: memory leaks. Does the list of those that "
         "wait lose one, or lead back to itself?");
  return right;
}

LAB_CHECK(OthersKeepTheirNodes) {
  Draw draw;
  if_stopped("The edge of an input that needs no gradient leads to no node, and so has no owners.");
  for (const bool branches : {false, true}) {
    for (int graph = 0; graph < 4; ++graph) {
      if (!lets_go_of_a_graph(draw, branches)) return;
    }
  }
  const NodePtr mine = make_node({make_node({})});
  let_go_of_a_chain(mine, 500000);
  expect(mine->inputs.size() == 1, "a node that somebody still holds lost its inputs.");
}

}  // namespace
}  // namespace heed::lab
