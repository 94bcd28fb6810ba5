#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/probe/label_file.h"

namespace heed::probe {

// Labels of a control task (Hewitt & Liang 2019): every key gets one of the label sets of `task`,
// drawn as often as they occur there, by (seed, key) alone. There is nothing to be learned but the
// keys themselves: what a probe scores on them is memory, not meaning.
LabelSets control_labels(const LabelSets& task, const std::vector<std::string>& keys,
                         uint64_t seed);

}  // namespace heed::probe
