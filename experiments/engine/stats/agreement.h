// The agreement beyond chance of people (or programs) that judge the same items.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/engine/stats/statistics.h"

namespace heed {

// For each item the number of raters that chose each category, n_ij; all items have the same
// categories.
using RatingCounts = std::vector<std::vector<int64_t>>;

// Fleiss' pi (Fleiss 1971, "Measuring nominal scale agreement among many raters"), called kappa
// there; with two raters per item it is Scott's pi. For N items with n_i raters:
//   p_j = sum_i n_ij / sum_i n_i
//   P_i = (sum_j n_ij^2 - n_i) / (n_i (n_i - 1)),  observed = sum_i P_i / N
//   expected = sum_j p_j^2,  pi = (observed - expected) / (1 - expected)
struct Agreement {
  std::optional<Estimate> pi;  // nothing if all chose one category: there is no chance to beat
  double observed = 0, expected = 0;
  int64_t items = 0, left_out = 0;  // left out: items with fewer than two raters
};
// The interval is that of a bootstrap over items (bootstrap()). Throws UsageError for items with
// different numbers of categories and for negative counts.
Agreement fleiss_pi(const RatingCounts& ratings, uint64_t seed = 1);

}  // namespace heed
