#include "dialog/text/measures.h"

#include <cmath>

#include "base/error.h"

namespace heed {
namespace {

using Texts = std::vector<Tokens>;

// The mean of a function of one hypothesis and one reference.
template <auto function> double mean_of(const Texts& texts, const Texts& references) {
  double sum = 0;
  for (size_t i = 0; i < texts.size(); ++i) sum += function(texts[i], references[i]);
  return sum / static_cast<double>(texts.size());
}

template <int n> double rouge(const Tokens& text, const Tokens& reference) {
  return rouge_n(text, reference, n);
}
template <int n, Per per> double distinct(const Texts& texts, const Texts&) {
  return distinct_n(texts, n, per);
}

double words(const Texts& texts, const Texts&) {
  double sum = 0;
  for (const Tokens& text : texts) sum += static_cast<double>(text.size());
  return sum / static_cast<double>(texts.size());
}

}  // namespace

const std::vector<TextMeasure>& text_measures() {
  static const std::vector<TextMeasure> kMeasures = {
      {"bleu", "BLEU", 2, 100, true,
       [](const Texts& t, const Texts& r) { return corpus_bleu(t, r); }},
      {"bleu_2", "BLEU-2", 2, 100, true, mean_of<sentence_bleu_2>},
      {"rouge_l", "ROUGE-L", 2, 100, true, mean_of<rouge_l>},
      {"meteor_exact_stem", "METEOR", 2, 100, true, mean_of<meteor_exact_stem>},
      {"distinct_1", "distinct-1", 4, 1, false, distinct<1, Per::kTokens>},
      {"distinct_2", "distinct-2", 4, 1, false, distinct<2, Per::kTokens>},
      {"corpus_bleu_2", "BLEU-2 of all", 2, 100, true,
       [](const Texts& t, const Texts& r) { return corpus_bleu(t, r, 2); }},
      {"nist", "NIST", 3, 1, true,
       [](const Texts& t, const Texts& r) { return corpus_nist(t, r); }},
      {"rouge_1", "ROUGE-1", 2, 100, true, mean_of<rouge<1>>},
      {"rouge_2", "ROUGE-2", 2, 100, true, mean_of<rouge<2>>},
      {"distinct_2_of_pairs", "distinct-2 of pairs", 4, 1, false, distinct<2, Per::kNgrams>},
      {"ent_4", "ent-4", 3, 1, false,
       [](const Texts& t, const Texts&) { return ngram_entropy(t, 4); }},
      {"repetition", "repetition", 3, 1, true, repetition},
      {"nasl", "NASL", 3, 1, true,
       [](const Texts& t, const Texts& r) { return words(t, t) / words(r, r); }},
      {"mean_length", "words", 1, 1, false, words}};
  return kMeasures;
}

std::vector<std::optional<double>> measure_texts(const Texts& texts, const Texts& references,
                                                 bool human) {
  if (texts.empty()) throw UsageError("responses: there are none to measure");
  if (texts.size() != references.size()) {
    throw UsageError("responses: " + std::to_string(texts.size()) + " for " +
                     std::to_string(references.size()) + " references");
  }
  std::vector<std::optional<double>> values;
  for (const TextMeasure& measure : text_measures()) {
    const bool none = human && measure.with_references;
    values.push_back(none ? std::nullopt : std::optional(measure.value(texts, references)));
  }
  return values;
}

double vector_extrema(const Texts& texts, const Texts& references, const VectorOf& vector_of) {
  const auto extreme = [&](const Tokens& text) {
    std::vector<double> most;
    for (const std::string& word : text) {
      const std::span<const float> vector = vector_of(word);
      most.resize(std::max(most.size(), vector.size()));
      for (size_t i = 0; i < vector.size(); ++i) {
        if (std::abs(vector[i]) > std::abs(most[i])) most[i] = vector[i];
      }
    }
    return most;
  };
  double sum = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<double> a = extreme(texts[i]), b = extreme(references[i]);
    double product = 0, of_a = 0, of_b = 0;
    for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      product += a[k] * b[k], of_a += a[k] * a[k], of_b += b[k] * b[k];
    }
    if (of_a > 0 && of_b > 0) sum += product / std::sqrt(of_a * of_b);
  }
  return texts.empty() ? 0 : sum / static_cast<double>(texts.size());
}

}  // namespace heed
