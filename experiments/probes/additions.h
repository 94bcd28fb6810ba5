// What is measured of a run besides evaluation.json.
#pragma once

#include <string>

namespace heed {

// Names of numbers, the file's name before them.
//   attention.test_sets.random:1.0.das_ratio
std::string das_key(const std::string& test_set);
//   components.best.x: a series, of each point that is drawn; "label": of each the place of its
//   text in components.labels, which is their number for those that have none; "share": of both
//   components in the variance
std::string components_key(const std::string& checkpoint, const std::string& number);
//   chosen.best-bleu.raw.UtteranceLoc.f1, judged.best-bert.raw.UtteranceLoc.f1
std::string chosen_key(const std::string& epoch, const std::string& number);

}  // namespace heed
