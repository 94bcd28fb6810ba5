#pragma once

#include <nlohmann/json.hpp>

#include "dialog/respond/das.h"

namespace heed {

// The JSON forms of results. Missing means (no distraction in the set) are null, and so is a
// perplexity that is not finite.
nlohmann::ordered_json to_json(const ScoreSummary& summary);
nlohmann::ordered_json to_json(const DialogueScore& score);

}  // namespace heed
