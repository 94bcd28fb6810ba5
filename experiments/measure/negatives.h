// A classifier of texts, some of which no class answers (dialog/probe/nex_cv.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/probe/nex_cv.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {

// Intervals are over classes; that of the AUC, of confidence for telling texts of a class from
// those of none, is Obuchowski's.
struct NegativesRow {
  std::string name;  // "share:0.15", "real"
  double threshold;
  int64_t tested, none;
  probe::NexScores scores;
  std::optional<Estimate> accuracy = {}, known_right = {}, none_withheld = {}, auc = {};
};

// A row for each threshold.
std::vector<NegativesRow> measure_negatives(const std::string& name, const probe::Tested& tested,
                                            const std::vector<double>& thresholds, uint64_t seed);
std::string negatives_table(const std::vector<NegativesRow>& rows, int width);

}  // namespace heed
