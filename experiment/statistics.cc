#include "experiment/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/ops.h"
#include "tensor/error.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr int64_t kChunk = 250;  // resamples in one matrix product

// How often each of n dialogues is drawn in the resamples from `first` on, (count, n).
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

Estimate estimate(const Series& series, std::vector<double> means) {
  Estimate e;
  for (const auto& value : series) {
    if (!value) continue;
    e.mean += *value;
    ++e.dialogues;
  }
  e.mean /= static_cast<double>(e.dialogues);
  std::sort(means.begin(), means.end());
  const auto size = static_cast<double>(means.size());
  const auto quantile = [&](double q) {
    return means[static_cast<size_t>(std::clamp(std::floor(q * size), 0.0, size - 1))];
  };
  e.interval = {quantile(0.025), quantile(0.975)};
  const auto below =
      static_cast<double>(std::upper_bound(means.begin(), means.end(), 0.0) - means.begin());
  const auto above =
      static_cast<double>(means.end() - std::lower_bound(means.begin(), means.end(), 0.0));
  e.p_value = std::min(1.0, 2 * (1 + std::min(below, above)) / (1 + size));
  return e;
}

}  // namespace

Series mean_series(const std::vector<const Series*>& of_seeds) {
  Series mean = *of_seeds.at(0);
  for (size_t s = 1; s < of_seeds.size(); ++s) {
    const Series& other = *of_seeds[s];
    check_internal(other.size() == mean.size(), "series of different dialogues");
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] = mean[i] && other[i] ? std::optional(*mean[i] + *other[i]) : std::nullopt;
    }
  }
  for (auto& value : mean) {
    if (value) *value /= static_cast<double>(of_seeds.size());
  }
  return mean;
}

Series difference(const Series& a, const Series& b) {
  check_internal(a.size() == b.size(), "series of different dialogues");
  Series result(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] && b[i]) result[i] = *a[i] - *b[i];
  }
  return result;
}

// The sums of all resamples of all series are two matrix products, of the counts (resamples,
// dialogues) with the values and with the marks of what is defined (dialogues, series).
std::vector<std::optional<Estimate>> bootstrap(const std::vector<Series>& series, uint64_t seed) {
  std::vector<std::optional<Estimate>> result(series.size());
  if (series.empty() || series[0].empty()) return result;
  const auto n = static_cast<int64_t>(series[0].size()), m = static_cast<int64_t>(series.size());
  std::vector<double> values(static_cast<size_t>(n * m), 0.0), defined = values;
  for (int64_t s = 0; s < m; ++s) {
    check_internal(static_cast<int64_t>(series[s].size()) == n, "series of different dialogues");
    for (int64_t i = 0; i < n; ++i) {
      if (!series[s][i]) continue;
      values[i * m + s] = *series[s][i];
      defined[i * m + s] = 1;
    }
  }
  const NoGrad guard;
  const Var all_values = Tensor::from(values, {n, m}), all_defined = Tensor::from(defined, {n, m});
  std::vector<std::vector<double>> means(series.size());
  for (int64_t first = 0; first < kResamples; first += kChunk) {
    const Var counts = draw_counts(n, first, kChunk, seed);
    const std::vector<double> sums = matmul(counts, all_values).value().to_vector();
    const std::vector<double> numbers = matmul(counts, all_defined).value().to_vector();
    for (size_t i = 0; i < sums.size(); ++i) {
      if (numbers[i] > 0) means[i % series.size()].push_back(sums[i] / numbers[i]);
    }
  }
  for (size_t s = 0; s < series.size(); ++s) {
    if (!means[s].empty()) result[s] = estimate(series[s], std::move(means[s]));
  }
  return result;
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

}  // namespace heed
