#include <algorithm>
#include <vector>

#include "labs/08-where-it-looks/variation.h"

namespace heed::lab {

bool weighted_ratio(double*, const double*, const bool*, int64_t) {
  return false;
}

static double quantile(std::vector<double> x, double u) {
  std::sort(x.begin(), x.end());
  const double t = u * static_cast<double>(x.size() - 1);
  const auto i = static_cast<int64_t>(t);
  return i + 1 < std::ssize(x) ? x[i] + (t - static_cast<double>(i)) * (x[i + 1] - x[i]) : x[i];
}

bool quantile_ratio(double* ratio, const double* scores, const bool* is_distraction, int64_t q) {
  std::vector<double> a, b;
  for (int64_t k = 0; k < q - 1; ++k) (is_distraction[k] ? a : b).push_back(scores[k]);
  if (a.empty() || b.empty()) return false;
  *ratio = quantile(a, @u) / quantile(b, @v);
  return true;
}

}  // namespace heed::lab
