#include "experiments/measure/judged_rows.h"

#include <algorithm>
#include <iterator>

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

void measure(JudgedRow& row, uint64_t seed, const std::vector<int>& cluster) {
  const size_t clusters =
      cluster.empty() ? row.items.size()
                      : static_cast<size_t>(1 + *std::max_element(cluster.begin(), cluster.end()));
  const std::vector<double> none(clusters);
  std::vector<Quotient> quotients(std::size(kMetrics), {none, none});
  for (size_t i = 0; i < row.items.size(); ++i) {
    const discriminate::Scores scores = discriminate::scores(row.items[i]);
    const size_t at = cluster.empty() ? i : static_cast<size_t>(cluster[i]);
    for (size_t m = 0; m < quotients.size(); ++m) {
      const discriminate::Ratio ratio = kMetrics[m].of(scores);
      quotients[m].top[at] += static_cast<double>(ratio.top);
      quotients[m].bottom[at] += static_cast<double>(ratio.bottom);
    }
  }
  for (const Resampled& r : bootstrap(quotients, seed)) row.metrics.push_back(estimate(r));
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
