#include "dialog/retrieve/keyword.h"

#include <algorithm>
#include <cmath>

#include "tensor/parallel.h"

namespace heed::retrieve {

WordStatistics::WordStatistics(const std::vector<Dialogue>& dialogues,
                               const std::vector<Pair>& pairs) {
  std::vector<std::vector<int32_t>> turns;  // of the dialogue that the pair before was of
  size_t dialogue = dialogues.size();
  for (const Pair& pair : pairs) {
    if (pair.dialogue != dialogue) {
      dialogue = pair.dialogue;
      turns.clear();
      for (const Turn& turn : dialogues[dialogue].turns) turns.push_back(numbers(turn.text));
    }
    const auto* response = &turns[pair.response];
    count(&turns[pair.begin], response);
    count(response, response + 1);
    length_of_responses_ += static_cast<double>(response->size());
  }
}

// A document: the turns [begin, end).
void WordStatistics::count(const std::vector<int32_t>* begin, const std::vector<int32_t>* end) {
  const auto document = static_cast<int64_t>(++documents_);
  for (const auto* turn = begin; turn < end; ++turn) {
    length_ += static_cast<double>(turn->size());
    for (const int32_t word : *turn) {
      if (last_document_[word] == document) continue;
      last_document_[word] = document;
      ++documents_with_[word];
    }
  }
}

// At least 1: of documents without words none has a length.
double WordStatistics::mean_length(bool of_responses) const {
  return std::max(1.0, of_responses ? 2 * length_of_responses_ / documents_ : length_ / documents_);
}

int32_t WordStatistics::number(std::string_view word) {
  if (const auto found = numbers_.find(word); found != numbers_.end()) return found->second;
  const auto number = static_cast<int32_t>(documents_with_.size());
  numbers_.emplace(word, number);
  documents_with_.push_back(0);
  last_document_.push_back(0);
  return number;
}

std::vector<int32_t> WordStatistics::numbers(std::string_view text) {
  std::vector<int32_t> result;
  for (const std::string_view word : tokenizer_(text)) result.push_back(number(word));
  return result;
}

Weights WordStatistics::counts(std::string_view text, double* length) {
  std::vector<int32_t> words = numbers(text);
  if (length) *length = static_cast<double>(words.size());
  std::sort(words.begin(), words.end());
  Weights counts;
  for (const int32_t word : words) {
    if (counts.empty() || counts.back().first != word) counts.emplace_back(word, 0);
    ++counts.back().second;
  }
  return counts;
}

Weights WordStatistics::tf_idf(std::string_view text) {
  Weights weights = counts(text);
  double squares = 0;
  for (auto& [word, weight] : weights) {
    const auto df = static_cast<double>(documents_with_[word]);
    weight *= std::log((1 + documents_) / (1 + df)) + 1;
    squares += weight * weight;
  }
  for (auto& [word, weight] : weights) weight /= std::sqrt(squares);
  return weights;
}

Weights WordStatistics::bm25_context(std::string_view text) {
  Weights weights = counts(text);
  for (auto& [word, weight] : weights) {
    const auto df = static_cast<double>(documents_with_[word]);
    weight = std::log(1 + (documents_ - df + 0.5) / (df + 0.5));
  }
  return weights;
}

Weights WordStatistics::bm25_response(std::string_view text, double mean_length) {
  constexpr double k1 = 2, b = 0.75;
  double length = 0;
  Weights weights = counts(text, &length);
  for (auto& [word, weight] : weights) {
    weight *= (k1 + 1) / (weight + k1 * (1 - b + b * length / mean_length));
  }
  return weights;
}

std::vector<std::vector<double>> keyword_scores(const std::vector<Dialogue>& dialogues,
                                                const Lists& lists, Keywords kind,
                                                WordStatistics& statistics,
                                                bool length_of_responses) {
  const bool tf_idf = kind == Keywords::kTfIdf;
  const double mean = statistics.mean_length(length_of_responses);
  std::vector<Weights> responses, contexts;
  for (const std::string& text : lists.texts()) {
    responses.push_back(tf_idf ? statistics.tf_idf(text) : statistics.bm25_response(text, mean));
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    const std::string text = context_text(dialogues, lists.pair(i));
    contexts.push_back(tf_idf ? statistics.tf_idf(text) : statistics.bm25_context(text));
  }
  std::vector<std::vector<double>> scores(lists.size());
  constexpr int64_t kGrain = 64;
  parallel_ranges(std::ssize(scores), kGrain, [&](int64_t begin, int64_t end) {
    std::vector<double> of_word(statistics.words());  // of one context
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      for (const auto& [word, weight] : contexts[i]) of_word[word] = weight;
      for (const int32_t candidate : lists.candidates(i)) {
        double sum = 0;  // in the order of the words: equal words give equal scores
        for (const auto& [word, weight] : responses[candidate]) sum += weight * of_word[word];
        scores[i].push_back(sum);
      }
      for (const auto& [word, weight] : contexts[i]) of_word[word] = 0;
    }
  });
  return scores;
}

std::vector<std::vector<double>> filtered(std::vector<std::vector<double>> scores,
                                          const std::vector<std::vector<double>>& words,
                                          size_t kept) {
  for (size_t i = 0; i < scores.size(); ++i) {
    std::vector<double> order = words[i];
    if (order.size() <= kept) continue;
    const auto last = order.begin() + static_cast<ptrdiff_t>(kept) - 1;
    std::nth_element(order.begin(), last, order.end(), std::greater<>());
    const double lowest = *std::min_element(scores[i].begin(), scores[i].end());
    for (size_t k = 0; k < scores[i].size(); ++k) {
      if (words[i][k] < *last) scores[i][k] = lowest - std::abs(lowest) - 1;
    }
  }
  return scores;
}

}  // namespace heed::retrieve
