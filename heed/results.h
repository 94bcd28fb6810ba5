#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "dialog/evaluate.h"

namespace heed {

// The JSON forms of results. Missing means (no distraction in the set) are null.
nlohmann::ordered_json to_json(const ScoreSummary& summary);
nlohmann::ordered_json to_json(const DialogueScore& score);

// A table for people: one line a test set.
std::string results_table(const std::vector<TestSetResult>& results);

// Writes JSON to a file, atomically, or to standard output for "-".
void write_json(const std::string& path, const nlohmann::ordered_json& json);

}  // namespace heed
