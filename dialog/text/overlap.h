// Metrics of generated text.
#pragma once

#include <string>
#include <vector>

namespace heed {

using Tokens = std::vector<std::string>;

// Corpus BLEU (Papineni et al., "BLEU: a method for automatic evaluation of machine translation",
// ACL 2002) with one reference for each hypothesis, 0 to 1, for N = order:
//   BLEU = min(1, exp(1 - r / c)) * (p_1 ... p_N)^(1/N)
//   p_n = clipped n-gram matches / n-grams of the hypotheses, both summed over the corpus
//   c, r = tokens of all hypotheses and of all references
// No smoothing: without a single matching N-gram in the corpus the score is 0. Throws UsageError if
// the numbers of hypotheses and references differ, here and below, or if order < 1.
double corpus_bleu(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references,
                   int order = 4);
// NIST (Doddington, "Automatic evaluation of machine translation quality using n-gram co-occurrence
// statistics", 2002), one reference for each hypothesis; 0 or more, and 0 for no hypotheses:
//   NIST = exp(beta ln^2 min(1, c / r)) sum_n (sum of info(w) over the clipped n-gram matches w
//                                              / n-grams of the hypotheses),   n = 1 .. order
//   info(w_1 .. w_n) = log2(count of w_1 .. w_(n-1) / count of w_1 .. w_n), both in the references;
//   for a single word the first count is that of all words
//   beta makes the factor 0.5 if c / r = 2/3
double corpus_nist(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references,
                   int order = 5);

// For one hypothesis and one reference, 0 to 1, lower-case words; c and r are their numbers of
// words. 0 if nothing matches, or if one of the two is empty.
//
// BLEU-2:      min(1, exp(1 - r / c)) sqrt(p_1 p_2), with clipped p_n as above, no smoothing
double sentence_bleu_2(const Tokens& hypothesis, const Tokens& reference);
// ROUGE-L F1 (Lin, "ROUGE: a package for automatic evaluation of summaries", 2004):
//   2 P R / (P + R),  P = l / c,  R = l / r,  l = words of the longest common subsequence
double rouge_l(const Tokens& hypothesis, const Tokens& reference);
// ROUGE-n F1 (Lin 2004): 2 P R / (P + R) = 2 matches / (n-grams of both), clipped matches
double rouge_n(const Tokens& hypothesis, const Tokens& reference, int n);
// METEOR (Banerjee & Lavie 2005) with equal words and equal stems, without its synonyms, which need
// WordNet; alignment and constants are NLTK's:
//   (1 - 0.5 (chunks / m)^3) P R / (0.9 P + 0.1 R),  P = m / c,  R = m / r
// m words match: from the last word of the hypothesis on, each matches the last equal word of the
// reference that is not yet taken; then the remaining ones in the same way by porter_stem(). A
// chunk is a run of words of the hypothesis whose matches are consecutive.
double meteor_exact_stem(const Tokens& hypothesis, const Tokens& reference);

// Means over pairs of a hypothesis and a reference. Throws UsageError if their numbers differ, or
// if there are none.
struct OverlapMeans {
  double bleu_2 = 0, rouge_l = 0, meteor = 0;
};
OverlapMeans mean_overlap(const std::vector<Tokens>& hypotheses,
                          const std::vector<Tokens>& references);

// distinct-n (Li et al., "A diversity-promoting objective function for neural conversation models",
// NAACL 2016): different n-grams of all texts / tokens of all texts or, in another definition, /
// n-grams of all texts; 0 if there are none. Throws UsageError if n < 1, here and below.
enum class Per { kTokens, kNgrams };
double distinct_n(const std::vector<Tokens>& texts, int n, Per per = Per::kTokens);
// ent-n (Zhang et al., "Generating informative and diverse conversational responses via adversarial
// information maximization", NeurIPS 2018): the entropy of the distribution of the n-grams of all
// texts, -sum p ln p; 0 if there are none.
double ngram_entropy(const std::vector<Tokens>& texts, int n);
// How much more texts repeat their own words than the references do (Takayama & Arase 2019): the
// mean over pairs of (1 + r(hypothesis)) / (1 + r(reference)), r = words - different words. 0 for
// no pairs.
double repetition(const std::vector<Tokens>& hypotheses, const std::vector<Tokens>& references);

}  // namespace heed
