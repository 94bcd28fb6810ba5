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

// Of one hypothesis against one reference, 0 to 1, lower-case words; c and r are their numbers of
// words. 0 where nothing matches, or one of the two is empty.
//
// BLEU-2:      min(1, exp(1 - r / c)) sqrt(p_1 p_2), with clipped p_n as above, no smoothing
double sentence_bleu_2(const Tokens& hypothesis, const Tokens& reference);
// ROUGE-L F1 (Lin, "ROUGE: a package for automatic evaluation of summaries", 2004):
//   2 P R / (P + R),  P = l / c,  R = l / r,  l = words of the longest common subsequence
double rouge_l(const Tokens& hypothesis, const Tokens& reference);
// METEOR (Banerjee & Lavie 2005) of equal words and of equal stems, without its synonyms, which
// need WordNet; alignment and constants are NLTK's:
//   (1 - 0.5 (chunks / m)^3) P R / (0.9 P + 0.1 R),  P = m / c,  R = m / r
// m words match: from the last word of the hypothesis on, each the last word of the reference that
// is equal to it and not yet taken; then in the same way those left by porter_stem(). A chunk is a
// run of words of the hypothesis whose matches follow each other.
double meteor_exact_stem(const Tokens& hypothesis, const Tokens& reference);

// Means over pairs of a hypothesis and a reference. Throws UsageError if their numbers differ, or
// there are none.
struct OverlapMeans {
  double bleu_2 = 0, rouge_l = 0, meteor = 0;
};
OverlapMeans mean_overlap(const std::vector<Tokens>& hypotheses,
                          const std::vector<Tokens>& references);

// distinct-n (Li et al., "A diversity-promoting objective function for neural conversation models",
// NAACL 2016): different n-grams of all texts / tokens of all texts; 0 if there are no tokens.
// Throws UsageError if n < 1.
double distinct_n(const std::vector<Tokens>& texts, int n);

}  // namespace heed
