// What is measured of one run, and its file: evaluation.json, written last of all, so that a run
// that has one is finished.
#pragma once

#include <string>

#include "experiments/distraction/settings.h"
#include "experiments/engine/plan.h"

namespace heed {

constexpr size_t kSets = 1 + kTestSets.size();  // the original test set, then the distracting ones

// Names of the sets, as in the files: "none", "random:0.5", ...
std::string set_name(size_t set);
// "random:0.5" -> "random" and "p = 0.5"; "rare:end" -> "rare" and "end".
std::string kind_of(size_t set);
std::string place_of(size_t set);
// A number of a set, as evaluation.json has it: "test_sets.random:0.5.das_ratio".
std::string key_of(size_t set, const std::string& number);

// Evaluates the best model of a trained run. Writes responses.jsonl, with the greedy response to
// each test dialogue, and then evaluation.json.
void evaluate_run(const std::string& directory, const PlannedRun& run,
                  const ExperimentSettings& settings, const ExperimentData& data, Device device,
                  const OnMeasuring& progress);

// How the runs are trained and measured. The plan refers to the settings and the data, which must
// outlive it.
Plan distraction_plan(const std::string& out, const std::vector<PlannedRun>& runs,
                      const ExperimentSettings& settings, const ExperimentData& data);

}  // namespace heed
