#include "experiments/measure/reranked.h"

#include <algorithm>
#include <iterator>

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
  for (size_t i = 0; i < lists.size(); ++i) {
    row.firsts.push_back(lists[i].responses.at(firsts[i]));
    row.changed += (row.firsts[i] != lists[i].responses[0]) / static_cast<double>(lists.size());
  }
  row.values = measure_texts(row.firsts, references);
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

std::vector<TextMeasure> mean_measures() {
  std::vector<TextMeasure> some;
  std::ranges::copy_if(text_measures(), std::back_inserter(some), &TextMeasure::is_mean);
  return some;
}

std::vector<RowAbove> rows_above(const std::vector<RerankedRow>& rows, const std::string& than,
                                 const std::vector<Tokens>& references,
                                 const std::vector<int>& conversations) {
  const std::vector<TextMeasure> measures = mean_measures();
  std::vector<Quotient> quotients;
  size_t base = rows.size();
  for (const RerankedRow& row : rows) {
    if (row.name == than) base = quotients.size();
    for (const TextMeasure& m : measures) {
      Series values;
      for (size_t i = 0; i < references.size(); ++i) {
        values.emplace_back(m.value({row.firsts[i]}, {references[i]}));
      }
      quotients.push_back(mean_quotient(values, conversations));
    }
  }
  const std::vector<Resampled> drawn = bootstrap(quotients);
  std::vector<RowAbove> all;
  for (size_t at = 0; at < drawn.size(); at += measures.size()) {
    RowAbove& row = all.emplace_back(RowAbove{rows[at / measures.size()].name, {}});
    for (size_t k = 0; at != base && k < measures.size(); ++k) {
      row.by.push_back(estimate(difference(drawn[at + k], drawn[base + k])));
    }
  }
  return all;
}

std::string above_table(const std::vector<RowAbove>& rows, const std::string& than, int width) {
  std::vector<RowAbove> others;
  std::ranges::copy_if(rows, std::back_inserter(others),
                       [](const RowAbove& row) { return !row.by.empty(); });
  ColumnsOf<RowAbove> table(others);
  table.add("above " + than, [](const RowAbove& row) { return row.name; });
  const std::vector<TextMeasure> measures = mean_measures();
  for (size_t k = 0; k < measures.size(); ++k) {
    const TextMeasure& m = measures[k];
    table.add(m.title, [&, k](const RowAbove& row) {
      const auto text = [&](double x) { return decimal(m.factor * x, m.digits); };
      const Estimate& e = row.by[k].value();
      return (e.value > 0 ? "+" : "") + text(e.value) + " [" + text(e.interval.low) + ", " +
             text(e.interval.high) + "]";
    });
  }
  return table.text(width);
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
