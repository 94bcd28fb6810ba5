// What is measured of a run besides evaluation.json: a file each, from the trained models. Folders
// of older versions lack them; the same command adds them, and tables do without.
//   attention.json    where each model looks: the DAS ratio (Xing & Gulla 2022) by test set
//   components.json   the first two principal components of the representation
//   taught.json       BLEU-2 of what the best model finds most probable behind human words
//   chosen.json       the epochs that write best, on request (ProbesSettings::choose)
#pragma once

#include <string>
#include <vector>

#include "experiments/engine/plan.h"
#include "experiments/probes/settings.h"

namespace heed {

// All files that there may be, and those that are asked for.
std::vector<std::string> addition_files();
std::vector<std::string> addition_files(const ProbesSettings& settings);

// Writes those that are asked for and that the run, which has been evaluated, lacks.
void measure_additions(const std::string& directory, const PlannedRun& run,
                       const ProbesSettings& settings, const ProbesData& data, Device device,
                       const OnMeasuring& progress);

// Names of numbers, the file's name before them.
//   attention.test_sets.random:1.0.das_ratio
std::string das_key(const std::string& test_set);
//   components.best.x: a series, of each point that is drawn; "label": of each the place of its
//   text in components.labels, which is their number for those that have none; "share": of both
//   components in the variance
std::string components_key(const std::string& checkpoint, const std::string& number);
//   chosen.best-bleu.raw.UtteranceLoc.f1
std::string chosen_key(const std::string& epoch, const std::string& number);

}  // namespace heed
