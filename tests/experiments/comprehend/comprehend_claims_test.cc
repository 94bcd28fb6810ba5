// The claims about turns before a question as rules: verdicts of numbers that are made by hand, and
// of those that the paper prints.
#include <gtest/gtest.h>

#include "experiments/comprehend/experiment.h"
#include "tests/experiments/claims_helpers.h"

namespace heed {
namespace {

enum : size_t { kNone, kTwo = 2, kThree, kSeven = 7, kNoQuestions, kNoAnswers, kOther };

TEST(ComprehendClaims, PlacesAreThoseOfTheVariants) {
  const std::vector<VariantName> variants = comprehend_variants();
  ASSERT_EQ(variants.size(), kOther + 1u);
  for (size_t k = kNone; k <= kSeven; ++k) {
    EXPECT_EQ(variants[k].name, "turns-" + std::to_string(k));
  }
  EXPECT_EQ(variants[kNoQuestions].name, "no-questions");
  EXPECT_EQ(variants[kNoAnswers].name, "no-answers");
  EXPECT_EQ(variants[kOther].name, "other-turns");
}

VariantNumbers all_hold() {
  VariantNumbers n;
  const std::pair<size_t, double> f1[] = {{kNone, 0.5},         {kTwo, 0.6},        {kThree, 0.6},
                                          {kNoQuestions, 0.58}, {kNoAnswers, 0.55}, {kOther, 0.52}};
  for (const auto& [variant, value] : f1) n.set(variant, "f1", value);
  n.set(kTwo, "half_kept", 2 * 0.54 - 0.6);  // own answers: 0.54, which keep 0.04 of 0.1
  return n;
}

TEST(ComprehendClaims, HoldAndFail) {
  EXPECT_EQ(verdicts(comprehend_showing(), all_hold()), "yyyyy");
  EXPECT_EQ(verdicts(comprehend_showing(), {}), "-----");
  expect_verdicts(comprehend_showing(), all_hold(),
                  {{kTwo, "f1", 0.49, "nnyyn"},
                   {kThree, "f1", 0.604, "yyyyy"},
                   {kThree, "f1", 0.606, "ynyyy"},
                   {kNoAnswers, "f1", 0.59, "yynyy"},
                   {kTwo, "half_kept", 2 * 0.56 - 0.6, "yyyny"},
                   {kOther, "f1", 0.61, "yyyyn"}});
}

TEST(ComprehendClaims, HoldInThePapersOwnTables) {
  const VariantNumbers& paper = comprehend_showing().paper;
  EXPECT_EQ(verdicts(comprehend_showing(), paper), "yyyy-");
  EXPECT_EQ(paper.get(kSeven, "f1"), 0.644);
  EXPECT_EQ(paper.get(kNoAnswers, "f1"), 0.593);
}

TEST(Comprehend, AReaderWithNTurnsGetsTheLastOnes) {
  const std::vector<comprehend::TurnBefore> before = {{{1}, {10}}, {{2}, {20}}, {{3}, {30}}};
  const auto questions = [&](int64_t n) {
    std::vector<int32_t> all;
    for (const auto& turn : last_of(before, n)) all.push_back(turn.question[0]);
    return all;
  };
  EXPECT_EQ(questions(2), (std::vector<int32_t>{2, 3}));
  EXPECT_EQ(questions(0), std::vector<int32_t>());
  EXPECT_EQ(questions(7), (std::vector<int32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace heed
