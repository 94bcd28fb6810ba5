// How well scorers rank candidates: a row of a table each.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dialog/retrieve/metrics.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {

// Intervals are those of a bootstrap over the lists' conversations; that of the AUC is
// Obuchowski's.
struct Ranking {
  std::string name = {};
  std::vector<std::pair<int64_t, std::optional<Estimate>>> recall = {};  // k, R@k
  std::optional<Estimate> mrr = {}, map = {}, auc = {};
  std::vector<double> areas = {};  // AUC@p of kRates; none where no candidate is wrong
};

Ranking measure_ranking(const std::string& name, const std::vector<retrieve::ScoredList>& lists,
                        uint64_t seed);
// What a scorer has that knows nothing.
Ranking chance_ranking(std::vector<retrieve::ScoredList> lists, uint64_t seed);

// "34.7", with the interval "34.7 [32.8, 36.6]"; "-" for none.
std::string percent(std::optional<Estimate> e, bool interval);
// With one right candidate a list, MAP is MRR.
std::string rankings_table(const std::vector<Ranking>& rows, bool several_right, int width);

}  // namespace heed
