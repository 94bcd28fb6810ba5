#include "experiments/engine/report/inference.h"

#include <algorithm>
#include <span>

namespace heed {
namespace {

// The series, a number an item; an empty one says that no item has any.
Series items(const Results& results, const RunResult& run, const std::string& name) {
  Series series = run.numbers.series(name);
  series.resize(results.items());
  return series;
}

const std::optional<Estimate> kNone;

// A change over several seeds, whose p-value is wanted.
struct Tested {
  const Measure& measure;
  std::vector<RunPair> pairs;
  std::optional<double>& place;  // of the corrected p-value
  double p_value;
  Sides sides = {};
};

// Adds the changes in kResamples draws, starting with `first`.
void draw_on(const Results& results, std::span<Tested* const> all, int64_t first) {
  std::vector<Quotient> quotients;
  for (const Tested* tested : all) {
    for (const auto& [run, baseline] : tested->pairs) {
      quotients.push_back(quotient_of(results, *run, tested->measure));
      quotients.push_back(quotient_of(results, *baseline, tested->measure));
    }
  }
  std::vector<Resampled> drawn = bootstrap(quotients, /*seed=*/1, first);
  Resampled* next = drawn.data();
  for (Tested* tested : all) {
    std::vector<Resampled> changes;  // of each pair: those of all are drawn alike
    std::vector<const Resampled*> of_pairs;
    for (size_t i = 0; i < tested->pairs.size(); ++i, next += 2) {
      for (Resampled* one : {next, next + 1})
        if (tested->measure.exponential) *one = exponential(std::move(*one));
      changes.push_back(difference(next[0], next[1]));
    }
    for (const Resampled& change : changes) of_pairs.push_back(&change);
    tested->sides.add(over_seeds(of_pairs, first));
  }
}

// If few draws are beyond 0, the p-value is taken from more draws (Besag & Clifford 1991): until
// kEnough are beyond, or the smallest p-value of this many comparisons is small enough.
void sharpen(const Results& results, std::vector<Tested>& family) {
  constexpr int64_t kEnough = 10;
  const double wanted = 2 * static_cast<double>(family.size()) / kSmallestP;
  std::vector<Tested*> few;
  for (Tested& tested : family) {
    if (tested.p_value < 2.0 * kEnough / kResamples) few.push_back(&tested);
  }
  const std::vector<Tested*> sharpened = few;
  for (int64_t first = 0; !few.empty() && static_cast<double>(first) < wanted;
       first += kResamples) {
    for (size_t begin = 0, end; begin < few.size(); begin = end) {
      size_t together = 0;
      for (end = begin; end < few.size() && together < kQuotientsAtOnce; ++end) {
        together += 2 * few[end]->pairs.size();
      }
      draw_on(results, {&few[begin], end - begin}, first);
    }
    std::erase_if(few, [](const Tested* t) { return t->sides.fewer() >= kEnough; });
  }
  for (Tested* tested : sharpened) tested->p_value = tested->sides.p_value();
}

}  // namespace

Quotient quotient_of(const Results& results, const RunResult& run, const Measure& m) {
  if (!run.numbers.value(m.key)) {  // as where the perplexity of a dialogue overflowed
    const std::vector<double> zeros(results.cluster_count());
    return {zeros, zeros};
  }
  const Series top = items(results, run, m.top), bottom = items(results, run, m.bottom);
  return m.mean ? mean_quotient(top, bottom, results.clusters)
                : quotient(top, bottom, results.clusters);
}

Inference::Inference(const Results& results, const std::vector<Measure>& measures,
                     const Comparison& comparison)
    : comparison_(comparison) {
  const size_t runs = results.runs.size(), step = std::max<size_t>(1, kQuotientsAtOnce / runs);
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
  correct(results, measures);
}

void Inference::add(const Results& results, const Measure& measure, const Resampled* of_runs) {
  const auto at = [&](const RunResult* run) { return &of_runs[run - results.runs.data()]; };
  const size_t n = results.variants.size();
  OfVariants& of = measures_[measure.key];
  of.measure = measure;
  of.values.resize(n);
  of.changes.resize(n);
  of.corrected.resize(n);
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

// One family: all comparisons of several seeds.
void Inference::correct(const Results& results, const std::vector<Measure>& measures) {
  std::vector<Tested> family;
  for (const Measure& measure : measures) {
    OfVariants& of = measures_.at(measure.key);
    for (size_t v = 0; v < of.changes.size(); ++v) {
      if (!of.changes[v]) continue;
      auto pairs = paired_runs(results, v, *comparison_.baseline(v));
      if (pairs.size() < 2) continue;
      family.push_back({measure, std::move(pairs), of.corrected[v], of.changes[v]->p_value});
    }
  }
  comparisons_ = family.size();
  sharpen(results, family);
  std::vector<double> p_values;
  for (const Tested& tested : family) p_values.push_back(tested.p_value);
  const std::vector<double> corrected = holm(p_values);
  for (size_t i = 0; i < family.size(); ++i) family[i].place = corrected[i];
}

const Inference::OfVariants* Inference::of(const std::string& key) const {
  const auto found = measures_.find(key);
  return found == measures_.end() ? nullptr : &found->second;
}

const std::optional<Estimate>& Inference::value(const std::string& key, size_t variant) const {
  return of(key) ? of(key)->values.at(variant) : kNone;
}

const std::optional<Estimate>& Inference::change(const std::string& key, size_t variant) const {
  return of(key) ? of(key)->changes.at(variant) : kNone;
}

std::optional<double> Inference::corrected_p(const std::string& key, size_t variant) const {
  return of(key) ? of(key)->corrected.at(variant) : std::nullopt;
}

const Measure* Inference::measure(const std::string& key) const {
  return of(key) ? &of(key)->measure : nullptr;
}

std::vector<Measure> means_of(const std::vector<std::string>& keys) {
  std::vector<Measure> measures;
  for (const std::string& key : keys) measures.push_back(mean_of(key));
  return measures;
}

Findings load_findings(const std::string& folder, ResultsLayout layout, MeasuredRuns measured) {
  std::vector<Measure>& measures = measured.measures;
  layout.clusters = measured.clusters;
  layout.values = measured.values;
  layout.same = measured.same;
  for (const Measure& m : measures) {
    if (m.later || m.some) continue;
    layout.values.push_back(m.key);
    layout.items.insert(layout.items.end(), {m.top, m.bottom});
  }
  Results results = load_results(folder, layout);
  for (const RunResult& run : results.runs) {
    for (const Measure& m : measures) {
      const bool fits =
          m.later || m.some || !run.numbers.value(m.key) || !run.numbers.series(m.top).empty();
      if (!fits) {
        throw DataError(folder + "/" + source_of(run) +
                        ": the lists of its dialogues do not fit together");
      }
    }
  }
  std::erase_if(measures, [&](const Measure& m) {
    return m.later &&
           std::any_of(results.runs.begin(), results.runs.end(), [&](const RunResult& run) {
             return !run.numbers.has_series(m.top) || !run.numbers.has_series(m.bottom);
           });
  });
  Inference inference(results, measures, measured.comparison);
  return {std::move(results), std::move(inference)};
}

Comparison against_first(const std::vector<std::string>& keys) {
  return {keys, [](size_t v) { return v == 0 ? std::nullopt : std::optional<size_t>(0); }};
}

}  // namespace heed
