#include "experiments/engine/stats/agreement.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace heed {
namespace {

double pi_of(double observed, double expected) {
  return expected >= 1 ? NAN : (observed - expected) / (1 - expected);
}

// P_i of an item, and the n_ij and n_i of all categories, as quotients over items: first that of
// the mean P_i, then those of the p_j.
std::vector<Quotient> quotients_of(const RatingCounts& ratings) {
  std::vector<Quotient> quotients(1 + ratings[0].size());
  for (const std::vector<int64_t>& item : ratings) {
    const int64_t n = std::accumulate(item.begin(), item.end(), int64_t{0});
    int64_t pairs = -n;  // of raters that agree, each counted twice
    for (const int64_t n_j : item) pairs += n_j * n_j;
    quotients[0].top.push_back(static_cast<double>(pairs) / static_cast<double>(n * (n - 1)));
    quotients[0].bottom.push_back(1);
    for (size_t j = 0; j < item.size(); ++j) {
      quotients[1 + j].top.push_back(static_cast<double>(item[j]));
      quotients[1 + j].bottom.push_back(static_cast<double>(n));
    }
  }
  return quotients;
}

void check(const RatingCounts& ratings) {
  for (const std::vector<int64_t>& item : ratings) {
    if (item.size() != ratings[0].size()) {
      throw UsageError("fleiss_pi: items with different numbers of categories");
    }
    if (std::any_of(item.begin(), item.end(), [](int64_t n) { return n < 0; })) {
      throw UsageError("fleiss_pi: a count is negative");
    }
  }
}

}  // namespace

Agreement fleiss_pi(const RatingCounts& ratings, uint64_t seed) {
  check(ratings);
  RatingCounts used;
  std::copy_if(ratings.begin(), ratings.end(), std::back_inserter(used), [](const auto& item) {
    return std::accumulate(item.begin(), item.end(), int64_t{0}) >= 2;
  });
  Agreement result;
  result.items = static_cast<int64_t>(used.size());
  result.left_out = static_cast<int64_t>(ratings.size()) - result.items;
  if (used.empty()) return result;

  const std::vector<Resampled> parts = bootstrap(quotients_of(used), seed);
  const auto expected_of = [&](auto value) {
    double sum = 0;
    for (size_t j = 1; j < parts.size(); ++j) sum += value(parts[j]) * value(parts[j]);
    return sum;
  };
  result.observed = parts[0].value;
  result.expected = expected_of([](const Resampled& p) { return p.value; });
  Resampled pi = parts[0];
  pi.value = pi_of(result.observed, result.expected);
  for (size_t b = 0; b < pi.draws.size(); ++b) {
    pi.draws[b] = pi_of(pi.draws[b], expected_of([b](const Resampled& p) { return p.draws[b]; }));
  }
  result.pi = estimate(pi);
  return result;
}

}  // namespace heed
