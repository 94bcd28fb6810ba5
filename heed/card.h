#pragma once

#include <string>

namespace heed {

// A model card in Markdown for a run or a model: sizes, the data with its fingerprint, how and with
// which command the model was trained, numbers, limits, and blanks for facts that only its author
// knows.
std::string model_card(const std::string& directory);

}  // namespace heed
