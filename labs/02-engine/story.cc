#include "labs/02-engine/story.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "autograd/node.h"
#include "labs/support/check.h"
#include "tensor/allocator.h"

namespace heed::lab {
namespace {

// What `root` depends on, by number; not by reachable(), which is what a student writes.
std::map<uint64_t, std::shared_ptr<Node>> nodes_below(const std::shared_ptr<Node>& root) {
  std::map<uint64_t, std::shared_ptr<Node>> found = {{root->number, root}};
  for (auto at = found.rbegin(); at != found.rend(); ++at) {  // inputs have smaller numbers
    for (const Edge& input : at->second->inputs) {
      if (input) found[input.node->number] = input.node;
    }
  }
  return found;
}

nlohmann::json inputs_of(const Node& node) {
  nlohmann::json inputs = nlohmann::json::array();
  for (const Edge& input : node.inputs) {
    inputs.push_back(input ? nlohmann::json(input.node->number) : nlohmann::json("constant"));
  }
  return inputs;
}

}  // namespace

Story::Story() : before_(memory_stats().bytes_in_use) {
  guards_blocks = false;
}

int64_t Story::bytes() const {
  return memory_stats().bytes_in_use - before_;
}

Var Story::operator()(const char* name, Var value) {
  if (!value.node()) return value;
  names_[value.node()->number] = name;
  steps_.push_back({true, value.node()->number, bytes(), 0});
  return value;
}

// Puts a closure around that of the node, which says when it ran.
void Story::watch(Node& node) {
  if (!node.backward) return;
  node.backward = [this, number = node.number, closure = std::move(node.backward)](
                      const OutputGrads& dy, const Grads& dx) {
    end_step();
    closure(dy, dx);
    steps_.push_back({false, number, bytes(), 0});
  };
}

void Story::end_step() {
  if (!steps_.back().forward) steps_.back().freed = steps_.back().bytes - bytes();
}

void Story::play(const char* title, const Var& loss) {
  nlohmann::json nodes = nlohmann::json::array(), steps = nlohmann::json::array();
  for (const auto& [number, node] : nodes_below(loss.node())) {
    const auto name = names_.find(number);
    nodes.push_back({{"number", number},
                     {"name", name == names_.end() ? "" : name->second},
                     {"op", node->op},
                     {"shape", node->outputs[0].shape.str()},
                     {"inputs", inputs_of(*node)}});
    watch(*node);
  }
  loss.backward();
  end_step();
  for (const Step& step : steps_) {
    steps.push_back({{"forward", step.forward},
                     {"number", step.number},
                     {"bytes", step.bytes},
                     {"freed", step.freed}});
  }
  std::cout << nlohmann::json{{"title", title}, {"nodes", nodes}, {"steps", steps}} << "\n";
}

}  // namespace heed::lab
