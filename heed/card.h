#pragma once

#include <string>

namespace heed {

// A model card in Markdown, of a run or a model: sizes, the data with its fingerprint, how it was
// trained and with which command, numbers, limits, and gaps for what only its maker knows.
std::string model_card(const std::string& directory);

}  // namespace heed
