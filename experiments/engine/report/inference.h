// How sure the numbers of an experiment are, and the comparison of its variants with baselines.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/engine/runs/results.h"

namespace heed {

// A number of a run as a quotient of sums over the items, by names of Numbers, to be resampled:
// sum of top / sum of bottom, over the items that have both. So are means, ratios of means, shares,
// accuracies, precision, F1 = sum of 2 hits / sum of (2 hits + errors).
struct Measure {
  std::string key;           // the number itself
  std::string top, bottom;   // series
  bool mean = false;         // of top, over the items that have both: the bottom counts as 1
  bool exponential = false;  // the number is exp of the quotient
  bool later = false;        // runs of older versions have no series of it, and it no interval then
};

// What is compared: measures of variants with those of their baselines.
struct Comparison {
  std::vector<std::string> keys = {};                                  // of measures
  std::function<std::optional<size_t>(size_t variant)> baseline = {};  // nothing: not compared
};

// Resampled are the clusters of the items and the seeds (experiments/engine/stats/statistics.h);
// with several seeds a number is the mean over their models. Where a p-value would be at its
// floor more is drawn (Besag & Clifford 1991), until the smallest corrected one can be
// kSmallestP.
constexpr double kSmallestP = 0.001;
class Inference {
 public:
  Inference(const Results& results, const std::vector<Measure>& measures,
            const Comparison& comparison = {});

  // Nothing where a run has no such number, and for a key that is no measure's.
  const std::optional<Estimate>& value(const std::string& key, size_t variant) const;
  // Minus the baseline's, of the seeds that both have.
  const std::optional<Estimate>& change(const std::string& key, size_t variant) const;
  // The change's p-value after Holm's correction for all of them. Nothing where there is no
  // change, and of a single seed: its draws do not know what another training would give.
  std::optional<double> corrected_p(const std::string& key, size_t variant) const;
  size_t comparisons() const { return comparisons_; }    // that have a p-value
  const Measure* measure(const std::string& key) const;  // nullptr where it is none
  const Comparison& comparison() const { return comparison_; }

 private:
  struct OfVariants {
    Measure measure;
    std::vector<std::optional<Estimate>> values, changes;
    std::vector<std::optional<double>> corrected;
  };
  void add(const Results& results, const Measure& measure, const Resampled* of_runs);
  void correct(const Results& results, const std::vector<Measure>& measures);

  const Comparison comparison_;
  std::map<std::string, OfVariants> measures_;
  size_t comparisons_ = 0;
};
// The sums of a run; zeros where it has no such number.
Quotient quotient_of(const Results& results, const RunResult& run, const Measure& measure);

// What tables and claims are made of.
struct Findings {
  Results results;
  Inference inference;
};
// Reads the folder of an experiment, whose files must also hold the measures and what they are made
// of.
Findings load_findings(const std::string& folder, ResultsLayout layout,
                       std::vector<Measure> measures, const Comparison& comparison);
// With the first variant.
Comparison against_first(const std::vector<std::string>& keys);

}  // namespace heed
