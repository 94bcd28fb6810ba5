// What experiments/measure/ finds, as the results of heed show it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "dialog/people/screening.h"
#include "experiments/engine/report/estimate_json.h"
#include "experiments/measure/negatives.h"
#include "experiments/measure/ranked_sets.h"
#include "experiments/measure/rankings.h"
#include "experiments/measure/real_or_fake.h"
#include "experiments/measure/tested_part.h"
#include "experiments/measure/tie_rounds.h"

namespace heed {

nlohmann::ordered_json to_json(const std::vector<Ranking>& rankings);
// A key for each test set.
nlohmann::ordered_json to_json(const std::vector<RankedSetRow>& rows);
// Without its name and what all thresholds share.
nlohmann::ordered_json to_json(const NegativesRow& row);
// "counts", "accuracy", "real" and "fake", each metric with its interval.
nlohmann::ordered_json to_json(const JudgedRow& row);
// {"pi": {"value", "low", "high"}, "observed", "expected", "items", "left_out"}.
nlohmann::ordered_json to_json(const Agreement& agreement);
nlohmann::ordered_json to_json(const RealOrFake& judged);
nlohmann::ordered_json to_json(const TieRound& round);
nlohmann::ordered_json to_json(const people::Screened& screened);
nlohmann::ordered_json to_json(const TestNumbers& numbers);

// What became no passage, and which responses of a file stand in no passage's place.
nlohmann::ordered_json left_out_json(const discriminate::Part& part);
// A line of a file of predictions, of item i.
nlohmann::ordered_json prediction_json(const TestedPart& tested, size_t i,
                                       discriminate::Reads reads);
// looks_json() (experiments/measure/looks_json.h) in a few lines for people.
std::string analysis_text(const nlohmann::ordered_json& analysis);

}  // namespace heed
