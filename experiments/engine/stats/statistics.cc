#include "experiments/engine/stats/statistics.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <numbers>
#include <numeric>

#include "autograd/ops.h"
#include "base/error.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr int64_t kChunk = 250;  // resamples in one matrix product

// As one would order texts; NaN has a place, too.
struct InOrder {
  bool operator()(const std::vector<double>& a, const std::vector<double>& b) const {
    return std::is_lt(std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(),
                                                             std::strong_order));
  }
};

// Those columns that differ among the tops and bottoms of quotients: models of one test set are
// divided by the same numbers of words.
class Columns {
 public:
  // The place of a column, at which it is added if it is new.
  size_t place(const std::vector<double>& column) {
    return places_.try_emplace(column, places_.size()).first->second;
  }
  Tensor matrix() const {  // (clusters, columns)
    const size_t n = places_.begin()->first.size(), m = places_.size();
    std::vector<double> values(n * m);
    for (const auto& [column, place] : places_) {
      check_internal(column.size() == n, "quotients over different clusters");
      for (size_t i = 0; i < n; ++i) values[i * m + place] = column[i];
    }
    return Tensor::from(values, {static_cast<int64_t>(n), static_cast<int64_t>(m)});
  }

 private:
  std::map<std::vector<double>, size_t, InOrder> places_;
};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double divide(double top, double bottom) {
  return bottom == 0 ? NAN : top / bottom;
}

// P(|T| < t) of Student's T with `degrees` of freedom (Abramowitz & Stegun 1964, 26.7.3 and 4).
double probability_within(double t, size_t degrees) {
  const bool odd = degrees % 2 == 1;
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees))), c = std::cos(angle);
  double sum = 0, term = odd ? c : 1;
  for (size_t k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= c * c * static_cast<double>(k - 1) / static_cast<double>(k);
  }
  return odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
}

}  // namespace

Tensor draw_counts(int64_t n, int64_t first, int64_t count, uint64_t seed) {
  std::vector<double> counts(static_cast<size_t>(n * count), 0.0);
  for (int64_t b = 0; b < count; ++b) {
    const RandomKey key{seed, purpose_id("bootstrap"), static_cast<uint64_t>(first + b)};
    for (int64_t i = 0; i < n; i += 4) {
      const Philox4 r = key.block(static_cast<uint64_t>(i / 4));
      const uint32_t words[4] = {r.x, r.y, r.z, r.w};
      for (int64_t k = 0; k < std::min<int64_t>(4, n - i); ++k) {
        // floor(n * word / 2^32): off from uniform by less than n / 2^32
        counts[b * n + static_cast<int64_t>((static_cast<uint64_t>(n) * words[k]) >> 32)] += 1;
      }
    }
  }
  return Tensor::from(counts, {count, n});
}

size_t largest_cluster(const std::vector<int>& cluster) {
  std::map<int, size_t> sizes;
  size_t largest = 0;
  for (const int c : cluster) largest = std::max(largest, ++sizes[c]);
  return largest;
}

Quotient quotient(const Series& top, const Series& bottom, const std::vector<int>& cluster) {
  check_internal(top.size() == cluster.size() && bottom.size() == cluster.size(),
                 "series of different dialogues");
  const size_t clusters =
      cluster.empty() ? 0 : 1 + *std::max_element(cluster.begin(), cluster.end());
  Quotient result{std::vector<double>(clusters), std::vector<double>(clusters)};
  for (size_t d = 0; d < cluster.size(); ++d) {
    if (!top[d] || !bottom[d]) continue;
    result.top[cluster[d]] += *top[d];
    result.bottom[cluster[d]] += *bottom[d];
  }
  return result;
}

Quotient mean_quotient(const Series& values, const std::vector<int>& cluster) {
  return mean_quotient(values, values, cluster);
}

Quotient mean_quotient(const Series& values, const Series& only, const std::vector<int>& cluster) {
  Series ones = only;
  for (auto& one : ones) {
    if (one) one = 1;
  }
  return quotient(values, ones, cluster);
}

