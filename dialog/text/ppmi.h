// Which words of a response go with which words of a query: positive pointwise mutual information
// (Takayama & Arase, "Relevant and informative response generation using pointwise mutual
// information", NLP4ConvAI 2019, section 3).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace heed {

// A query and its response, as numbers of words.
struct TextPair {
  std::vector<int32_t> query, response;
};

// A word counts that stands in `word` queries (or responses), two together in `pair` pairs: the
// measure loves rare words.
struct LeastPairs {
  int64_t word = 10, pair = 3;
};

// PPMI(x, y) = max(log2(P(x, y) / (P_Q(x) P_R(y))), 0), with the shares of the queries that hold x,
// of the responses that hold y, and of the pairs that hold both; 0 of what does not count.
class Ppmi {
 public:
  explicit Ppmi(const std::vector<TextPair>& pairs, const LeastPairs& least = {});
  // The words of a pair of which it is not 0, and what it is.
  struct Entry {
    int32_t query_word, response_word;
    double value;
  };
  explicit Ppmi(const std::vector<Entry>& entries);  // in the order of entries()
  std::vector<Entry> entries() const;                // in the order of the words

  double operator()(int32_t query_word, int32_t response_word) const;
  // v_f: of each word of a response the sum over the different words of the query of PPMI, where it
  // is not 0.
  std::map<int32_t, double> scores(const std::vector<int32_t>& query) const;
  // How a response goes with what was said before: the mean over its words of the largest PPMI that
  // a word of the history has with them; 0 of no words.
  double coherence(const std::vector<int32_t>& history, const std::vector<int32_t>& response) const;

 private:
  using Row = std::vector<std::pair<int32_t, double>>;  // response words in order, where not 0
  std::map<int32_t, Row> rows_;                         // of a query's word
};

}  // namespace heed
