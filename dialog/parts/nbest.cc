#include "dialog/parts/nbest.h"

#include <algorithm>
#include <cmath>
#include <map>
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

std::vector<std::vector<double>> mmi(std::vector<std::vector<double>> log_p, double weight,
                                     const Ranker& reversed, const std::vector<NBest>& lists,
                                     int64_t batch) {
  std::vector<std::string> queries;
  std::vector<RankQuery> asked;
  for (const NBest& list : lists) {
    if (list.context.empty()) throw UsageError("ranking: a context has no utterance");
    queries.push_back(list.context.back());
    const auto query = static_cast<int32_t>(queries.size()) - 1;
    for (const std::string& response : list.responses) asked.push_back({{response}, {query}});
  }
  const auto of_query = reversed.score(queries, asked, batch).of_queries;
  auto at = of_query.begin();
  for (std::vector<double>& list : log_p) {
    for (double& value : list) value = (1 - weight) * value + weight * (*at++)[0];
  }
  return log_p;
}

std::vector<std::vector<double>> antilm(std::vector<std::vector<double>> log_p, double weight,
                                        const Ranker& model, const std::vector<NBest>& lists,
                                        const std::vector<std::vector<std::string>>& contexts,
                                        int64_t batch) {
  if (contexts.empty()) throw UsageError("ranking: there is no context");
  std::map<std::string, double> alone;  // of each text
  for (const NBest& list : lists) {
    for (const std::string& response : list.responses) alone[response] = 0;
  }
  std::vector<std::string> texts;
  for (const auto& [text, unknown] : alone) texts.push_back(text);
  std::vector<int32_t> all(texts.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<RankQuery> asked;
  for (const auto& context : contexts) asked.push_back({context, all});
  const auto scores = model.score(texts, asked, batch).of_queries;
  for (size_t i = 0; i < texts.size(); ++i) {
    double highest = scores[0][i], sum = 0;
    for (const auto& of_context : scores) highest = std::max(highest, of_context[i]);
    for (const auto& of_context : scores) sum += std::exp(of_context[i] - highest);
    alone[texts[i]] = highest + std::log(sum / static_cast<double>(scores.size()));
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    for (size_t k = 0; k < log_p[i].size(); ++k) {
      log_p[i][k] -= weight * alone.at(lists[i].responses[k]);
    }
  }
  return log_p;
}

std::vector<std::vector<std::string>> last_utterances(
    const std::vector<std::vector<std::string>>& contexts, size_t n) {
  n = std::min(n, contexts.size());
  std::vector<std::vector<std::string>> some;
  for (size_t i = 0; i < n; ++i) some.push_back({contexts[i * contexts.size() / n].back()});
  return some;
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
  std::vector<Dialogue> dialogues;  // of several queries, as many as a batch holds
  const auto score_up_to = [&](size_t query) {
    const std::vector<double> all = score_last(dialogues, batch);
    for (auto at = all.begin(); scores.of_queries.size() < query;) {
      const auto end = at + std::ssize(queries[scores.of_queries.size()].candidates);
      scores.of_queries.emplace_back(at, end);
      at = end;
    }
    dialogues.clear();
    if (progress) progress(query, queries.size());
  };
  for (size_t i = 0; i < queries.size(); ++i) {
    if (queries[i].context.empty()) throw UsageError("ranking: a context has no utterance");
    Dialogue begin{"context " + std::to_string(i + 1), {}};
    for (const std::string& text : queries[i].context) begin.turns.push_back({"", text});
    for (const int32_t candidate : queries[i].candidates) {
      dialogues.push_back(begin);
      dialogues.back().turns.push_back({"", texts.at(candidate)});
    }
    if (std::ssize(dialogues) >= batch || i + 1 == queries.size()) score_up_to(i + 1);
  }
  return scores;
}

}  // namespace heed