// The sums of all resamples of all quotients are one matrix product: the counts (resamples,
// clusters) times the tops and bottoms (clusters, columns).
std::vector<Resampled> bootstrap(const std::vector<Quotient>& quotients, uint64_t seed,
                                 int64_t from) {
  std::vector<Resampled> result(quotients.size());
  if (quotients.empty()) return result;
  const auto clusters = static_cast<int64_t>(quotients[0].top.size());
  Columns columns;
  std::vector<std::pair<size_t, size_t>> places;  // of top and bottom
  for (size_t q = 0; q < quotients.size(); ++q) {
    const Quotient& of = quotients[q];
    result[q].value = divide(sum(of.top), sum(of.bottom));
    result[q].clusters = clusters - std::count(of.bottom.begin(), of.bottom.end(), 0.0);
    places.emplace_back(columns.place(of.top), columns.place(of.bottom));
  }
  if (clusters == 0) return result;
  const NoGrad guard;
  const Var matrix = columns.matrix();
  for (int64_t first = from; first < from + kResamples; first += kChunk) {
    const Var sums = matmul(draw_counts(clusters, first, kChunk, seed), matrix);
    const std::vector<double> all = sums.value().to_vector();
    for (auto drawn = all.begin(); drawn != all.end(); drawn += sums.shape()[1]) {
      for (size_t q = 0; q < result.size(); ++q) {
        result[q].draws.push_back(divide(drawn[places[q].first], drawn[places[q].second]));
      }
    }
  }
  return result;
}

Resampled over_seeds(const std::vector<const Resampled*>& of_seeds, int64_t first) {
  Resampled result = *of_seeds.at(0);
  const size_t seeds = of_seeds.size();
  if (seeds == 1) return result;
  const auto n = static_cast<double>(seeds);
  result.value = 0;
  for (const Resampled* of : of_seeds) result.value += of->value / n;
  const double widen = std::sqrt(n / (n - 1));
  for (size_t b = 0; b < result.draws.size(); ++b) {
    Rng rng(/*seed=*/1, "bootstrap.seeds", static_cast<uint64_t>(first) + b);
    double mean = 0, drawn = 0;
    for (const Resampled* of : of_seeds) {
      mean += of->draws[b] / n;
      drawn += of_seeds[rng.below(seeds)]->draws[b] / n;
    }
    result.draws[b] = mean + widen * (drawn - mean);
  }
  return result;
}

Resampled difference(const Resampled& a, const Resampled& b) {
  Resampled result = a;
  result.value -= b.value;
  for (size_t i = 0; i < result.draws.size(); ++i) result.draws[i] -= b.draws[i];
  return result;
}

Resampled exponential(Resampled x) {
  x.value = std::exp(x.value);
  for (double& draw : x.draws) draw = std::exp(draw);
  return x;
}

void Sides::add(const Resampled& of) {
  for (const double draw : of.draws) {
    if (std::isnan(draw)) continue;
    below += draw <= 0;
    above += draw >= 0;
    ++draws;
  }
}

double Sides::p_value() const {
  return std::min(1.0, 2.0 * static_cast<double>(1 + fewer()) / static_cast<double>(1 + draws));
}

std::optional<Estimate> estimate(const Resampled& x, size_t tried) {
  std::vector<double> draws = x.draws;
  std::erase_if(draws, [](double draw) { return std::isnan(draw); });
  if (!std::isfinite(x.value) || draws.empty()) return std::nullopt;
  std::sort(draws.begin(), draws.end());
  const size_t n = draws.size(), outside = n / (40 * tried);  // on each side
  Sides sides;
  sides.add(x);
  const double p_value =
      x.clusters < 2 ? 1 : sides.p_value();  // one cluster says nothing of others
  return Estimate{x.value, x.clusters, {draws[outside], draws[n - 1 - outside]}, p_value};
}

std::vector<double> holm(const std::vector<double>& p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> corrected(p_values.size());
  double highest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto factor = static_cast<double>(order.size() - i);
    highest = std::max(highest, std::min(1.0, factor * p_values[order[i]]));
    corrected[order[i]] = highest;
  }
  return corrected;
}

std::optional<Spread> spread(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  Spread result{std::accumulate(values.begin(), values.end(), 0.0) / n, std::nullopt};
  if (values.size() < 2) return result;
  double squares = 0;
  for (double v : values) squares += (v - result.mean) * (v - result.mean);
  result.deviation = std::sqrt(squares / (n - 1));
  return result;
}

std::optional<Estimate> students_interval(const std::vector<double>& values, size_t tried) {
  const auto of = spread(values);
  if (!of || !of->deviation) return std::nullopt;
  double low = 0, high = 1e6;  // the quantile lies between
  for (int halved = 0; halved < 80; ++halved) {
    const double t = (low + high) / 2;
    const bool inside =
        1 - probability_within(t, values.size() - 1) > 0.05 / static_cast<double>(tried);
    (inside ? low : high) = t;
  }
  const double half = low * *of->deviation / std::sqrt(static_cast<double>(values.size()));
  return Estimate{.value = of->mean, .interval = {of->mean - half, of->mean + half}};
}

}  // namespace heed
