// What the files of all experiments begin with.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "experiments/engine/runs/plan.h"

namespace heed {

// {"version": ..., "commit": ...}
nlohmann::ordered_json program_json(const MadeWith& made_with);

// The beginning of evaluation.json: who made it, the run, what its variant is, and how its training
// went: the epoch with the lowest `metric`, a column of the log, is the best one. Throws DataError
// where there is no epoch.
nlohmann::ordered_json evaluation_head(const std::string& directory, const PlannedRun& run,
                                       const nlohmann::ordered_json& variant,
                                       const std::string& metric, const MadeWith& made_with);

// Six digits, for numbers of single dialogues, which are many and are only ever averaged or
// drawn; null for what is no number.
nlohmann::ordered_json rounded(std::optional<double> value);
// What stands under a name of Numbers: "own.bleu_2" is json["own"]["bleu_2"].
nlohmann::ordered_json& at(nlohmann::ordered_json& json, const std::string& name);
// The mean of the items under `name`, null where there is none, and the items, of which some may be
// null, under NAME_items.
void put_mean(nlohmann::ordered_json& json, const std::string& name, nlohmann::ordered_json items);

}  // namespace heed
