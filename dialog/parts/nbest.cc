#include "dialog/parts/nbest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace heed {

std::vector<std::vector<double>> score(const Ranker& ranker, const std::vector<NBest>& lists,
                                       int64_t batch, std::string* remark) {
  std::vector<std::string> texts;
  std::vector<RankQuery> queries;
  for (const NBest& list : lists) {
    RankQuery& query = queries.emplace_back(RankQuery{list.context, {}});
    query.candidates.resize(list.responses.size());
    std::iota(query.candidates.begin(), query.candidates.end(), static_cast<int32_t>(texts.size()));
    texts.insert(texts.end(), list.responses.begin(), list.responses.end());
  }
  Ranker::Scores scores = ranker.score(texts, queries, batch);
  if (remark) *remark = std::move(scores.remark);
  return std::move(scores.of_queries);
}

std::vector<size_t> best_first(const std::vector<double>& scores) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::isnan(scores[b]) ? !std::isnan(scores[a]) : scores[a] > scores[b];
  });
  return order;
}

Ranker::Scores PairRanker::score(
    const std::vector<std::string>& texts, const std::vector<RankQuery>& queries, int64_t batch,
    const std::function<void(size_t done, size_t of)>& progress) const {
  Scores scores;
  for (const RankQuery& query : queries) {
    if (query.context.empty()) throw UsageError("ranking: a context has no utterance");
    Dialogue begin{"context " + std::to_string(scores.of_queries.size() + 1), {}};
    for (const std::string& text : query.context) begin.turns.push_back({"", text});
    std::vector<Dialogue> dialogues;
    for (const int32_t candidate : query.candidates) {
      dialogues.push_back(begin);
      dialogues.back().turns.push_back({"", texts.at(candidate)});
    }
    scores.of_queries.push_back(score_last(dialogues, batch));
    if (progress) progress(scores.of_queries.size(), queries.size());
  }
  return scores;
}

}  // namespace heed
