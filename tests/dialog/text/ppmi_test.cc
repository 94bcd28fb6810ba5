#include "dialog/text/ppmi.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

// Words by letters.
std::vector<int32_t> words(const std::string& letters) {
  return {letters.begin(), letters.end()};
}
const std::vector<TextPair> kPairs = {{words("ab"), words("xy")},
                                      {words("a"), words("x")},
                                      {words("b"), words("y")},
                                      {words("c"), words("yz")}};
constexpr LeastPairs kAll{1, 1};

// The known answers of the specification (workshop-2019.json, ppmi).
TEST(Ppmi, HasTheKnownAnswers) {
  const Ppmi ppmi(kPairs, kAll);
  EXPECT_NEAR(ppmi('a', 'x'), 1, 1e-6);
  EXPECT_EQ(ppmi('a', 'y'), 0);
  EXPECT_EQ(ppmi('b', 'x'), 0);
  EXPECT_NEAR(ppmi('b', 'y'), 0.415037, 1e-6);
  EXPECT_NEAR(ppmi('c', 'y'), 0.415037, 1e-6);
  EXPECT_NEAR(ppmi('c', 'z'), 2, 1e-6);
  EXPECT_EQ(ppmi('q', 'z'), 0);
  EXPECT_EQ(ppmi('c', 'q'), 0);
  const std::map<int32_t, double> scores = ppmi.scores(words("bcbq"));  // b counts once
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_NEAR(scores.at('y'), 0.830075, 1e-6);
  EXPECT_NEAR(scores.at('z'), 2, 1e-6);
}

TEST(Ppmi, IsItsEntries) {
  const Ppmi ppmi(kPairs, kAll), again(ppmi.entries());
  ASSERT_EQ(again.entries().size(), 4u);
  for (const char x : {'a', 'b', 'c', 'q'}) {
    for (const char y : {'x', 'y', 'z'}) EXPECT_EQ(again(x, y), ppmi(x, y));
  }
}

// Every pair of two queries and two responses once: nothing goes with anything.
TEST(Ppmi, OfIndependentWordsIsZero) {
  std::vector<TextPair> pairs;
  for (const char* query : {"a", "b"}) {
    for (const char* response : {"x", "y"}) pairs.push_back({words(query), words(response)});
  }
  const Ppmi ppmi(pairs, kAll);
  for (const char x : {'a', 'b'}) {
    for (const char y : {'x', 'y'}) EXPECT_EQ(ppmi(x, y), 0);
  }
}

// At the bound a word and a pair count, below they do not. A word counts once a text.
TEST(Ppmi, LeavesOutWhatIsRare) {
  std::vector<TextPair> pairs(3, {words("aa"), words("xx")});
  pairs.resize(9, {words("b"), words("y")});
  const double expected = std::log2(3.0 * 9 / (3 * 3));
  EXPECT_NEAR(Ppmi(pairs, {3, 3})('a', 'x'), expected, 1e-12);
  EXPECT_EQ(Ppmi(pairs, {4, 3})('a', 'x'), 0);
  EXPECT_EQ(Ppmi(pairs, {3, 4})('a', 'x'), 0);
  EXPECT_EQ(Ppmi(pairs)('a', 'x'), 0);  // ten by default
  EXPECT_EQ(Ppmi({}, kAll)('a', 'x'), 0);
  // A word may be frequent on one side only.
  pairs.push_back({words("c"), words("x")});
  EXPECT_GT(Ppmi(pairs, {1, 1})('c', 'x'), 0);
  EXPECT_EQ(Ppmi(pairs, {2, 1})('c', 'x'), 0);
  pairs.push_back({words("b"), words("z")});
  EXPECT_GT(Ppmi(pairs, {1, 1})('b', 'z'), 0);
  EXPECT_EQ(Ppmi(pairs, {2, 1})('b', 'z'), 0);
}

// x goes best with a (1), z with c (2), q with nothing; of "x z q q" the mean is 3/4.
TEST(Ppmi, CoherenceIsTheMeanOfTheLargest) {
  const Ppmi ppmi(kPairs, kAll);
  EXPECT_NEAR(ppmi.coherence(words("bcaa"), words("xzqq")), 0.75, 1e-12);
  EXPECT_NEAR(ppmi.coherence(words("b"), words("y")), std::log2(4.0 / 3), 1e-12);
  EXPECT_EQ(ppmi.coherence({}, words("x")), 0);
  EXPECT_EQ(ppmi.coherence(words("a"), {}), 0);
}

}  // namespace
}  // namespace heed
