#include "dialog/text/overlap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "dialog/text/porter_stemmer.h"

namespace heed {
namespace {

template <class Function> void for_each_ngram(const Tokens& tokens, size_t n, Function function) {
  for (size_t i = 0; i + n <= tokens.size(); ++i) {
    const auto begin = tokens.begin() + static_cast<ptrdiff_t>(i);
    function(Tokens(begin, begin + static_cast<ptrdiff_t>(n)));
  }
}

// How often each n-gram stands in the texts.
std::map<Tokens, int64_t> ngrams_of(std::span<const Tokens> texts, size_t n) {
  std::map<Tokens, int64_t> counts;
  for (const Tokens& text : texts) {
    for_each_ngram(text, n, [&](Tokens ngram) { ++counts[std::move(ngram)]; });
  }
  return counts;
}

// function(ngram) for those of the hypothesis that are in the reference, each at most as often as
// it is there.
template <class Function>
void for_each_match(const Tokens& hypothesis, const Tokens& reference, size_t n,
                    Function function) {
  std::map<Tokens, int64_t> unmatched = ngrams_of({&reference, 1}, n);
  for_each_ngram(hypothesis, n, [&](const Tokens& ngram) {
    const auto found = unmatched.find(ngram);
    if (found != unmatched.end() && found->second-- > 0) function(ngram);
  });
}

int64_t count_matches(const Tokens& hypothesis, const Tokens& reference, size_t n) {
  int64_t matches = 0;
  for_each_match(hypothesis, reference, n, [&](const Tokens&) { ++matches; });
  return matches;
}

size_t count_ngrams(const Tokens& text, size_t n) {
  return text.size() < n ? 0 : text.size() - n + 1;
}
size_t count_ngrams(const std::vector<Tokens>& texts, size_t n) {
  size_t count = 0;
  for (const Tokens& text : texts) count += count_ngrams(text, n);
  return count;
}

void check_order(const char* what, int n) {
  if (n >= 1) return;
  throw UsageError(std::string(what) + ": n must be at least 1, got " + std::to_string(n));
}

void check_counts(const char* what, const std::vector<Tokens>& hypotheses,
                  const std::vector<Tokens>& references) {
  if (hypotheses.size() == references.size()) return;
  throw UsageError(std::string(what) + ": " + std::to_string(hypotheses.size()) +
                   " hypotheses for " + std::to_string(references.size()) + " references");
}

// Of the longest common subsequence.
size_t common_length(const Tokens& a, const Tokens& b) {
  std::vector<size_t> above(b.size() + 1), row(b.size() + 1);  // of the first words of a and of b
  for (const std::string& word : a) {
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = word == b[j - 1] ? above[j - 1] + 1 : std::max(above[j], row[j - 1]);
    }
    std::swap(above, row);
  }
  return above.back();
}

using Places = std::map<std::string, std::vector<size_t>>;

// For each word of the hypothesis the place of its match in the reference, -1 without one; adds to
// `matches` those of words whose forms are equal, the last ones first.
template <class Form>
void match(const Tokens& hypothesis, const Tokens& reference, Form form,
           std::vector<int64_t>& matches) {
  Places free;
  for (size_t j = 0; j < reference.size(); ++j) {
    const bool taken =
        std::find(matches.begin(), matches.end(), static_cast<int64_t>(j)) != matches.end();
    if (!taken) free[form(reference[j])].push_back(j);
  }
  for (size_t i = hypothesis.size(); i-- > 0;) {
    if (matches[i] >= 0) continue;
    const auto found = free.find(form(hypothesis[i]));
    if (found == free.end() || found->second.empty()) continue;
    matches[i] = static_cast<int64_t>(found->second.back());
    found->second.pop_back();
  }
}

}  // namespace

double corpus_bleu(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references,
                   int order) {
  check_counts("BLEU", hypotheses, references);
  check_order("BLEU", order);
  const std::vector<size_t> words = {count_ngrams(hypotheses, 1), count_ngrams(references, 1)};
  double log_precision = 0;
  for (int n = 1; n <= order; ++n) {
    int64_t matches = 0;
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      matches += count_matches(hypotheses[i], references[i], n);
    }
    if (matches == 0) return 0;  // then the product is 0
    log_precision +=
        std::log(static_cast<double>(matches) / static_cast<double>(count_ngrams(hypotheses, n)));
  }
  const double length_ratio = static_cast<double>(words[1]) / static_cast<double>(words[0]);
  return std::exp(std::min(0.0, 1 - length_ratio) + log_precision / order);
}

