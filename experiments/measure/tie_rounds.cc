#include "experiments/measure/tie_rounds.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "dialog/text/format.h"
#include "dialog/text/text_table.h"
#include "experiments/measure/measure_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using people::Judgement;
using people::Key;

namespace {

void sample(TieRound& round, const TieSampling& o) {
  if (o.size > round.pairs()) {
    throw DataError(o.source + ": round " + std::to_string(round.number) + " has " +
                    std::to_string(round.pairs()) + (round.all ? "" : " different") +
                    " pairs, fewer than --size " + std::to_string(o.size));
  }
  round.samples =
      people::sample_ties(round.pairs(), round.chosen[people::kTie], o.size, o.samples, o.seed);
  Quotient ties;
  for (int choice = people::kA; choice <= people::kTie; ++choice) {
    const auto n = static_cast<size_t>(round.chosen[static_cast<size_t>(choice)]);
    ties.top.insert(ties.top.end(), n, choice == people::kTie);
  }
  ties.bottom.assign(ties.top.size(), 1);
  round.share = estimate(bootstrap({ties}, o.seed)[0]);
}

// The run that was chosen, wherever its response stood.
int run_of(const Judgement& j, const Key& key) {
  if (j.choice == people::kTie || !key.items[j.item].swapped) return j.choice;
  return j.choice == people::kA ? people::kB : people::kA;
}

}  // namespace

std::vector<TieRound> tie_rounds(const std::vector<Judgement>& judgements, const Key& key,
                                 const TieSampling& o) {
  std::map<std::pair<int, bool>, TieRound> rounds;
  const bool some_identical = std::any_of(key.items.begin(), key.items.end(),
                                          [](const auto& item) { return item.identical; });
  for (const Judgement& j : judgements) {
    for (const bool all : {true, false}) {
      if (!all && (!some_identical || key.items[j.item].identical)) continue;
      TieRound& round = rounds.try_emplace({j.round, !all}, TieRound{.number = j.round, .all = all})
                            .first->second;
      ++round.chosen[static_cast<size_t>(run_of(j, key))];
    }
  }
  std::vector<TieRound> result;
  for (auto& [id, round] : rounds) {
    sample(round, o);
    result.push_back(std::move(round));
  }
  return result;
}

Agreement tie_agreement(const std::vector<Judgement>& judgements, const Key& key, uint64_t seed) {
  RatingCounts counts(key.items.size(), std::vector<int64_t>(3));
  for (const Judgement& j : judgements) ++counts[j.item][static_cast<size_t>(run_of(j, key))];
  std::erase(counts, std::vector<int64_t>(3));
  return fleiss_pi(counts, seed);
}

std::string tie_table(const std::vector<TieRound>& rounds, int width) {
  std::vector<std::vector<std::string>> cells = {
      {"round", "pairs", "ties", "share of ties", "mean", "deviation", "95 %", "half or more"}};
  for (const TieRound& r : rounds) {
    const people::TieSamples& s = r.samples;
    cells.push_back({std::to_string(r.number) + (r.all ? "" : ", different"),
                     std::to_string(r.pairs()), std::to_string(r.chosen[people::kTie]),
                     interval_text(r.share, 3), decimal(s.mean, 3), decimal(s.deviation, 4),
                     decimal(s.low, 3) + " to " + decimal(s.high, 3),
                     decimal(100 * s.half_or_more, 2) + " %"});
  }
  return text_table_of_rows(cells, width);
}

Json to_json(const TieRound& r) {
  const people::TieSamples& s = r.samples;
  return {{"round", r.number},
          {"pairs_with", r.all ? "all" : "different responses"},
          {"pairs", r.pairs()},
          {"a", r.chosen[people::kA]},
          {"b", r.chosen[people::kB]},
          {"ties", r.chosen[people::kTie]},
          {"share", to_json(r.share)},
          {"samples",
           {{"mean", s.mean},
            {"deviation", s.deviation},
            {"expected_deviation", s.expected_deviation},
            {"low", s.low},
            {"high", s.high},
            {"half_or_more", s.half_or_more},
            {"histogram", s.histogram}}}};
}

}  // namespace heed
