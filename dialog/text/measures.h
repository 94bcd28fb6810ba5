// Every measure of generated texts, in one list: what commands print, results files keep and pages
// explain comes from here. The functions stand in overlap.h.
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
  int digits;            // shown behind the point
  double factor;         // 100 for what is shown in percent
  bool with_references;  // of the texts themselves against others; not of the references alone
  double (*value)(const std::vector<Tokens>& texts, const std::vector<Tokens>& references);
};
const std::vector<TextMeasure>& text_measures();

// Of each measure its value, in the order of the list; none where it needs references, and `human`
// says that the texts are the references. Throws UsageError if the numbers of texts and references
// differ, or there are none.
std::vector<std::optional<double>> measure_texts(const std::vector<Tokens>& texts,
                                                 const std::vector<Tokens>& references,
                                                 bool human = false);

// Vector extrema (Forgues et al. 2014): the mean over pairs of the cosine of two vectors, each made
// of a text's words: of every dimension the number that is largest in size. 0 of a pair where a
// text has no word with a vector. `vector_of` gives nothing for a word without one.
using VectorOf = std::function<std::span<const float>(const std::string& word)>;
double vector_extrema(const std::vector<Tokens>& texts, const std::vector<Tokens>& references,
                      const VectorOf& vector_of);

// Of SS, the distance from a response to an utterance (Dziri et al. 2019, Augmenting neural
// response generation with context-aware topical attention): P (1 - cos) of their vectors, where
//   P = 1 + ln((2 + L') / (2 + L''))
// makes dull responses far from everything. L': the words of the response that are neither stop
// words nor signs, L'': those of them outside of any dull part. A dull part is a text in which "*"
// stands for any words, or none; its other words stand in the response in their order, those
// between two "*" side by side.
double dull_penalty(const Tokens& response, const std::vector<Tokens>& dull);
// Dull parts of a file, a line each; none of an empty path. Throws DataError as LineReader does.
std::vector<Tokens> read_dull(const std::string& path);

// REI (the same): how much a response repeats one utterance that people said, the largest Jaccard
// index of two sets of words, stop words and signs left out; without its lemmas, so "rei-words".
class Echoes {
 public:
  explicit Echoes(const std::vector<Tokens>& utterances);
  double of(const Tokens& response) const;  // 0 where the response has no such word

 private:
  std::map<std::string, std::vector<int32_t>> with_word_;  // the utterances that have it
  std::vector<int32_t> sizes_;                             // different words of each utterance
};

}  // namespace heed
