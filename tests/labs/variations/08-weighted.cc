#include <cmath>

#include "labs/08-where-it-looks/variation.h"

namespace heed::lab {

bool quantile_ratio(double*, const double*, const bool*, int64_t) {
  return false;
}

bool weighted_ratio(double* ratio, const double* scores, const bool* is_distraction, int64_t q) {
  double sums[2] = {}, totals[2] = {};
  for (int64_t k = 0; k < q - 1; ++k) {
    const double weight = std::pow(is_distraction[k] ? @r : @s, static_cast<double>(q - 2 - k));
    sums[is_distraction[k]] += weight * scores[k];
    totals[is_distraction[k]] += weight;
  }
  if (totals[0] == 0 || totals[1] == 0) return false;
  *ratio = sums[1] / totals[1] / (sums[0] / totals[0]);
  return true;
}

}  // namespace heed::lab
