// The beginning of the files of all experiments.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "experiments/engine/runs/plan.h"

namespace heed {

// {"version": ..., "commit": ...}
nlohmann::ordered_json program_json(const MadeWith& made_with);

// The beginning of evaluation.json: the program, the run, its variant.
nlohmann::ordered_json evaluation_head(const PlannedRun& run, const nlohmann::ordered_json& variant,
                                       const MadeWith& made_with);
// Adds its training: the best epoch is that of the best `metric`, a column of the log, and the last
// one where the log has none. Throws DataError if there is no epoch.
void add_training(nlohmann::ordered_json& json, const std::string& directory,
                  const std::string& metric);

// Six digits, for numbers of single dialogues, which are many and are only averaged or plotted;
// null for a missing number.
nlohmann::ordered_json rounded(std::optional<double> value);
// The element for a name of Numbers: "own.bleu_2" is json["own"]["bleu_2"].
nlohmann::ordered_json& at(nlohmann::ordered_json& json, const std::string& name);
// Writes the mean of the items under `name`, null if there is none, and the items, some of which
// may be null, under NAME_items.
void put_mean(nlohmann::ordered_json& json, const std::string& name, nlohmann::ordered_json items);

}  // namespace heed
