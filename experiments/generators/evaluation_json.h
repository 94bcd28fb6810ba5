// What is measured of every run.
#pragma once

#include <nlohmann/json.hpp>

#include "experiments/generators/paper.h"

namespace heed::generators {

// The numbers of each run, which may be null, and the series that some of them are made of.
//
// Of each way to answer (own: Paper::decode; best_d, best_logp, random: of so many with noise)
// those of text_measures(), and pmi_coherence: "own.bleu_2".
constexpr const char* kWays[] = {"own", "best_d", "best_logp", "random"};
std::vector<std::string> measured_values();
// Means over the examples, whose series is called NAME_items.
std::vector<std::string> measured_items();
// Fills evaluation.json from a run that is trained.
void evaluate(const Settings& settings, const Data& data, const Variant& variant,
              const std::string& run, Device device, const OnMeasuring& progress,
              nlohmann::ordered_json& json);

}  // namespace heed::generators
