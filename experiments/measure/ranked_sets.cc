#include "experiments/measure/ranked_sets.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "dialog/parts/vector_ranker.h"
#include "dialog/respond/evaluate.h"
#include "dialog/text/format.h"
#include "dialog/text/text_table.h"
#include "experiments/measure/measure_json.h"
#include "train/number_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
using retrieve::ScoredList;

// Treats whole utterances as tokens, so that inserted utterances are texts for any model.
class Utterances {
 public:
  int32_t number(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, static_cast<int32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  Example example(const MarkedContext& context) {
    Example example;
    example.dialogue_id = context.dialogue_id;
    for (const std::string& text : context.utterances) example.context.push_back({number(text)});
    example.distraction = context.distraction;
    example.distraction.resize(context.utterances.size());
    return example;
  }
  MarkedContext context(const Example& example) const {
    MarkedContext context{example.dialogue_id, {}, example.distraction};
    for (const auto& utterance : example.context)
      context.utterances.push_back(texts_[utterance[0]]);
    return context;
  }
  std::vector<Utterance> phrases(const std::vector<std::string>& texts) {
    std::vector<Utterance> numbers;
    for (const std::string& text : texts) numbers.push_back({number(text)});
    return numbers;
  }
  Pool pool(const std::vector<Dialogue>& dialogues) {
    Pool pool;
    for (const Dialogue& dialogue : dialogues) {
      for (const Turn& turn : dialogue.turns) {
        if (!is_blank(turn.text)) pool.push_back({dialogue.id, {number(turn.text)}});
      }
    }
    return pool;
  }

 private:
  std::unordered_map<std::string, int32_t> numbers_;
  std::vector<std::string> texts_;
};

double right_probability(const ScoredList& list) {
  const double top = *std::max_element(list.scores.begin(), list.scores.end());
  double sum = 0, right = 0;
  for (const double score : list.scores) sum += std::exp(score - top);
  for (const size_t place : list.right) right += std::exp(list.scores[place] - top);
  return right / sum;
}

}  // namespace

std::vector<MarkedContext> distracted(const std::vector<MarkedContext>& contexts,
                                      const TestSet& set, const std::vector<Dialogue>& pool,
                                      uint64_t seed) {
  Utterances utterances;
  std::vector<Example> examples;
  for (const MarkedContext& context : contexts) examples.push_back(utterances.example(context));
  const PhraseText texts;
  const Phrases phrases = {utterances.phrases(texts.frequent), utterances.phrases(texts.rare)};
  std::vector<MarkedContext> result;
  for (const Example& e : distracted(examples, set, utterances.pool(pool), phrases, seed)) {
    result.push_back(utterances.context(e));
  }
  return result;
}

DialogueScore look_score(const std::vector<std::vector<double>>& look,
                         std::vector<char> distraction) {
  DialogueScore score;
  score.as_scores = attention_scores(look);
  const auto unread = std::ssize(distraction) - std::ssize(look);
  distraction.erase(distraction.begin(), distraction.begin() + unread);
  score.distraction = std::move(distraction);
  score.das_ratio = das_ratio(dialogue_means(score.as_scores, score.distraction));
  return score;
}

std::vector<RankedSetRow> measure_sets(const std::vector<RankedSet>& sets, uint64_t seed) {
  std::vector<int> conversations;
  for (const ScoredList& list : sets[0].lists) conversations.push_back(list.conversation);
  std::vector<Quotient> means;  // four of each set
  const auto add = [&](const Series& series) {
    means.push_back(mean_quotient(series, conversations));
  };
  Series mrr_of_first;
  for (const RankedSet& set : sets) {
    Series first, mrr, change, right;
    for (const ScoredList& list : set.lists) {
      const retrieve::Ranks ranks(list);
      first.emplace_back(ranks.recall(1));
      mrr.emplace_back(ranks.reciprocal());
      right.emplace_back(right_probability(list));
    }
    if (mrr_of_first.empty()) mrr_of_first = mrr;
    for (size_t i = 0; i < mrr.size(); ++i) change.emplace_back(*mrr[i] - *mrr_of_first[i]);
    for (const Series& series : {first, mrr, change, right}) add(series);
  }
  const std::vector<Resampled> resampled = bootstrap(means, seed);
  std::vector<RankedSetRow> rows;
  for (size_t i = 0; i < sets.size(); ++i) {
    const Resampled* of = &resampled[4 * i];
    rows.push_back({sets[i].name, estimate(of[0]), estimate(of[1]), estimate(of[2]),
                    estimate(of[3]), summarize(sets[i].looks)});
  }
  return rows;
}

std::string sets_table(const std::vector<RankedSetRow>& rows, int width) {
  ColumnsOf<RankedSetRow> table(rows);
  const auto score = [&](const char* title, std::optional<double> ScoreSummary::*number) {
    table.add(title, [number](const RankedSetRow& row) {
      const std::optional<double>& value = row.looks.*number;
      return value ? decimal(*value, 2) : std::string("-");
    });
  };
  table.add("test set", [](const RankedSetRow& row) { return row.name; });
  table.add("R@1", [](const RankedSetRow& row) { return percent(row.first, true); });
  table.add("MRR", [](const RankedSetRow& row) { return percent(row.mrr, true); });
  table.add("change", [](const RankedSetRow& row) { return percent(row.change, true); });
  table.add("P(right)", [](const RankedSetRow& row) { return percent(row.right, true); });
  score("AS distr.", &ScoreSummary::as_distraction);
  score("AS history", &ScoreSummary::as_history);
  score("DAS ratio", &ScoreSummary::das_ratio);
  return table.text(width);
}

Json to_json(const std::vector<RankedSetRow>& rows) {
  Json json = Json::object();
  for (const RankedSetRow& row : rows) {
    json[row.name] = {{"recall_1", to_json(row.first)},
                      {"mrr", to_json(row.mrr)},
                      {"mrr_change", to_json(row.change)},
                      {"right_probability", to_json(row.right)},
                      {"distracted", row.looks.distracted},
                      {"as_distraction", or_null(row.looks.as_distraction)},
                      {"as_history", or_null(row.looks.as_history)},
                      {"das_ratio", or_null(row.looks.das_ratio)},
                      {"mean_das_ratio", or_null(row.looks.mean_das_ratio)}};
  }
  return json;
}

}  // namespace heed
