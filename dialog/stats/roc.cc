#include "dialog/stats/roc.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.h"

namespace heed {

std::vector<double> areas(std::vector<double> positive, std::vector<double> negative,
                          const std::vector<double>& p) {
  check_internal(!positive.empty() && !negative.empty(), "areas: a class is empty");
  for (const auto* scores : {&positive, &negative}) {
    if (std::any_of(scores->begin(), scores->end(), [](double x) { return std::isnan(x); }))
      throw UsageError("areas: a score is not a number");
  }
  std::sort(positive.begin(), positive.end(), std::greater<>());
  std::sort(negative.begin(), negative.end(), std::greater<>());
  const auto m = static_cast<double>(positive.size()), n = static_cast<double>(negative.size());
  std::vector<double> sums(p.size());
  for (size_t i = 0, j = 0; i < positive.size() || j < negative.size();) {
    const double score = j == negative.size()   ? positive[i]
                         : i == positive.size() ? negative[j]
                                                : std::max(positive[i], negative[j]);
    const size_t i0 = i, j0 = j;
    while (i < positive.size() && positive[i] == score) ++i;
    while (j < negative.size() && negative[j] == score) ++j;
    if (j == j0) continue;  // straight up: no area
    const auto rise = static_cast<double>(i - i0), run = static_cast<double>(j - j0);
    for (size_t k = 0; k < p.size(); ++k) {
      const double width = std::clamp(p[k] * n - static_cast<double>(j0), 0.0, run);
      sums[k] += width * (static_cast<double>(i0) + rise * width / run / 2);
    }
  }
  for (size_t k = 0; k < p.size(); ++k) sums[k] /= m * n * p[k];
  return sums;
}

}  // namespace heed
