// The uncertainty of an experiment's numbers, and the comparison of its variants with baselines.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/engine/runs/results.h"

namespace heed {

// A number of a run as a quotient of sums over the items, by names of Numbers, for resampling:
// sum of top / sum of bottom, over the items that have both. Examples are means, ratios of means,
// shares, accuracies, precision, F1 = sum of 2 hits / sum of (2 hits + errors).
struct Measure {
  std::string key;           // the number itself
  std::string top, bottom;   // series
  bool mean = false;         // of top, over the items that have both: the bottom counts as 1
  bool exponential = false;  // the number is exp of the quotient
  bool later = false;        // runs of older versions have no series of it, and it no interval then
  bool some = false;         // only some variants have it
};
// The mean of the series KEY_items, as put_mean() writes both.
inline Measure mean_of(const std::string& key) {
  return {.key = key, .top = key + "_items", .bottom = key + "_items", .mean = true};
}
std::vector<Measure> means_of(const std::vector<std::string>& keys);

// The comparisons: measures of variants with those of their baselines.
struct Comparison {
  std::vector<std::string> keys = {};                                  // of measures
  std::function<std::optional<size_t>(size_t variant)> baseline = {};  // nothing: not compared
};

// Resamples the clusters of the items and the seeds (experiments/engine/stats/statistics.h); with
// several seeds a number is the mean over their models. If a p-value would be at its floor, more
// resamples are drawn (Besag & Clifford 1991), until the smallest corrected one can be kSmallestP.
constexpr double kSmallestP = 0.001;
class Inference {
 public:
  Inference(const Results& results, const std::vector<Measure>& measures,
            const Comparison& comparison = {});

  // Nothing if a run has no such number, and for a key without a measure.
  const std::optional<Estimate>& value(const std::string& key, size_t variant) const;
  // Minus the baseline's, for the seeds that both have.
  const std::optional<Estimate>& change(const std::string& key, size_t variant) const;
  // The change's p-value after Holm's correction for all of them. Nothing if there is no change,
  // and for a single seed: its draws do not show how another training run would end.
  std::optional<double> corrected_p(const std::string& key, size_t variant) const;
  size_t comparisons() const { return comparisons_; }    // that have a p-value
  const Measure* measure(const std::string& key) const;  // nullptr if there is none
  const Comparison& comparison() const { return comparison_; }

 private:
  struct OfVariants {
    Measure measure;
    std::vector<std::optional<Estimate>> values, changes;
    std::vector<std::optional<double>> corrected;
  };
  const OfVariants* of(const std::string& key) const;  // nullptr without a measure
  void add(const Results& results, const Measure& measure, const Resampled* of_runs);
  void correct(const Results& results, const std::vector<Measure>& measures);

  const Comparison comparison_;
  std::map<std::string, OfVariants> measures_;
  size_t comparisons_ = 0;
};
// The sums of a run; zeros if it has no such number.
Quotient quotient_of(const Results& results, const RunResult& run, const Measure& measure);

// The basis of tables and claims.
struct Findings {
  Results results;
  Inference inference;
};
// What is measured of the runs of an experiment, by the names of ResultsLayout.
struct MeasuredRuns {
  std::string clusters = {};
  std::vector<std::string> values = {}, same = {};
  std::vector<Measure> measures = {};
  Comparison comparison = {};
};
// Reads the folder of an experiment, whose files must also have the measures and their series; that
// of a number that is there is not empty.
Findings load_findings(const std::string& folder, ResultsLayout layout, MeasuredRuns measured);
// With the first variant.
Comparison against_first(const std::vector<std::string>& keys);

}  // namespace heed
