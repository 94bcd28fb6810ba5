// How sure the numbers of an experiment are, and the comparison of each variant with its baseline.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "experiments/distraction/results.h"

namespace heed {

// Resampled are conversations of the test set (experiments/engine/statistics.h); with several seeds
// a number is the mean over their models. All are in the order of all_variants() and kTestSets.
struct Inference {
  using OfSets = std::array<std::optional<Estimate>, kTestSets.size()>;

  std::vector<std::optional<Estimate>> perplexity, history_as;  // on the original test set
  std::vector<OfSets> das_ratio, as_distraction, as_history;    // on the distracting ones
  std::vector<OfSets> change;  // of the DAS ratio: minus the baseline's, see paired_runs()
  std::vector<std::array<double, kTestSets.size()>> corrected;  // its p-values, after Holm over all
  size_t comparisons = 0;                                       // of which there are so many
};
Inference infer(const Results& results);

// The runs of a variant and of its baseline (the same structure, p = 0) that have the same seed:
// only those are compared. None for the baseline itself.
using RunPair = std::pair<const RunResult*, const RunResult*>;
std::vector<RunPair> paired_runs(const Results& results, size_t variant);

}  // namespace heed
