// The numbers of the lab's page: a graph as it is recorded, and its backward pass node by node.
#pragma once

#include <map>
#include <vector>

#include "autograd/var.h"

namespace heed::lab {

//   Story story;
//   const Var y = story("y", mul(x, w)), loss = story("loss", sum(y));
//   story.play("A product", loss);
class Story {
 public:
  Story();
  // Takes down the bytes in use after an op was recorded; returns its value.
  Var operator()(const char* name, Var value);
  // Runs backward(), takes down the bytes in use after each closure and what the engine then let
  // go, and prints it all as JSON.
  void play(const char* title, const Var& loss);

 private:
  struct Step {
    bool forward;
    uint64_t number;  // of the node
    int64_t bytes;    // in use afterwards, more than at the beginning
    int64_t freed;    // between a backward step and the next one
  };
  int64_t bytes() const;
  void watch(Node& node);
  void end_step();

  int64_t before_;
  std::map<uint64_t, const char*> names_;  // by the number of the node
  std::vector<Step> steps_;
};

}  // namespace heed::lab
