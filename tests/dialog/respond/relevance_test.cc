// Relevance of utterances to a query by the words that go together in dialogues.
#include "dialog/respond/relevance.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Numbers = std::vector<double>;

const Ppmi kPpmi(std::vector<Ppmi::Entry>{{10, 11, 1}, {10, 13, 3}, {12, 11, 2}});

void expect_numbers(const Numbers& found, const Numbers& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

Example example(const std::vector<std::vector<int32_t>>& context, std::vector<char> distraction) {
  return {"d", "d", context, std::move(distraction), {20}};
}

// By the query (10) r is 1/2, 3 and 0; by (10, 12) it is 2/2 for the first one. Words that are not
// known count nowhere.
TEST(Relevance, OfUtterancesIsThatOfTheirWordsToTheQuery) {
  const std::vector<std::vector<int32_t>> history = {{11, kUnk, 14}, {13}, {10, 12}};
  auto context = history;
  context.push_back({kUnk, 10});
  expect_numbers(relevance(kPpmi, example(context, {0, 0, 0, 0})), {0.5 * 3 / 3.5, 9 / 3.5, 0, 0});
  context.back() = {10, 12};
  expect_numbers(relevance(kPpmi, example(context, {0, 0, 0, 0})), {1 * 3 / 4.0, 9 / 4.0, 0, 0});
  context.back() = {10, 13};  // which go together, and are no utterance of the history
  expect_numbers(relevance(kPpmi, example(context, {0, 0, 0, 0})), {0.5 * 3 / 3.5, 9 / 3.5, 0, 0});
  context.back() = {14};
  expect_numbers(relevance(kPpmi, example(context, {0, 0, 0, 0})), {1, 1, 1, 0});
  expect_numbers(relevance(kPpmi, example({{10}}, {0})), {0});
}

TEST(Relevance, AgreesWithAttentionPairByPair) {
  const Numbers r = {2, 3, 1, 9};  // the last one is the query's
  EXPECT_EQ(agreement({0.4, 0.5, 0.3, 0}, r), 1);
  EXPECT_EQ(agreement({0.4, 0.3, 0.5, 7}, r), 0);
  EXPECT_NEAR(*agreement({0.2, 0.5, 0.3, 0}, r), 2 / 3.0, 1e-12);
  EXPECT_NEAR(*agreement({0.3, 0.5, 0.3, 0}, r), 2.5 / 3, 1e-12);
  EXPECT_FALSE(agreement({}, r)) << "no attention";
  EXPECT_FALSE(agreement({1, 2, 0}, {1, 1, 0})) << "no pair";
}

// The second of three examples has no relevant word, the third no distraction.
TEST(Relevance, OfATestSetIsTheMeanOverItsExamples) {
  using Agreements = std::vector<std::optional<double>>;
  const std::vector<Example> examples = {example({{13}, {11}, {14}, {10}}, {1, 0, 0, 0}),
                                         example({{14}, {14}, {10}}, {1, 0, 0}),
                                         example({{11}, {14}, {10}}, {0, 0, 0})};
  TestSetResult results{"random:1.0", {}, std::vector<ExampleResult>(3)};
  for (size_t i = 0; i < 3; ++i) results.examples[i].as_scores = {2, 3, 1, 1};
  results.examples[1].as_scores.resize(3);
  results.examples[2].as_scores = {2, 1, 1};
  CountedWords counted({});
  counted.words = Vocabulary::build({{"a", 9},
                                     {"b", 8},
                                     {"c", 7},
                                     {"d", 6},
                                     {"e", 5},
                                     {"f", 4},
                                     {"g", 3},
                                     {"h", 2},
                                     {"i", 2},
                                     {"j", 1}});
  counted.ppmi = kPpmi;
  const RelevanceSummary s = measure_relevance(counted, examples, counted.words, results);
  EXPECT_EQ(s.set, "random:1.0");
  EXPECT_NEAR(*s.scores.as_distraction, (9 / 4.0 + 1) / 2, 1e-12);
  EXPECT_NEAR(*s.scores.as_history, (3 / 8.0 + 1) / 2, 1e-12);
  EXPECT_NEAR(*s.scores.das_ratio, 3.25 / 1.375, 1e-12);
  EXPECT_EQ(s.agreements, (Agreements{2 / 3.0, {}, 1}));
  for (ExampleResult& e : results.examples) e.as_scores.clear();
  const RelevanceSummary without = measure_relevance(counted, examples, counted.words, results);
  EXPECT_EQ(without.agreements, Agreements(3));
  EXPECT_EQ(without.scores.das_ratio, s.scores.das_ratio);
}

// "ja" goes with "oui". Neither is a word of the first vocabulary, and the second one has letters.
TEST(Relevance, IsOfWordsWhateverAModelKnows) {
  std::vector<Dialogue> dialogues;
  for (int i = 0; i < 24; ++i) {
    const bool one = i % 2 == 0;
    dialogues.push_back({"d", {{"A", one ? "ja" : "nein"}, {"B", one ? "oui" : "non"}}});
  }
  const CountedWords counted(dialogues);
  const std::vector<Dialogue> said = {
      {"d", {{"A", "oui"}, {"B", "non"}, {"A", "ja"}, {"B", "no"}}}};
  for (const Vocabulary& vocabulary :
       {Vocabulary(), Vocabulary::build({{"o", 1}}, {.kind = TokenKind::kPieces})}) {
    const std::vector<Example> examples = make_examples(said, vocabulary);
    TestSetResult results{"none", {}, std::vector<ExampleResult>(1)};
    results.examples[0].as_scores = {2, 1, 0};
    const RelevanceSummary s = measure_relevance(counted, examples, vocabulary, results);
    EXPECT_EQ(s.scores.as_first, 2);
    EXPECT_EQ(s.scores.as_last, 0);
    EXPECT_EQ(s.agreements, std::vector<std::optional<double>>{1});
  }
}

// Of 24 pairs twelve have "late" behind 60 other words, and "yes" in the response behind 60.
TEST(Relevance, IsCountedInWholeUtterances) {
  std::string many;
  for (int i = 0; i < 60; ++i) many += "so ";
  std::vector<Dialogue> dialogues;
  for (int i = 0; i < 24; ++i) {
    const bool late = i % 2 == 0;
    dialogues.push_back(
        {"d" + std::to_string(i),
         {{"A", many + (late ? "late" : "early")}, {"B", many + (late ? "yes" : "no")}}});
  }
  const Vocabulary vocabulary = Vocabulary::build(count_tokens(dialogues));
  const Ppmi ppmi = count_ppmi(dialogues, vocabulary);
  EXPECT_NEAR(ppmi(vocabulary.id("late"), vocabulary.id("yes")), 1, 1e-12);
  EXPECT_EQ(ppmi(vocabulary.id("late"), vocabulary.id("no")), 0);
  EXPECT_EQ(ppmi(vocabulary.id("so"), vocabulary.id("so")), 0);

  // A model that reads 5 words of an utterance, and of the dialogue only the last turn, is measured
  // by all of them: "late" is the 61st word, two turns back. So are words that only the counted
  // dialogues have, such as "yes".
  std::vector<Dialogue> longer = {dialogues[0]};
  longer[0].turns = {dialogues[0].turns[0], {"B", "so"}, {"A", "so"}, {"B", "so"}};
  const TextCoherence coherence(
      dialogues, longer,
      {.max_turns = 2, .max_utterance_tokens = 5, .max_context_tokens = 4, .min_turns = 3});
  EXPECT_NEAR(coherence(0, {"yes", "so"}), 0.5, 1e-12);
  EXPECT_EQ(coherence(0, {"no", "never"}), 0);
}

}  // namespace
}  // namespace heed
