// The list of all measures of generated texts, which commands print, results files keep and pages
// explain. The functions are in overlap.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dialog/text/overlap.h"

namespace heed {

struct TextMeasure {
  const char *key, *title;
  int digits;            // shown after the point
  double factor;         // 100 for percentages
  bool with_references;  // compares the texts with references; undefined for references alone
  // Whether it is the mean over the texts of its value for one text alone, value({t}, {r}). Others,
  // such as corpus BLEU and distinct-n, are of all texts together.
  bool is_mean;
  double (*value)(const std::vector<Tokens>& texts, const std::vector<Tokens>& references);
};
const std::vector<TextMeasure>& text_measures();

// The value of each measure, in the order of the list; none if it needs references and the texts
// are the references themselves (`human`). Throws UsageError if the numbers of texts and references
// differ, or if there are none.
std::vector<std::optional<double>> measure_texts(const std::vector<Tokens>& texts,
                                                 const std::vector<Tokens>& references,
                                                 bool human = false);

// Vector extrema (Forgues et al. 2014): the mean over pairs of the cosine of two vectors, each made
// from a text's words: in every dimension the number that is largest in size. 0 for a pair in which
// a text has no word with a vector. `vector_of` returns nothing for a word without one.
using VectorOf = std::function<std::span<const float>(const std::string& word)>;
double vector_extrema(const std::vector<Tokens>& texts, const std::vector<Tokens>& references,
                      const VectorOf& vector_of);

// The factor P of SS, the distance from a response to an utterance (Dziri et al. 2019, Augmenting
// neural response generation with context-aware topical attention), P (1 - cos) of their vectors:
//   P = 1 + ln((2 + L') / (2 + L''))
// puts dull responses far from everything. L' is the number of words of the response that are
// neither stop words nor punctuation, L'' the number of those outside of any dull part. A dull part
// is a pattern in which "*" stands for any words, or none; its other words occur in the response in
// order, those between two "*" contiguously.
double dull_penalty(const Tokens& response, const std::vector<Tokens>& dull);
// Dull parts of a file, a line each; none of an empty path. Throws DataError as LineReader does.
std::vector<Tokens> read_dull(const std::string& path);

// REI (the same): how much a response repeats one human utterance, the largest Jaccard index of
// their sets of words without stop words and punctuation; not of lemmas, hence "rei-words".
class Echoes {
 public:
  explicit Echoes(const std::vector<Tokens>& utterances);
  double of(const Tokens& response) const;  // 0 if the response has no such word

 private:
  std::map<std::string, std::vector<int32_t>> with_word_;  // the utterances that have it
  std::vector<int32_t> sizes_;                             // different words of each utterance
};

}  // namespace heed
