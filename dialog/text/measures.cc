#include "dialog/text/measures.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "dialog/text/stop_words.h"
#include "dialog/text/text_file.h"
#include "dialog/text/tokenizer.h"
#include "dialog/text/word_bytes.h"

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

bool says_something(const std::string& word) {
  return std::any_of(word.begin(), word.end(), is_of_word) && !is_stop_word(word);
}

// Marks the words of the first place where all runs of `dull` stand one after the other.
void mark_dull(const Tokens& text, const Tokens& dull, std::vector<bool>& marked) {
  std::vector<bool> found = marked;
  auto from = text.begin();
  for (auto run = dull.begin(); run != dull.end();) {
    const auto end = std::find(run, dull.end(), "*");
    const auto at = std::search(from, text.end(), run, end);
    if (at == text.end() && run != end) return;
    from = at + (end - run);
    std::fill(found.begin() + (at - text.begin()), found.begin() + (from - text.begin()), true);
    run = end == dull.end() ? end : end + 1;
  }
  marked = std::move(found);
}

std::set<std::string> telling_words(const Tokens& text) {
  std::set<std::string> words;
  std::copy_if(text.begin(), text.end(), std::inserter(words, words.end()), says_something);
  return words;
}

}  // namespace

const std::vector<TextMeasure>& text_measures() {
  static const std::vector<TextMeasure> kMeasures = {
      {"bleu", "BLEU", 2, 100, true, false,
       [](const Texts& t, const Texts& r) { return corpus_bleu(t, r); }},
      {"bleu_2", "BLEU-2", 2, 100, true, true, mean_of<sentence_bleu_2>},
      {"rouge_l", "ROUGE-L", 2, 100, true, true, mean_of<rouge_l>},
      {"meteor_exact_stem", "METEOR", 2, 100, true, true, mean_of<meteor_exact_stem>},
      {"distinct_1", "distinct-1", 4, 1, false, false, distinct<1, Per::kTokens>},
      {"distinct_2", "distinct-2", 4, 1, false, false, distinct<2, Per::kTokens>},
      {"corpus_bleu_2", "BLEU-2 of all", 2, 100, true, false,
       [](const Texts& t, const Texts& r) { return corpus_bleu(t, r, 2); }},
      {"nist", "NIST", 3, 1, true, false,
       [](const Texts& t, const Texts& r) { return corpus_nist(t, r); }},
      {"rouge_1", "ROUGE-1", 2, 100, true, true, mean_of<rouge<1>>},
      {"rouge_2", "ROUGE-2", 2, 100, true, true, mean_of<rouge<2>>},
      {"distinct_2_of_pairs", "distinct-2 of pairs", 4, 1, false, false, distinct<2, Per::kNgrams>},
      {"ent_4", "ent-4", 3, 1, false, false,
       [](const Texts& t, const Texts&) { return ngram_entropy(t, 4); }},
      {"repetition", "repetition", 3, 1, true, true, repetition},
      {"nasl", "NASL", 3, 1, true, false,
       [](const Texts& t, const Texts& r) { return words(t, t) / words(r, r); }},
      {"mean_length", "words", 1, 1, false, true, words}};
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

double dull_penalty(const Tokens& response, const std::vector<Tokens>& dull) {
  std::vector<bool> marked(response.size());
  for (const Tokens& text : dull) mark_dull(response, text, marked);
  double telling = 0, kept = 0;
  for (size_t i = 0; i < response.size(); ++i) {
    if (!says_something(response[i])) continue;
    ++telling;
    if (!marked[i]) ++kept;
  }
  return 1 + std::log((2 + telling) / (2 + kept));
}

Texts read_dull(const std::string& path) {
  Texts dull;
  if (path.empty()) return dull;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) {
    if (const Tokens words = tokenize(line); !words.empty()) dull.push_back(words);
  }
  return dull;
}

Echoes::Echoes(const std::vector<Tokens>& utterances) {
  for (const Tokens& utterance : utterances) {
    const std::set<std::string> words = telling_words(utterance);
    for (const std::string& word : words) {
      with_word_[word].push_back(static_cast<int32_t>(sizes_.size()));
    }
    sizes_.push_back(static_cast<int32_t>(words.size()));
  }
}

double Echoes::of(const Tokens& response) const {
  const std::set<std::string> words = telling_words(response);
  std::map<int32_t, double> shared;
  for (const std::string& word : words) {
    const auto at = with_word_.find(word);
    if (at == with_word_.end()) continue;
    for (const int32_t utterance : at->second) ++shared[utterance];
  }
  double most = 0;
  for (const auto& [utterance, both] : shared) {
    most = std::max(most, both / (static_cast<double>(words.size()) + sizes_[utterance] - both));
  }
  return most;
}

}  // namespace heed
