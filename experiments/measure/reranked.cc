#include "experiments/measure/reranked.h"

#include "dialog/text/format.h"
#include "dialog/text/measures.h"
#include "dialog/text/text_table.h"
#include "tensor/random.h"

namespace heed {

ListDiversity diversity_of(const std::vector<Offered>& lists) {
  ListDiversity mean;
  const auto n = static_cast<double>(lists.size());
  for (const Offered& list : lists) {
    mean.size += static_cast<double>(list.responses.size()) / n;
    mean.distinct_1 += distinct_n(list.responses, 1) / n;
    mean.distinct_2 += distinct_n(list.responses, 2) / n;
  }
  return mean;
}

std::vector<size_t> firsts_of(const std::vector<std::vector<double>>& scores) {
  std::vector<size_t> firsts;
  for (const std::vector<double>& of_list : scores) firsts.push_back(best_first(of_list).at(0));
  return firsts;
}

RerankedRow measure_firsts(const std::string& name, const std::vector<Offered>& lists,
                           const std::vector<size_t>& firsts,
                           const std::vector<Tokens>& references) {
  RerankedRow row{name};
  std::vector<Tokens> responses;
  for (size_t i = 0; i < lists.size(); ++i) {
    responses.push_back(lists[i].responses.at(firsts[i]));
    row.changed += (responses.back() != lists[i].responses[0]) / static_cast<double>(lists.size());
  }
  row.values = measure_texts(responses, references);
  return row;
}

std::vector<size_t> nearest_to(const std::vector<Offered>& lists,
                               const std::vector<Tokens>& references) {
  std::vector<std::vector<double>> scores;
  for (size_t i = 0; i < lists.size(); ++i) {
    scores.emplace_back();
    for (const Tokens& response : lists[i].responses) {
      scores.back().push_back(rouge_l(response, references[i]));
    }
  }
  return firsts_of(scores);
}

std::vector<size_t> drawn_of(const std::vector<Offered>& lists, uint64_t seed) {
  std::vector<size_t> places;
  for (size_t i = 0; i < lists.size(); ++i) {
    places.push_back(Rng(seed, "reranked.drawn", i).below(lists[i].responses.size()));
  }
  return places;
}

std::string reranked_table(const std::vector<RerankedRow>& rows, int width) {
  ColumnsOf<RerankedRow> table(rows);
  table.add("", [](const RerankedRow& row) { return row.name; });
  table.add("changed", [](const RerankedRow& row) { return decimal(100 * row.changed, 1) + " %"; });
  for (size_t i = 0; i < text_measures().size(); ++i) {
    const TextMeasure& m = text_measures()[i];
    table.add(m.title, [&](const RerankedRow& row) {
      return decimal(m.factor * row.values[i].value(), m.digits);
    });
  }
  return table.text(width);
}

}  // namespace heed
