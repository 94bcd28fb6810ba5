// Examples for probes, of which it is known what can be told.
#pragma once

#include <string>
#include <vector>

#include "dialog/probe/probe.h"
#include "tensor/random.h"

namespace heed::probe {

// Two dimensions of noise and one that holds a planted label.
inline Part part_of(int64_t n, uint64_t seed) {
  Rng rng(seed, "test.part");
  std::vector<double> values;
  Part part;
  for (int64_t i = 0; i < n; ++i) {
    const double told = 4 * rng.uniform() - 2;
    values.insert(values.end(), {told, rng.uniform(), 1000 * rng.uniform()});
    part.examples.ids.push_back(std::to_string(seed) + "." + std::to_string(i));
    part.examples.tasks["Planted"].push_back({told > 0.5 ? "high" : "low"});
    part.examples.tasks["Random"].push_back({rng.below(10) < 7 ? "often" : "seldom"});
    part.examples.tasks["None"].push_back({});
    part.examples.tasks["Sets"].push_back(told > 0 ? std::vector<std::string>{"a", "b"}
                                                   : std::vector<std::string>{"b"});
  }
  part.examples.keys = part.examples.ids;
  part.x = Tensor::from(values, {n, 3});
  return part;
}

}  // namespace heed::probe
