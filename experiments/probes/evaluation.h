// Names of what is measured of one run.
#pragma once

#include <string>

#include "experiments/probes/settings.h"

namespace heed {

// The models of a run that tables are made of. best: by the validation perplexity.
constexpr const char* kCheckpoints[] = {"untrained", "last", "best"};

// What every encoder is to be compared with: the labels that most training examples have, the words
// of the context through a random projection, and its length.
constexpr const char* kBaselines[] = {"constant", "bag-of-words", "length"};

// Names of numbers, as evaluation.json has them. F1 and all like it are in [0, 1].
//   checkpoints.best.raw.UtteranceLoc.f1
std::string score_key(const std::string& checkpoint, const std::string& reading,
                      const std::string& task, const std::string& number = "f1");
//   baselines.length.raw.UtteranceLoc
std::string baseline_key(const std::string& baseline, const std::string& reading,
                         const std::string& task);
//   by_epoch.raw.UtteranceLoc: a series, F1 untrained and after each epoch; null where no model of
//   the epoch was kept
std::string curve_key(const std::string& reading, const std::string& task);

}  // namespace heed
