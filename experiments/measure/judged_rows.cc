#include "experiments/measure/judged_rows.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "dialog/text/format.h"
#include "experiments/measure/measure_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using discriminate::Confusion;

namespace {

struct Metric {
  const char *group, *name;  // "" is no group
  discriminate::Ratio (*of)(const discriminate::Scores&);
};
using S = discriminate::Scores;
const Metric kMetrics[] = {
    {"", "accuracy", [](const S& s) { return s.accuracy; }},
    {"real", "precision", [](const S& s) { return s.real.precision; }},
    {"real", "recall", [](const S& s) { return s.real.recall; }},
    {"real", "f1", [](const S& s) { return s.real.f1; }},
    {"fake", "precision", [](const S& s) { return s.fake.precision; }},
    {"fake", "recall", [](const S& s) { return s.fake.recall; }},
    {"fake", "f1", [](const S& s) { return s.fake.f1; }},
};

}  // namespace

Confusion sum(const std::vector<Confusion>& items) {
  Confusion all;
  for (const Confusion& c : items) {
    all.real_as_real += c.real_as_real;
    all.real_as_fake += c.real_as_fake;
    all.fake_as_real += c.fake_as_real;
    all.fake_as_fake += c.fake_as_fake;
  }
  return all;
}

std::vector<Quotient> metric_sums(const std::vector<Confusion>& items,
                                  const std::vector<int>& cluster, size_t clusters) {
  const std::vector<double> none(clusters);
  std::vector<Quotient> sums(std::size(kMetrics), {none, none});
  for (size_t i = 0; i < items.size(); ++i) {
    const discriminate::Scores scores = discriminate::scores(items[i]);
    for (size_t m = 0; m < sums.size(); ++m) {
      const discriminate::Ratio ratio = kMetrics[m].of(scores);
      sums[m].top[cluster[i]] += static_cast<double>(ratio.top);
      sums[m].bottom[cluster[i]] += static_cast<double>(ratio.bottom);
    }
  }
  return sums;
}

void measure(JudgedRow& row, uint64_t seed, const std::vector<int>& cluster) {
  std::vector<int> own(row.items.size());
  std::iota(own.begin(), own.end(), 0);
  const std::vector<int>& of = cluster.empty() ? own : cluster;
  const size_t clusters = of.empty() ? 0 : 1 + *std::max_element(of.begin(), of.end());
  for (const Resampled& r : bootstrap(metric_sums(row.items, of, clusters), seed))
    row.metrics.push_back(estimate(r));
}

BinomialTest against_chance(const JudgedRow& row) {
  const discriminate::Ratio accuracy = discriminate::scores(sum(row.items)).accuracy;
  return binomial_test(accuracy.top, accuracy.bottom);
}

std::string auc_text(const std::optional<RankSum>& ranks, const std::optional<Estimate>& auc) {
  return ranks && !auc ? decimal(ranks->auc, 3) : interval_text(auc, 3);
}

Json to_json(const JudgedRow& row) {
  const Confusion c = sum(row.items);
  Json json = {{"counts",
                {{"real_as_real", c.real_as_real},
                 {"real_as_fake", c.real_as_fake},
                 {"fake_as_real", c.fake_as_real},
                 {"fake_as_fake", c.fake_as_fake}}}};
  for (size_t m = 0; m < std::size(kMetrics); ++m) {
    const std::string group = kMetrics[m].group;
    (group.empty() ? json : json[group])[kMetrics[m].name] = to_json(row.metrics[m]);
  }
  return json;
}

std::vector<std::vector<std::string>> columns_of(const std::vector<JudgedRow>& rows) {
  std::vector<std::vector<std::string>> table = {{""}};
  for (const JudgedRow& row : rows) table[0].push_back(row.name);
  for (size_t m = 0; m < std::size(kMetrics); ++m) {
    const std::string group = kMetrics[m].group;
    table.push_back({(group.empty() ? "" : group + " ") + kMetrics[m].name});
    for (const JudgedRow& row : rows) table.back().push_back(interval_text(row.metrics[m], 3));
  }
  return table;
}

}  // namespace heed
