#include "dialog/text/overlap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "dialog/text/porter_stemmer.h"

namespace heed {
namespace {

constexpr size_t kMaxOrder = 4;

template <class Function> void for_each_ngram(const Tokens& tokens, size_t n, Function function) {
  for (size_t i = 0; i + n <= tokens.size(); ++i) {
    const auto begin = tokens.begin() + static_cast<ptrdiff_t>(i);
    function(Tokens(begin, begin + static_cast<ptrdiff_t>(n)));
  }
}

// n-grams of the hypothesis that are in the reference, each at most as often as it is there.
int64_t count_matches(const Tokens& hypothesis, const Tokens& reference, size_t n) {
  std::map<Tokens, int64_t> unmatched;
  for_each_ngram(reference, n, [&](const Tokens& ngram) { ++unmatched[ngram]; });
  int64_t matches = 0;
  for_each_ngram(hypothesis, n, [&](const Tokens& ngram) {
    const auto found = unmatched.find(ngram);
    if (found != unmatched.end() && found->second-- > 0) ++matches;
  });
  return matches;
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

double corpus_bleu(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references) {
  check_counts("BLEU", hypotheses, references);
  int64_t hypothesis_tokens = 0, reference_tokens = 0;
  int64_t matches[kMaxOrder] = {}, ngrams[kMaxOrder] = {};
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const size_t size = hypotheses[i].size();
    hypothesis_tokens += static_cast<int64_t>(size);
    reference_tokens += static_cast<int64_t>(references[i].size());
    for (size_t n = 1; n <= std::min(kMaxOrder, size); ++n) {
      matches[n - 1] += count_matches(hypotheses[i], references[i], n);
      ngrams[n - 1] += static_cast<int64_t>(size - n + 1);
    }
  }
  if (matches[kMaxOrder - 1] == 0) return 0;  // then the product is 0

  double log_precision = 0;
  for (size_t n = 0; n < kMaxOrder; ++n) {
    log_precision += std::log(static_cast<double>(matches[n]) / static_cast<double>(ngrams[n]));
  }
  const double length_ratio =
      static_cast<double>(reference_tokens) / static_cast<double>(hypothesis_tokens);
  return std::exp(std::min(0.0, 1 - length_ratio) + log_precision / kMaxOrder);
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

double distinct_n(const std::vector<Tokens>& texts, int n) {
  if (n < 1) throw UsageError("distinct-n: n must be at least 1, got " + std::to_string(n));
  std::set<Tokens> different;
  size_t tokens = 0;
  for (const Tokens& text : texts) {
    tokens += text.size();
    for_each_ngram(text, static_cast<size_t>(n),
                   [&](Tokens ngram) { different.insert(std::move(ngram)); });
  }
  return tokens == 0 ? 0 : static_cast<double>(different.size()) / static_cast<double>(tokens);
}

}  // namespace heed
