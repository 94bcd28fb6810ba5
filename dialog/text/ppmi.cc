#include "dialog/text/ppmi.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace heed {
namespace {

using Words = std::vector<int32_t>;

Words different(const Words& words) {
  const std::set<int32_t> all(words.begin(), words.end());
  return {all.begin(), all.end()};
}

}  // namespace

// One query word after the other, so that only its own counts are there at a time.
Ppmi::Ppmi(const std::vector<TextPair>& pairs, const LeastPairs& least) {
  const auto total = static_cast<double>(pairs.size());
  std::map<int32_t, int64_t> of_responses;
  std::map<int32_t, std::vector<size_t>> holding;  // the pairs whose query holds a word
  std::vector<Words> responses;
  for (size_t i = 0; i < pairs.size(); ++i) {
    responses.push_back(different(pairs[i].response));
    for (const int32_t y : responses.back()) ++of_responses[y];
    for (const int32_t x : different(pairs[i].query)) holding[x].push_back(i);
  }
  for (const auto& [x, places] : holding) {
    const auto of_queries = static_cast<int64_t>(places.size());
    if (of_queries < least.word) continue;
    std::map<int32_t, int64_t> together;
    for (const size_t i : places) {
      for (const int32_t y : responses[i]) ++together[y];
    }
    for (const auto& [y, both] : together) {
      const int64_t of_y = of_responses[y];
      if (of_y < least.word || both < least.pair) continue;
      const double ratio = static_cast<double>(both) * total /
                           (static_cast<double>(of_queries) * static_cast<double>(of_y));
      if (ratio > 1) rows_[x].emplace_back(y, std::log2(ratio));
    }
  }
}

Ppmi::Ppmi(const std::vector<Entry>& entries) {
  for (const Entry& e : entries) rows_[e.query_word].emplace_back(e.response_word, e.value);
}

std::vector<Ppmi::Entry> Ppmi::entries() const {
  std::vector<Entry> all;
  for (const auto& [x, row] : rows_) {
    for (const auto& [y, value] : row) all.push_back({x, y, value});
  }
  return all;
}

double Ppmi::operator()(int32_t query_word, int32_t response_word) const {
  const auto row = rows_.find(query_word);
  if (row == rows_.end()) return 0;
  const auto found = std::lower_bound(
      row->second.begin(), row->second.end(), response_word,
      [](const std::pair<int32_t, double>& entry, int32_t word) { return entry.first < word; });
  return found == row->second.end() || found->first != response_word ? 0 : found->second;
}

std::map<int32_t, double> Ppmi::scores(const Words& query) const {
  std::map<int32_t, double> sums;
  for (const int32_t x : different(query)) {
    const auto row = rows_.find(x);
    if (row == rows_.end()) continue;
    for (const auto& [y, value] : row->second) sums[y] += value;
  }
  return sums;
}

double Ppmi::coherence(const Words& history, const Words& response) const {
  const Words said = different(history);
  double sum = 0;
  for (const int32_t y : response) {
    double most = 0;
    for (const int32_t x : said) most = std::max(most, (*this)(x, y));
    sum += most;
  }
  return response.empty() ? 0 : sum / static_cast<double>(response.size());
}

}  // namespace heed
