// The association of a response's words with a query's words: positive pointwise mutual information
// (Takayama & Arase, "Relevant and informative response generation using pointwise mutual
// information", NLP4ConvAI 2019, section 3).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace heed {

// A query and its response, as word ids.
struct TextPair {
  std::vector<int32_t> query, response;
};

// A word counts if it occurs in `word` queries (or responses), a pair of words if it occurs in
// `pair` pairs, because the measure favours rare words.
struct LeastPairs {
  int64_t word = 10, pair = 3;
};

// PPMI(x, y) = max(log2(P(x, y) / (P_Q(x) P_R(y))), 0), with the shares of the queries that have x,
// of the responses that have y, and of the pairs that have both; 0 for words that do not count.
class Ppmi {
 public:
  explicit Ppmi(const std::vector<TextPair>& pairs, const LeastPairs& least = {});
  // The words of a pair whose PPMI is not 0, and its value.
  struct Entry {
    int32_t query_word, response_word;
    double value;
  };
  explicit Ppmi(const std::vector<Entry>& entries);  // in the order of entries()
  std::vector<Entry> entries() const;                // in the order of the words

  double operator()(int32_t query_word, int32_t response_word) const;
  // v_f: for each word of a response the sum of PPMI over the different words of the query, where
  // it is not 0.
  std::map<int32_t, double> scores(const std::vector<int32_t>& query) const;
  // How well a response goes with the history: the mean over its words of the largest PPMI with a
  // word of the history; 0 for no words.
  double coherence(const std::vector<int32_t>& history, const std::vector<int32_t>& response) const;

 private:
  using Row = std::vector<std::pair<int32_t, double>>;  // response words in order, where not 0
  std::map<int32_t, Row> rows_;                         // of a query's word
};

}  // namespace heed
