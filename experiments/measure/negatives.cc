#include "experiments/measure/negatives.h"

#include <algorithm>

#include "dialog/text/format.h"
#include "dialog/text/text_table.h"
#include "experiments/engine/stats/auc.h"
#include "experiments/measure/measure_json.h"
#include "train/number_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using probe::kNoClass, probe::Tested;

namespace {

constexpr const char* kOutcomeNames[] = {"T", "TO", "FCO", "FO", "F"};

// T + TO of all texts, T of those of a class, TO of those of none.
void add_intervals(NegativesRow& row, const Tested& tested, uint64_t seed) {
  const auto share = [&](bool of_class, bool of_none) {
    Series right(tested.gold.size());
    for (size_t i = 0; i < right.size(); ++i) {
      if (!(tested.gold[i] == kNoClass ? of_none : of_class)) continue;
      const probe::Outcome is = probe::outcome(tested.gold[i], tested.guesses[i], row.threshold);
      right[i] = is == probe::kRight || is == probe::kRightNone;
    }
    return mean_quotient(right, tested.clusters);
  };
  const auto resampled =
      bootstrap({share(true, true), share(true, false), share(false, true)}, seed);
  row.accuracy = estimate(resampled[0]);
  row.known_right = estimate(resampled[1]);
  row.none_withheld = estimate(resampled[2]);
}

std::optional<Estimate> auc(const Tested& tested) {
  ScoredItems items;
  for (size_t i = 0; i < tested.gold.size(); ++i) {
    items.add(tested.gold[i] != kNoClass, tested.guesses[i].confidence, tested.clusters[i]);
  }
  return items.negative.empty() ? std::nullopt : clustered_auc({items});
}

}  // namespace

std::vector<NegativesRow> measure_negatives(const std::string& name, const Tested& tested,
                                            const std::vector<double>& thresholds, uint64_t seed) {
  const auto area = auc(tested);
  const auto none = std::count(tested.gold.begin(), tested.gold.end(), kNoClass);
  std::vector<NegativesRow> rows;
  for (const double threshold : thresholds) {
    rows.push_back({.name = name,
                    .threshold = threshold,
                    .tested = std::ssize(tested.gold),
                    .none = none,
                    .scores = tested.scores(threshold),
                    .auc = area});
    add_intervals(rows.back(), tested, seed);
  }
  return rows;
}

std::string negatives_table(const std::vector<NegativesRow>& rows, int width) {
  ColumnsOf<NegativesRow> table(rows);
  const auto add_share = [&](const std::string& title, auto share) {
    table.add(title, [&](const NegativesRow& row) {
      const std::optional<double> value = share(row);
      return value ? decimal(100 * *value, 1) : "-";
    });
  };
  using Row = const NegativesRow&;
  table.add("small", [](Row row) { return row.name; });
  table.add("threshold", [](Row row) { return decimal(row.threshold, 2); });
  table.add("right", [](Row row) { return percent(row.accuracy, true); });
  table.add("of a class", [](Row row) { return percent(row.known_right, true); });
  table.add("of none", [](Row row) { return percent(row.none_withheld, true); });
  for (size_t i = 0; i < probe::kOutcomes; ++i) {
    add_share(kOutcomeNames[i], [i](Row row) {
      return static_cast<double>(row.scores.counts[i]) / static_cast<double>(row.tested);
    });
  }
  add_share("F1 macro", [](Row row) { return row.scores.f1_macro; });
  add_share("weighted", [](Row row) { return row.scores.f1_weighted; });
  add_share("withheld: wrong", [](Row row) { return row.scores.withheld_wrong; });
  add_share("right", [](Row row) { return row.scores.withheld_right; });
  table.add("AUC", [](Row row) { return percent(row.auc, true); });
  return table.text(width);
}

Json to_json(const NegativesRow& row) {
  Json counts;
  for (int i = 0; i < probe::kOutcomes; ++i) counts[kOutcomeNames[i]] = row.scores.counts[i];
  return {{"threshold", row.threshold},
          {"outcomes", counts},
          {"accuracy", to_json(row.accuracy)},
          {"known_right", to_json(row.known_right)},
          {"none_withheld", to_json(row.none_withheld)},
          {"f1_macro", row.scores.f1_macro},
          {"f1_weighted", row.scores.f1_weighted},
          {"withheld_wrong", or_null(row.scores.withheld_wrong)},
          {"withheld_right", or_null(row.scores.withheld_right)}};
}

}  // namespace heed
