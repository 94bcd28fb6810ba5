#include "experiments/engine/stats/correlation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace heed {
namespace {

using Values = std::vector<double>;
constexpr size_t kFewest = 3;  // pairs, and clusters

// The places of the values, the lowest first.
std::vector<size_t> order_of(const Values& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t i, size_t k) { return values[i] < values[k]; });
  return order;
}

// Ranks from 1 of values, of which value i occurs weights[i] times.
Values ranks(const Values& values, const std::vector<size_t>& order, const Values& weights) {
  Values result(values.size());
  double below = 0;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double equal = 0;
    while (end < order.size() && values[order[end]] == values[order[begin]]) {
      equal += weights[order[end++]];
    }
    for (size_t i = begin; i < end; ++i) result[order[i]] = below + (equal + 1) / 2;
    below += equal;
  }
  return result;
}

// Whether those that are there differ.
bool has_spread(const Values& values, const Values& weights) {
  const double* first = nullptr;
  for (size_t i = 0; i < values.size(); ++i) {
    if (weights[i] == 0) continue;
    if (first && *first != values[i]) return true;
    first = &values[i];
  }
  return false;
}

// NaN without spread.
double pearson(const Values& a, const Values& b, const Values& weights) {
  if (!has_spread(a, weights) || !has_spread(b, weights)) return NAN;
  double count = 0, mean_a = 0, mean_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    count += weights[i];
    mean_a += weights[i] * a[i];
    mean_b += weights[i] * b[i];
  }
  mean_a /= count, mean_b /= count;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += weights[i] * (a[i] - mean_a) * (b[i] - mean_b);
    aa += weights[i] * (a[i] - mean_a) * (a[i] - mean_a);
    bb += weights[i] * (b[i] - mean_b) * (b[i] - mean_b);
  }
  return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

// Differences from the mean of those that are there of the same group, without the last bits, by
// which equal differences would be different numbers.
Values centred(Values values, const std::vector<int>& groups, const Values& weights) {
  double largest = 1e-280;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  const double bit = std::ldexp(1, std::ilogb(largest) - 44);
  std::map<int, std::pair<double, double>> sums;  // of a group: the values, and the weights
  for (size_t i = 0; i < values.size(); ++i) {
    auto& [sum, count] = sums[groups[i]];
    sum += weights[i] * values[i];
    count += weights[i];
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto& [sum, count] = sums[groups[i]];
    if (count > 0) values[i] = bit * std::round((values[i] - sum / count) / bit);
  }
  return values;
}

struct Both {
  double pearson, spearman;
};

// Both correlations of the same pairs, weighted by how often each occurs.
class Pairs {
 public:
  Pairs(Values a, Values b, std::vector<int> groups = {})
      : a_(std::move(a)),
        b_(std::move(b)),
        groups_(std::move(groups)),
        order_a_(order_of(a_)),
        order_b_(order_of(b_)),
        grouped_(std::set<int>(groups_.begin(), groups_.end()).size() > 1) {}

  Both operator()(const Values& weights) const {
    if (!grouped_) return of(a_, order_a_, b_, order_b_, weights);
    const Values a = centred(a_, groups_, weights), b = centred(b_, groups_, weights);
    return of(a, order_of(a), b, order_of(b), weights);
  }

 private:
  static Both of(const Values& a, const std::vector<size_t>& order_a, const Values& b,
                 const std::vector<size_t>& order_b, const Values& weights) {
    return {pearson(a, b, weights),
            pearson(ranks(a, order_a, weights), ranks(b, order_b, weights), weights)};
  }

  const Values a_, b_;
  const std::vector<int> groups_;
  const std::vector<size_t> order_a_, order_b_;
  const bool grouped_;
};

}  // namespace

std::optional<double> rank_correlation(const std::vector<std::pair<double, double>>& pairs) {
  if (pairs.size() < kFewest) return std::nullopt;
  Values a, b;
  for (const auto& [x, y] : pairs) {
    a.push_back(x);
    b.push_back(y);
  }
  const Pairs both(std::move(a), std::move(b));
  const double rho = both(Values(pairs.size(), 1.0)).spearman;
  return std::isnan(rho) ? std::nullopt : std::optional(rho);
}

Correlation correlate(const std::vector<ClusteredPair>& pairs, uint64_t seed) {
  Correlation result;
  Values a, b;
  std::vector<int> groups;
  size_t clusters = 0;
  for (const ClusteredPair& pair : pairs) {
    a.push_back(pair.a);
    b.push_back(pair.b);
    groups.push_back(pair.group);
    clusters = std::max(clusters, static_cast<size_t>(pair.cluster) + 1);
  }
  result.pairs = static_cast<int64_t>(pairs.size());
  result.clusters = static_cast<int64_t>(clusters);
  if (clusters < kFewest) return result;
  const Pairs both(std::move(a), std::move(b), std::move(groups));
  Values weights(pairs.size(), 1.0);
  const Both found = both(weights);
  Resampled pearsons{found.pearson, {}, result.clusters};
  Resampled spearmans{found.spearman, {}, result.clusters};
  const Values counts = draw_counts(result.clusters, 0, kResamples, seed).to_vector();
  for (auto drawn = counts.begin(); drawn != counts.end(); drawn += result.clusters) {
    const auto absent = static_cast<size_t>(std::count(drawn, drawn + result.clusters, 0.0));
    if (clusters - absent < kFewest) continue;
    for (size_t i = 0; i < pairs.size(); ++i) weights[i] = drawn[pairs[i].cluster];
    const Both drawn_pairs = both(weights);
    pearsons.draws.push_back(drawn_pairs.pearson);
    spearmans.draws.push_back(drawn_pairs.spearman);
  }
  result.pearson = estimate(pearsons);
  result.spearman = estimate(spearmans);
  return result;
}

}  // namespace heed
