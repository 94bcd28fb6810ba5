#include "dialog/respond/relevance.h"

#include <numeric>

namespace heed {
namespace {

// The numbers of the words, without those that the vocabulary has not.
std::vector<int32_t> known(std::vector<int32_t> tokens) {
  std::erase_if(tokens, [](int32_t token) { return token < kSpecialTokens; });
  return tokens;
}

}  // namespace

Ppmi count_ppmi(const std::vector<Dialogue>& dialogues, const Vocabulary& vocabulary) {
  const ExampleOptions every{.all_positions = true,
                             .max_turns = 1,
                             .max_utterance_tokens = 0,
                             .max_response_tokens = 0,
                             .min_turns = 2};
  std::vector<TextPair> pairs;
  for (const Example& e : make_examples(dialogues, vocabulary, every)) {
    pairs.push_back({known(e.context.back()), known(e.response)});
  }
  return Ppmi(pairs);
}

double coherence(const Ppmi& ppmi, const Example& example, const Tokens& response,
                 const Vocabulary& vocabulary) {
  std::vector<int32_t> history;
  for (const auto& said : example.context) history.insert(history.end(), said.begin(), said.end());
  return ppmi.coherence(known(history), known(vocabulary.encode(response)));
}

CountedWords::CountedWords(const std::vector<Dialogue>& dialogues)
    : words(Vocabulary::build(count_tokens(dialogues), {.max_size = Vocabulary::kMaxSize})),
      ppmi(count_ppmi(dialogues, words)) {}

TextCoherence::TextCoherence(const std::vector<Dialogue>& counted,
                             const std::vector<Dialogue>& dialogues, ExampleOptions bounds)
    : counted_(counted) {
  bounds.max_turns = bounds.max_context_tokens = 0;
  bounds.max_utterance_tokens = bounds.max_response_tokens = 0;
  bounds.conditions.clear();
  examples_ = make_examples(dialogues, counted_.words, bounds);
}

double TextCoherence::operator()(size_t example, const Tokens& response) const {
  return coherence(counted_.ppmi, examples_.at(example), response, counted_.words);
}

std::vector<double> relevance(const Ppmi& ppmi, const Example& example) {
  const std::vector<int32_t> query = known(example.context.back());
  std::vector<double> scores(example.context.size());
  for (size_t k = 0; k + 1 < scores.size(); ++k) {
    scores[k] = ppmi.coherence(query, known(example.context[k]));
  }
  const double sum = std::accumulate(scores.begin(), scores.end(), 0.0),
               history = static_cast<double>(scores.size() - 1);
  for (size_t k = 0; k + 1 < scores.size(); ++k)
    scores[k] = sum > 0 ? scores[k] * history / sum : 1;
  return scores;
}

std::optional<double> agreement(const std::vector<double>& as_scores,
                                const std::vector<double>& relevance) {
  double alike = 0;
  int64_t pairs = 0;
  for (size_t j = 0; j + 1 < as_scores.size(); ++j) {
    for (size_t k = 0; k + 1 < as_scores.size(); ++k) {
      if (relevance[j] <= relevance[k]) continue;
      ++pairs;
      alike += as_scores[j] > as_scores[k] ? 1 : as_scores[j] == as_scores[k] ? 0.5 : 0;
    }
  }
  return pairs > 0 ? std::optional(alike / static_cast<double>(pairs)) : std::nullopt;
}

RelevanceSummary measure_relevance(const CountedWords& counted,
                                   const std::vector<Example>& examples,
                                   const Vocabulary& vocabulary, const TestSetResult& results) {
  std::vector<DialogueScore> scores(examples.size());
  std::vector<std::optional<double>> agreements;
  for (size_t i = 0; i < examples.size(); ++i) {
    DialogueScore& s = scores[i];
    Example in_words;
    for (const Tokens& said : context_words(examples[i], vocabulary)) {
      in_words.context.push_back(counted.words.encode(said));
    }
    s.as_scores = relevance(counted.ppmi, in_words);
    s.distraction = examples[i].distraction;
    s.das_ratio = das_ratio(dialogue_means(s.as_scores, s.distraction));
    agreements.push_back(agreement(results.examples[i].as_scores, s.as_scores));
  }
  return {results.name, summarize(scores), agreements};
}

}  // namespace heed
