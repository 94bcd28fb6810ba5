// The correlation of two numbers of the same things.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/engine/stats/statistics.h"

namespace heed {

// Spearman's rank correlation of the pairs: Pearson's of their ranks from 1, where equal numbers
// share the mean of theirs. Nothing for fewer than three pairs or without any spread.
std::optional<double> rank_correlation(const std::vector<std::pair<double, double>>& pairs);

// Two numbers of one thing; things of a cluster (numbered from 0) are not independent. If there are
// several groups, numbers are taken as differences from the mean of their group.
struct ClusteredPair {
  double a = 0, b = 0;
  int cluster = 0;
  int group = 0;
};
struct Correlation {
  // pearson: sum (a - mean a) (b - mean b) / sqrt(sum (a - mean a)^2 sum (b - mean b)^2);
  // spearman: that of the ranks
  std::optional<Estimate> pearson, spearman;
  int64_t pairs = 0, clusters = 0;
};
// The intervals are those of a bootstrap of clusters (statistics.h), in which ranks and the means
// of groups are recomputed for every draw. Draws of fewer than three different clusters, or without
// spread, are left out; with fewer than three clusters there is no correlation at all.
Correlation correlate(const std::vector<ClusteredPair>& pairs, uint64_t seed = 1);

}  // namespace heed
