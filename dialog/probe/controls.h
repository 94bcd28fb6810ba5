#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/probe/label_file.h"

namespace heed::probe {

// Labels of a control task (Hewitt & Liang 2019): every key gets one of the label sets of `task`,
// drawn by their frequencies, as a function of (seed, key). There is nothing to learn but the keys
// themselves: a probe's score on them is memory, not meaning.
LabelSets control_labels(const LabelSets& task, const std::vector<std::string>& keys,
                         uint64_t seed);

}  // namespace heed::probe