double corpus_nist(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references,
                   int order) {
  check_counts("NIST", hypotheses, references);
  check_order("NIST", order);
  const double c = static_cast<double>(count_ngrams(hypotheses, 1)),
               r = static_cast<double>(count_ngrams(references, 1));
  if (c == 0 || r == 0) return 0;
  std::map<Tokens, int64_t> shorter, counts;  // of the (n - 1)-grams and n-grams of the references
  double sum = 0;
  for (int n = 1; n <= order; ++n) {
    shorter = std::exchange(counts, ngrams_of(references, n));
    double information = 0;
    for (size_t i = 0; i < hypotheses.size(); ++i) {
      for_each_match(hypotheses[i], references[i], n, [&](const Tokens& ngram) {
        const double before =
            n == 1 ? r : static_cast<double>(shorter.at(Tokens(ngram.begin(), ngram.end() - 1)));
        information += std::log2(before / static_cast<double>(counts.at(ngram)));
      });
    }
    const size_t ngrams = count_ngrams(hypotheses, n);
    if (ngrams > 0) sum += information / static_cast<double>(ngrams);
  }
  const double beta = std::log(0.5) / std::pow(std::log(2.0 / 3), 2);
  return std::exp(beta * std::pow(std::log(std::min(1.0, c / r)), 2)) * sum;
}

double sentence_bleu_2(const Tokens& hypothesis, const Tokens& reference) {
  if (hypothesis.size() < 2 || reference.empty()) return 0;  // there is no p_2
  const double c = static_cast<double>(hypothesis.size()),
               r = static_cast<double>(reference.size());
  const double p_1 = static_cast<double>(count_matches(hypothesis, reference, 1)) / c;
  const double p_2 = static_cast<double>(count_matches(hypothesis, reference, 2)) / (c - 1);
  return std::exp(std::min(0.0, 1 - r / c)) * std::sqrt(p_1 * p_2);
}

double rouge_l(const Tokens& hypothesis, const Tokens& reference) {
  const double words = static_cast<double>(hypothesis.size() + reference.size());
  // 2 P R / (P + R) = 2 l / (c + r)
  return words == 0 ? 0 : 2 * static_cast<double>(common_length(hypothesis, reference)) / words;
}

double rouge_n(const Tokens& hypothesis, const Tokens& reference, int n) {
  check_order("ROUGE-n", n);
  const size_t ngrams = count_ngrams(hypothesis, n) + count_ngrams(reference, n);
  const auto matches = static_cast<double>(count_matches(hypothesis, reference, n));
  return ngrams == 0 ? 0 : 2 * matches / static_cast<double>(ngrams);
}

double meteor_exact_stem(const Tokens& hypothesis, const Tokens& reference) {
  constexpr double kAlpha = 0.9, kBeta = 3, kGamma = 0.5;
  std::vector<int64_t> matches(hypothesis.size(), -1);
  match(
      hypothesis, reference, [](const std::string& word) { return word; }, matches);
  match(hypothesis, reference, porter_stem, matches);
  double matched = 0, chunks = 0;
  for (size_t i = 0; i < matches.size(); ++i) {
    if (matches[i] < 0) continue;
    ++matched;
    const bool goes_on = i > 0 && matches[i - 1] >= 0 && matches[i] == matches[i - 1] + 1;
    chunks += !goes_on;
  }
  if (matched == 0) return 0;
  const double precision = matched / static_cast<double>(hypothesis.size());
  const double recall = matched / static_cast<double>(reference.size());
  const double mean = precision * recall / (kAlpha * precision + (1 - kAlpha) * recall);
  return (1 - kGamma * std::pow(chunks / matched, kBeta)) * mean;
}

OverlapMeans mean_overlap(const std::vector<Tokens>& hypotheses,
                          const std::vector<Tokens>& references) {
  check_counts("overlap", hypotheses, references);
  if (hypotheses.empty()) throw UsageError("overlap: there are no texts to compare");
  OverlapMeans means;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    means.bleu_2 += sentence_bleu_2(hypotheses[i], references[i]);
    means.rouge_l += rouge_l(hypotheses[i], references[i]);
    means.meteor += meteor_exact_stem(hypotheses[i], references[i]);
  }
  for (double* mean : {&means.bleu_2, &means.rouge_l, &means.meteor}) {
    *mean /= static_cast<double>(hypotheses.size());
  }
  return means;
}

double distinct_n(const std::vector<Tokens>& texts, int n, Per per) {
  check_order("distinct-n", n);
  const auto different = static_cast<double>(ngrams_of(texts, n).size());
  const size_t all = count_ngrams(texts, per == Per::kTokens ? 1 : n);
  return all == 0 ? 0 : different / static_cast<double>(all);
}

double ngram_entropy(const std::vector<Tokens>& texts, int n) {
  check_order("ent-n", n);
  const auto all = static_cast<double>(count_ngrams(texts, n));
  double entropy = 0;
  for (const auto& [ngram, count] : ngrams_of(texts, n)) {
    const double p = static_cast<double>(count) / all;
    entropy -= p * std::log(p);
  }
  return entropy;
}

double repetition(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references) {
  check_counts("repetition", hypotheses, references);
  const auto repeated = [](const Tokens& text) {  // 1 + r
    const std::set<std::string> different(text.begin(), text.end());
    return static_cast<double>(1 + text.size() - different.size());
  };
  double sum = 0;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    sum += repeated(hypotheses[i]) / repeated(references[i]);
  }
  return hypotheses.empty() ? 0 : sum / static_cast<double>(hypotheses.size());
}

}  // namespace heed
