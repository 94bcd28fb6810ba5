#include "experiments/measure/rankings.h"

#include <algorithm>

#include "dialog/stats/roc.h"
#include "dialog/text/format.h"
#include "dialog/text/text_table.h"
#include "experiments/engine/stats/auc.h"
#include "experiments/measure/measure_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using retrieve::ScoredList;

namespace {

constexpr int64_t kPlaces[] = {1, 2, 5, 10, 50, 100};
const std::vector<double> kRates = {0.1, 0.05, 0.01};  // of false positives

void measure_auc(const std::vector<ScoredList>& lists, Ranking& row) {
  ScoredItems items;
  for (const ScoredList& list : lists) {
    std::vector<char> is_right(list.scores.size());
    for (const size_t place : list.right) is_right[place] = 1;
    for (size_t i = 0; i < is_right.size(); ++i) {
      items.add(is_right[i], list.scores[i], list.conversation);
    }
  }
  if (items.negative.empty()) return;
  row.areas = areas(items.positive, items.negative, kRates);
  row.auc = clustered_auc({std::move(items)});
}

}  // namespace

Ranking measure_ranking(const std::string& name, const std::vector<ScoredList>& lists,
                        uint64_t seed) {
  size_t longest = 0;
  std::vector<int> conversations;
  std::vector<retrieve::Ranks> ranks;
  for (const ScoredList& list : lists) {
    longest = std::max(longest, list.scores.size());
    conversations.push_back(list.conversation);
    ranks.emplace_back(list);
  }
  std::vector<Quotient> means;
  const auto add_mean = [&](auto number) {
    Series series;
    for (const retrieve::Ranks& of : ranks) series.emplace_back(number(of));
    means.push_back(mean_quotient(series, conversations));
  };
  Ranking row{.name = name};
  for (const int64_t k : kPlaces) {
    if (k >= static_cast<int64_t>(longest)) break;
    row.recall.emplace_back(k, std::nullopt);
    add_mean([k](const retrieve::Ranks& of) { return of.recall(k); });
  }
  add_mean([](const retrieve::Ranks& of) { return of.reciprocal(); });
  add_mean([](const retrieve::Ranks& of) { return of.average_precision(); });
  const std::vector<Resampled> resampled = bootstrap(means, seed);
  for (size_t i = 0; i < row.recall.size(); ++i) row.recall[i].second = estimate(resampled[i]);
  row.mrr = estimate(resampled[means.size() - 2]);
  row.map = estimate(resampled[means.size() - 1]);
  measure_auc(lists, row);
  return row;
}

Ranking chance_ranking(std::vector<ScoredList> lists, uint64_t seed) {
  for (ScoredList& list : lists) std::fill(list.scores.begin(), list.scores.end(), 0);
  return measure_ranking("chance", lists, seed);
}

std::string percent(std::optional<Estimate> e, bool interval) {
  if (!e) return "-";
  for (double* x : {&e->value, &e->interval.low, &e->interval.high}) *x *= 100;
  return interval ? interval_text(e, 1) : decimal(e->value, 1);
}

std::string rankings_table(const std::vector<Ranking>& rows, bool several_right, int width) {
  ColumnsOf<Ranking> table(rows);
  table.add("scorer", [](const Ranking& row) { return row.name; });
  for (size_t i = 0; i < rows[0].recall.size(); ++i) {
    table.add("R@" + std::to_string(rows[0].recall[i].first),
              [i](const Ranking& row) { return percent(row.recall[i].second, i == 0); });
  }
  table.add("MRR", [](const Ranking& row) { return percent(row.mrr, true); });
  if (several_right) table.add("MAP", [](const Ranking& row) { return percent(row.map, true); });
  table.add("AUC", [](const Ranking& row) { return percent(row.auc, true); });
  for (size_t i = 0; i < kRates.size(); ++i) {
    std::string rate = decimal(kRates[i], 2);
    if (rate.ends_with('0')) rate.pop_back();
    table.add("AUC@" + rate, [i](const Ranking& row) {
      return row.areas.empty() ? "-" : decimal(100 * row.areas[i], 1);
    });
  }
  return table.text(width);
}

static Json json_of(const Ranking& row) {
  Json json = {{"name", row.name}, {"recall", Json::object()}};
  for (const auto& [k, share] : row.recall) json["recall"][std::to_string(k)] = to_json(share);
  json["mrr"] = to_json(row.mrr);
  json["map"] = to_json(row.map);
  json["auc"] = to_json(row.auc);
  json["conversations"] = row.mrr ? Json(row.mrr->clusters) : Json();
  json["auc_at"] = Json::object();
  for (size_t i = 0; i < row.areas.size(); ++i) {
    json["auc_at"][Json(kRates[i]).dump()] = row.areas[i];
  }
  return json;
}

Json to_json(const std::vector<Ranking>& rankings) {
  Json json = Json::array();
  for (const Ranking& row : rankings) json.push_back(json_of(row));
  return json;
}

}  // namespace heed
