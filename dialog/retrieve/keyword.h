// Scorers that count common words, without training beyond the counting.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dialog/retrieve/candidates.h"
#include "dialog/text/token_counts.h"
#include "dialog/text/tokenizer.h"

namespace heed::retrieve {

enum class Keywords { kTfIdf, kBm25 };

// Word ids, ascending, and their weights. A score is the product of two such vectors.
using Weights = std::vector<std::pair<int32_t, double>>;

// With df_t the number of the D training documents (contexts and responses) that have the word t
// (unseen words: 0):
//   TF-IDF  w_t = count_t (ln((1 + D) / (1 + df_t)) + 1); the score is the cosine
//   BM25    context  idf_t = ln(1 + (D - df_t + 0.5) / (df_t + 0.5)), each word once
//           response count_t (k1 + 1) / (count_t + k1 (1 - b + b |r| / avg)), k1 = 2, b = 0.75;
//           avg is the mean length of all documents, or of the responses alone
// Words are those of the tokenizer.
class WordStatistics {
 public:
  // Counts contexts and responses of the pairs.
  WordStatistics(const std::vector<Dialogue>& dialogues, const std::vector<Pair>& pairs);

  double mean_length(bool of_responses) const;

  // Not const: words that do not occur in training get ids.
  Weights tf_idf(std::string_view text);
  Weights bm25_context(std::string_view text);
  Weights bm25_response(std::string_view text, double mean_length);
  size_t words() const { return documents_with_.size(); }

 private:
  int32_t number(std::string_view word);
  std::vector<int32_t> numbers(std::string_view text);
  Weights counts(std::string_view text, double* length = nullptr);
  void count(const std::vector<int32_t>* begin, const std::vector<int32_t>* end);

  Tokenizer tokenizer_;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> numbers_;
  std::vector<int64_t> documents_with_, last_document_;  // of each word
  double documents_ = 0, length_ = 0, length_of_responses_ = 0;
};

// The scores of the candidates of each list; BM25 with either mean length.
std::vector<std::vector<double>> keyword_scores(const std::vector<Dialogue>& dialogues,
                                                const Lists& lists, Keywords kind,
                                                WordStatistics& statistics,
                                                bool length_of_responses);

// The scores with which only the `kept` candidates of a list that have the highest numbers in
// `words`, and those equal to the last of them, are ranked; the others come after them, all equal.
std::vector<std::vector<double>> filtered(std::vector<std::vector<double>> scores,
                                          const std::vector<std::vector<double>>& words,
                                          size_t kept);

}  // namespace heed::retrieve
