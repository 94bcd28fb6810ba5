#include "dialog/probe/controls.h"

#include "tensor/random.h"

namespace heed::probe {

LabelSets control_labels(const LabelSets& task, const std::vector<std::string>& keys,
                         uint64_t seed) {
  LabelSets drawn;
  for (const std::string& key : keys) {
    Rng rng(seed, "probe.control", purpose_id(key));
    drawn.push_back(task[rng.below(task.size())]);
  }
  return drawn;
}

}  // namespace heed::probe
