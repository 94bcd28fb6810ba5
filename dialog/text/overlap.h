// Metrics of generated text.
#pragma once

#include <string>
#include <vector>

namespace heed {

using Tokens = std::vector<std::string>;

// Corpus BLEU-4 (Papineni et al., "BLEU: a method for automatic evaluation of machine translation",
// ACL 2002) with one reference for each hypothesis, 0 to 1:
//   BLEU = min(1, exp(1 - r / c)) * (p_1 p_2 p_3 p_4)^(1/4)
//   p_n = clipped n-gram matches / n-grams of the hypotheses, both summed over the corpus
//   c, r = tokens of all hypotheses and of all references
// No smoothing: without a single matching 4-gram in the corpus the score is 0. Throws UsageError if
// the numbers of hypotheses and references differ.
double corpus_bleu(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references);

// distinct-n (Li et al., "A diversity-promoting objective function for neural conversation models",
// NAACL 2016): different n-grams of all texts / tokens of all texts; 0 if there are no tokens.
// Throws UsageError if n < 1.
double distinct_n(const std::vector<Tokens>& texts, int n);

}  // namespace heed
