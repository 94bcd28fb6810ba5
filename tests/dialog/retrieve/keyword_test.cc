#include "dialog/retrieve/keyword.h"

#include <cmath>

#include "tensor/parallel.h"
#include "tests/file_helpers.h"

namespace heed::retrieve {
namespace {

// Contexts "a b a" and "b c", responses "a d" and "E"; the third turn of the second dialogue is its
// response, and the first two its context.
const std::vector<Dialogue> kTrain = {{"x", {{"", "A b a"}, {"", "a d"}}},
                                      {"y", {{"", "b"}, {"", "c"}, {"", "E"}}}};

WordStatistics counted_words() {
  return {kTrain, make_pairs(kTrain, {.min_turns = 2}, true)};
}

double weight(const Weights& weights, size_t place) {
  return weights.at(place).second;
}

// ln(1 + (D - df + 0.5) / (df + 0.5)) of a word.
void expect_frequency(WordStatistics words, const char* word, double df, double documents = 4) {
  EXPECT_DOUBLE_EQ(weight(words.bm25_context(word), 0),
                   std::log(1 + (documents - df + 0.5) / (df + 0.5)))
      << word;
}

TEST(WordStatistics, CountContextsAndResponses) {
  const WordStatistics words = counted_words();
  for (const char* word : {"a", "b"}) expect_frequency(words, word, 2);
  for (const char* word : {"c", "d", "e", "E"}) expect_frequency(words, word, 1);
  expect_frequency(words, "never", 0);
  EXPECT_DOUBLE_EQ(words.mean_length(false), 8.0 / 4);
  EXPECT_DOUBLE_EQ(words.mean_length(true), 3.0 / 2);
}

TEST(WordStatistics, OfEveryTurnAreOfOverlappingContexts) {
  const std::vector<Dialogue> one = {{"x", {{"", "a"}, {"", "b"}, {"", "c a"}}}};
  const WordStatistics words(one, make_pairs(one, {.all_positions = true, .min_turns = 2}, true));
  expect_frequency(words, "a", 3);  // of the documents a; b; a b; c a
  expect_frequency(words, "b", 2);
  expect_frequency(words, "c", 1);
  EXPECT_DOUBLE_EQ(words.mean_length(false), 6.0 / 4);
  const WordStatistics last(one, make_pairs(one, {.all_positions = true, .min_turns = 2}, false));
  expect_frequency(last, "a", 2);  // a; b; b; c a
}

TEST(WordStatistics, WeighByTfIdf) {
  WordStatistics words = counted_words();
  const Weights w = words.tf_idf("b never B a");
  const double b = 2 * (std::log(5.0 / 3) + 1), a = std::log(5.0 / 3) + 1, never = std::log(5) + 1;
  const double length = std::sqrt(a * a + b * b + never * never);
  ASSERT_EQ(w.size(), 3u);  // in the order in which the words were seen: a, b, ..., never
  EXPECT_DOUBLE_EQ(weight(w, 0), a / length);
  EXPECT_DOUBLE_EQ(weight(w, 1), b / length);
  EXPECT_DOUBLE_EQ(weight(w, 2), never / length);
  EXPECT_TRUE(words.tf_idf("").empty());
}

TEST(WordStatistics, WeighByBm25) {
  WordStatistics words = counted_words();
  const Weights context = words.bm25_context("d a a");
  ASSERT_EQ(context.size(), 2u);
  EXPECT_DOUBLE_EQ(weight(context, 0), std::log(1 + 2.5 / 2.5));  // each word once
  EXPECT_DOUBLE_EQ(weight(context, 1), std::log(1 + 3.5 / 1.5));
  const Weights response = words.bm25_response("a c a", 2);
  EXPECT_DOUBLE_EQ(weight(response, 0), 2 * 3 / (2 + 2 * (0.25 + 0.75 * 3 / 2)));
  EXPECT_DOUBLE_EQ(weight(response, 1), 1 * 3 / (1 + 2 * (0.25 + 0.75 * 3 / 2)));
}

TEST(KeywordScores, AreTheSameForEqualWordsAndAnyNumberOfThreads) {
  std::vector<Dialogue> data;
  for (int i = 0; i < 200; ++i) {
    data.push_back({"d", {{"", "a b d"}, {"", i % 2 ? "d a e e" : "e d , a e"}}});
  }
  data[7].turns[1].text = "";
  data[8].turns[0].text = "";
  const Lists lists("f", data, make_pairs(data, {.min_turns = 2}, true),
                    {.from = ListKind::From::kStride, .size = 4});
  WordStatistics words = counted_words();
  const auto scores = [&](int threads, Keywords kind, bool of_responses = false) {
    set_num_threads(threads);
    auto result = keyword_scores(data, lists, kind, words, of_responses);
    set_num_threads(0);
    return result;
  };
  for (const Keywords kind : {Keywords::kTfIdf, Keywords::kBm25}) {
    const auto all = scores(1, kind);
    EXPECT_EQ(all, scores(3, kind));
    ASSERT_EQ(all.size(), 200u);
    EXPECT_EQ(all[1], std::vector<double>(4, all[1][0]));  // d1 d51 d101 d151
    EXPECT_EQ(all[7][0], 0);                               // an empty response
    EXPECT_EQ(all[8], std::vector<double>(4, 0.0));        // an empty context
    EXPECT_GT(all[1][0], 0);
  }
  EXPECT_EQ(scores(1, Keywords::kTfIdf), scores(1, Keywords::kTfIdf, true));
  EXPECT_NE(scores(1, Keywords::kBm25), scores(1, Keywords::kBm25, true));
  double sum = 0;  // by hand: idf of d and a, of which the response has one each
  for (const double df : {1.0, 2.0}) {
    sum += std::log(1 + (4 - df + 0.5) / (df + 0.5)) * 3 / (1 + 2 * (0.25 + 0.75 * 4 / 2));
  }
  EXPECT_DOUBLE_EQ(scores(1, Keywords::kBm25)[1][0], sum);
}

// Those with the two highest scores by words keep theirs, with all that are equal to the second.
TEST(KeywordScores, FilterWhatHasFewerWordsInCommon) {
  const std::vector<std::vector<double>> words = {{3, 2, 1, 0}, {1, 2, 2, 3}, {0, 1}};
  const std::vector<std::vector<double>> kept =
      filtered({{1, 5, 9, 7}, {-2, 4, 3, 1}, {8, 9}}, words, 2);
  EXPECT_EQ(kept, (std::vector<std::vector<double>>{{1, 5, -1, -1}, {-5, 4, 3, 1}, {8, 9}}));
}

}  // namespace
}  // namespace heed::retrieve
