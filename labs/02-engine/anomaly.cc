// Stands for autograd/anomaly.cc in this lab's program: it notes who was asked and looks at no
// numbers, as the library's adds up squares, which lab 6 takes out.
#include "autograd/anomaly.h"

#include "labs/02-engine/graphs.h"

namespace heed {
namespace {

bool alive = false;

}  // namespace

namespace lab {

std::vector<const Node*>& asked_about() {
  static std::vector<const Node*> nodes;
  return nodes;
}

std::vector<const Node*>& nodes_run() {
  static std::vector<const Node*> nodes;
  return nodes;
}

}  // namespace lab

DetectAnomaly::DetectAnomaly(bool on) : active_(alive, on) {}
bool DetectAnomaly::active() {
  return alive;
}

bool all_finite(const Tensor&) {
  return true;
}
void check_forward(const char*, const Tensor&, const std::vector<Var>&) {}
void check_settled(const Node& node) {
  lab::nodes_run().push_back(&node);
}
void check_backward(const Node& node) {
  lab::asked_about().push_back(&node);
}
void check_unchanged(const Tensor&, uint32_t) {}

}  // namespace heed
