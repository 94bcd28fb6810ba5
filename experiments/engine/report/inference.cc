#include "experiments/engine/report/inference.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr size_t kAtOnce = 300;  // quotients whose draws are in memory together, 80 kB each

// The series, a number an item; an empty one says that no item has any.
Series items(const Results& results, const RunResult& run, const std::string& name) {
  Series series = run.numbers.series(name);
  series.resize(results.items());
  return series;
}

Quotient quotient_of(const Results& results, const RunResult& run, const Measure& m) {
  if (!run.numbers.value(m.key)) {  // as where the perplexity of a dialogue overflowed
    const std::vector<double> zeros(results.cluster_count());
    return {zeros, zeros};
  }
  const Series top = items(results, run, m.top), bottom = items(results, run, m.bottom);
  return m.mean ? mean_quotient(top, bottom, results.clusters)
                : quotient(top, bottom, results.clusters);
}

const std::optional<Estimate> kNone;

}  // namespace

Inference::Inference(const Results& results, const std::vector<Measure>& measures,
                     const Comparison& comparison)
    : comparison_(comparison) {
  const size_t runs = results.runs.size(), step = std::max<size_t>(1, kAtOnce / runs);
  for (size_t first = 0; first < measures.size(); first += step) {
    const size_t end = std::min(first + step, measures.size());
    std::vector<Quotient> quotients;
    for (size_t m = first; m < end; ++m) {
      for (const RunResult& run : results.runs) {
        quotients.push_back(quotient_of(results, run, measures[m]));
      }
    }
    std::vector<Resampled> resampled = bootstrap(quotients);
    for (size_t m = first; m < end; ++m) {
      Resampled* of_runs = &resampled[(m - first) * runs];
      for (size_t r = 0; measures[m].exponential && r < runs; ++r) {
        of_runs[r] = exponential(std::move(of_runs[r]));
      }
      add(results, measures[m], of_runs);
    }
  }
  correct();
}

void Inference::add(const Results& results, const Measure& measure, const Resampled* of_runs) {
  const auto at = [&](const RunResult* run) { return &of_runs[run - results.runs.data()]; };
  const size_t n = results.variants.size();
  OfVariants& of = measures_[measure.key];
  of.values.resize(n);
  of.changes.resize(n);
  of.corrected.assign(n, 1);
  const bool compared = std::find(comparison_.keys.begin(), comparison_.keys.end(), measure.key) !=
                        comparison_.keys.end();
  for (size_t v = 0; v < n; ++v) {
    std::vector<const Resampled*> seeds, ours, base;
    for (const RunResult* run : results.of(v)) seeds.push_back(at(run));
    if (!seeds.empty()) of.values[v] = estimate(over_seeds(seeds));
    const auto baseline = compared ? comparison_.baseline(v) : std::nullopt;
    if (!baseline) continue;
    for (const auto& [run, its] : paired_runs(results, v, *baseline)) {
      ours.push_back(at(run));
      base.push_back(at(its));
    }
    if (!ours.empty()) {
      of.changes[v] = estimate(difference(over_seeds(ours), over_seeds(base)));
    }
  }
}

// One family: all comparisons that there are.
void Inference::correct() {
  std::vector<double> p_values;
  std::vector<double*> places;
  for (auto& [key, of] : measures_) {
    for (size_t v = 0; v < of.changes.size(); ++v) {
      if (!of.changes[v]) continue;
      p_values.push_back(of.changes[v]->p_value);
      places.push_back(&of.corrected[v]);
    }
  }
  const std::vector<double> corrected = holm(p_values);
  for (size_t i = 0; i < places.size(); ++i) *places[i] = corrected[i];
  comparisons_ = p_values.size();
}

const std::optional<Estimate>& Inference::value(const std::string& key, size_t variant) const {
  const auto found = measures_.find(key);
  return found == measures_.end() ? kNone : found->second.values.at(variant);
}

const std::optional<Estimate>& Inference::change(const std::string& key, size_t variant) const {
  const auto found = measures_.find(key);
  return found == measures_.end() ? kNone : found->second.changes.at(variant);
}

double Inference::corrected_p(const std::string& key, size_t variant) const {
  const auto found = measures_.find(key);
  return found == measures_.end() ? 1 : found->second.corrected.at(variant);
}

}  // namespace heed
