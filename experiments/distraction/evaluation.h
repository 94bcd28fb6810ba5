// Names of what is measured of one run.
#pragma once

#include <string>

#include "experiments/distraction/settings.h"

namespace heed {

constexpr size_t kSets = 1 + kTestSets.size();  // the original test set, then the distracting ones

// Names of the sets, as in the files: "none", "random:0.5", ...
std::string set_name(size_t set);
// "random:0.5" -> "random" and "p = 0.5"; "rare:end" -> "rare" and "end".
std::string kind_of(size_t set);
std::string place_of(size_t set);
// A number of a set, as evaluation.json has it: "test_sets.random:0.5.das_ratio".
std::string key_of(size_t set, const std::string& number);

}  // namespace heed
