#include "dialog/text/overlap.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include "tensor/error.h"

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

}  // namespace

double corpus_bleu(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references) {
  if (hypotheses.size() != references.size()) {
    throw UsageError("BLEU: " + std::to_string(hypotheses.size()) + " hypotheses for " +
                     std::to_string(references.size()) + " references");
  }
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
