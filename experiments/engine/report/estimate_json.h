// Numbers with their intervals, in the form of results.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "experiments/engine/stats/statistics.h"

namespace heed {

// {"value", "low", "high"} of a number with its 95 % interval; null if it is not defined.
nlohmann::ordered_json to_json(const std::optional<Estimate>& estimate);
// Its interval alone, {"low", "high"}, or null.
nlohmann::ordered_json interval_json(const std::optional<Estimate>& estimate);
// "0.72 [0.69, 0.75]", "-"; for a change with its sign, "+0.02 [-0.01, +0.05]".
std::string interval_text(const std::optional<Estimate>& estimate, int digits, bool change = false);

}  // namespace heed
