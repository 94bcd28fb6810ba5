// What goes together by its words, without a model: the pointwise mutual information of words
// (dialog/text/ppmi.h) in dialogues, of responses with contexts and of utterances with queries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/example.h"
#include "dialog/respond/evaluate.h"
#include "dialog/text/overlap.h"
#include "dialog/text/ppmi.h"

namespace heed {

// The association of words in dialogues, from each response and the utterance before it, both
// whole.
Ppmi count_ppmi(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary);

// Ppmi::coherence() of a response with all words of the context.
double coherence(const Ppmi& ppmi, const Example& example, const Tokens& response,
                 const Vocabulary& vocabulary);

// All words of some dialogues, and their association there.
struct CountedWords {
  explicit CountedWords(const std::vector<Dialogue>& dialogues);
  Vocabulary words;
  Ppmi ppmi;
};

// The same for texts of any model: of all words of the text and of all turns before it, whatever
// the model knows and reads of them.
class TextCoherence {
 public:
  // Counted in `counted`; examples are those of `dialogues` with these bounds, by number.
  TextCoherence(const std::vector<Dialogue>& counted, const std::vector<Dialogue>& dialogues,
                ExampleOptions bounds);
  double operator()(size_t example, const Tokens& response) const;

 private:
  CountedWords counted_;
  std::vector<Example> examples_;
};

// The relevance of each utterance of a context to the query, on the scale of attention scores: r_k
// / mean_j r_j over the utterances before the query, where r_k is Ppmi::coherence() of utterance k
// with the words of the query; 1 for each if all r are 0. The query itself, the last one, has 0.
std::vector<double> relevance(const Ppmi& ppmi, const Example& example);

// The share of the pairs of utterances before the query with different relevance that attention
// orders alike; equal attention is half. Nothing without such a pair, or without attention.
std::optional<double> agreement(const std::vector<double>& as_scores,
                                const std::vector<double>& relevance);

// The numbers of a test set whose attention scores are relevance, and the agreement of the
// attention with it on each example. `results` are those of the examples, whose words count whether
// their vocabulary knows them or has pieces of them.
struct RelevanceSummary {
  std::string set;
  ScoreSummary scores;  // only what comes from attention scores
  std::vector<std::optional<double>> agreements;
};
RelevanceSummary measure_relevance(const CountedWords& counted,
                                   const std::vector<Example>& examples,
                                   const Vocabulary& vocabulary, const TestSetResult& results);

}  // namespace heed
