#include "experiments/engine/stats/auc.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace heed {
namespace {

using Values = std::vector<double>;

// P(value > one of the others) + P(equal) / 2.
double share_below(const Values& sorted, double value) {
  const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
  return static_cast<double>((low - sorted.begin()) + (high - sorted.begin())) /
         (2 * static_cast<double>(sorted.size()));
}

Values sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}

void check(const ScoredItems& items, const ScoredItems& first) {
  const auto finite = [](const Values& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  };
  if (!finite(items.positive) || !finite(items.negative))
    throw UsageError("clustered_auc: the scores must be finite");
  const bool fits = items.positive_clusters == first.positive_clusters &&
                    items.negative_clusters == first.negative_clusters &&
                    items.positive.size() == items.positive_clusters.size() &&
                    items.negative.size() == items.negative_clusters.size();
  if (!fits) throw UsageError("clustered_auc: one cluster for each item, the same of all models");
}

// For each cluster the sums of V and of W, and the number of its items.
struct Clusters {
  Values v, w;
  std::vector<int64_t> positive, negative;

  explicit Clusters(const ScoredItems& items) {
    int last = -1;
    for (const auto* clusters : {&items.positive_clusters, &items.negative_clusters}) {
      for (const int c : *clusters) last = std::max(last, c);
    }
    const auto size = static_cast<size_t>(int64_t{last} + 1);
    v.resize(size), w.resize(size), positive.resize(size), negative.resize(size);
    for (const int c : items.positive_clusters) ++positive[static_cast<size_t>(c)];
    for (const int c : items.negative_clusters) ++negative[static_cast<size_t>(c)];
  }

  // Adds those of a model, each times `weight`; returns its area.
  double add(const ScoredItems& items, double weight) {
    const Values x = sorted(items.positive), y = sorted(items.negative);
    double area = 0;
    for (const double value : x) area += share_below(y, value) / static_cast<double>(x.size());
    for (size_t i = 0; i < items.positive.size(); ++i) {
      v[static_cast<size_t>(items.positive_clusters[i])] +=
          weight * (share_below(y, items.positive[i]) - area);
    }
    for (size_t j = 0; j < items.negative.size(); ++j) {
      w[static_cast<size_t>(items.negative_clusters[j])] +=
          weight * (1 - share_below(x, items.negative[j]) - area);
    }
    return area;
  }

  // The clusters with a positive item, with a negative one, with any; and the items.
  struct Counts {
    double x = 0, y = 0, any = 0, positive = 0, negative = 0;
  };
  Counts counts() const {
    Counts n;
    for (size_t c = 0; c < v.size(); ++c) {
      n.x += positive[c] > 0;
      n.y += negative[c] > 0;
      n.any += positive[c] + negative[c] > 0;
      n.positive += static_cast<double>(positive[c]);
      n.negative += static_cast<double>(negative[c]);
    }
    return n;
  }

  double variance() const {
    const Counts n = counts();
    double vv = 0, ww = 0, vw = 0;
    for (size_t c = 0; c < v.size(); ++c) {
      vv += v[c] * v[c];
      ww += w[c] * w[c];
      vw += v[c] * w[c];
    }
    return std::max(0.0, n.x / (n.x - 1) * vv / (n.positive * n.positive) +
                             n.y / (n.y - 1) * ww / (n.negative * n.negative) +
                             2 * n.any / (n.any - 1) * vw / (n.positive * n.negative));
  }
};

}  // namespace

void ScoredItems::add(bool is_positive, double score, int cluster) {
  (is_positive ? positive : negative).push_back(score);
  (is_positive ? positive_clusters : negative_clusters).push_back(cluster);
}

std::optional<Estimate> clustered_auc(const std::vector<ScoredItems>& of_models) {
  if (of_models.empty()) return {};
  Clusters clusters(of_models[0]);
  const Clusters::Counts n = clusters.counts();
  if (n.x < 2 || n.y < 2) return {};
  Estimate auc{.value = 0, .clusters = static_cast<int64_t>(n.any), .interval = {}};
  for (const ScoredItems& items : of_models) {
    check(items, of_models[0]);
    const double weight = 1 / static_cast<double>(of_models.size());
    auc.value += weight * clusters.add(items, weight);
  }
  const double deviation = std::sqrt(clusters.variance());
  constexpr double kNormal95 = 1.959963984540054;
  auc.interval = {std::max(0.0, auc.value - kNormal95 * deviation),
                  std::min(1.0, auc.value + kNormal95 * deviation)};
  return auc;
}

}  // namespace heed
