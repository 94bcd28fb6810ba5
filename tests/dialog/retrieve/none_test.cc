#include "dialog/retrieve/none.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::retrieve {
namespace {

std::vector<ScoredList> equal_lists(size_t count) {
  return {count, {.id = "a", .scores = {0.5, 0.7, 0.1}, .right = {1}}};
}

bool has_right(const ScoredList& list) {
  return list.scores.size() == 4;
}

double first(const std::vector<ScoredList>& lists) {
  double sum = 0;
  for (const ScoredList& list : lists) sum += Ranks(list).recall(1);
  return sum;
}

TEST(None, IsRightWhereTheRightCandidateIsTakenOut) {
  const auto lists = with_none(equal_lists(2000), 0.2, 3, 0.6);
  const auto without = std::count_if(lists.begin(), lists.end(),
                                     [](const ScoredList& list) { return !has_right(list); });
  EXPECT_NEAR(static_cast<double>(without), 400, 60);
  for (const ScoredList& list : lists) {
    const std::vector<double> scores =
        has_right(list) ? std::vector{0.5, 0.7, 0.1, 0.6} : std::vector{0.5, 0.1, 0.6};
    EXPECT_EQ(list.scores, scores);
    EXPECT_EQ(list.right, std::vector<size_t>{has_right(list) ? 1u : 2u});
  }
  EXPECT_FALSE(
      std::equal(lists.begin(), lists.end(), with_none(equal_lists(2000), 0.2, 4, 0).begin(),
                 [](const auto& a, const auto& b) { return has_right(a) == has_right(b); }));
  EXPECT_TRUE(has_right(with_none(equal_lists(1), 0, 1, 0)[0]));
  EXPECT_FALSE(has_right(with_none(equal_lists(1), 1, 1, 0)[0]));
}

TEST(None, TakesAllRightCandidatesOutAndLeavesAListOfThemAlone) {
  const std::vector<ScoredList> lists = {{.scores = {1, 2, 3}, .right = {2, 0}},
                                         {.scores = {1, 2}, .right = {0, 1}}};
  const auto all = with_none(lists, 1, 1, 9);
  EXPECT_EQ(all[0].scores, (std::vector<double>{2, 9}));
  EXPECT_EQ(all[0].right, std::vector<size_t>{1});
  EXPECT_EQ(all[1].scores, (std::vector<double>{1, 2, 9}));
  EXPECT_EQ(all[1].right, (std::vector<size_t>{0, 1}));
}

// No other score does better: tried at every place between two scores, and beyond them.
TEST(None, LearnsTheScoreThatIsRightMostOften) {
  std::vector<ScoredList> lists;
  uint32_t draw = 1;
  const auto next = [&] { return (draw = draw * 1664525 + 1013904223) >> 16 & 1023; };
  for (int i = 0; i < 300; ++i) {
    lists.push_back({.scores = {next() + 300.0, next() * 1.0, next() * 1.0}, .right = {0}});
  }
  for (const uint64_t seed : {1, 2, 3}) {
    const double learned = learn_none(lists, 0.3, seed);
    const double best = first(with_none(lists, 0.3, seed, learned));
    double other = 0;
    for (int score = 0; score < 1400; ++score) {
      other = std::max(other, first(with_none(lists, 0.3, seed, score - 0.5)));
    }
    EXPECT_EQ(best, other) << seed;
  }
}

// The middle of the range, or 1 beyond the last score.
TEST(None, LiesBetweenScores) {
  const std::vector<ScoredList> apart = {{.scores = {8, 1}, .right = {0}}};
  EXPECT_EQ(learn_none(apart, 1, 1), 2);  // it is right itself
  EXPECT_EQ(learn_none(apart, 0, 1), 7);  // and never
  std::vector<ScoredList> both;
  for (int i = 0; i < 40; ++i) both.push_back(apart[0]);
  EXPECT_EQ(learn_none(both, 0.5, 1), 4.5);
  EXPECT_EQ(learn_none({}, 0.5, 1), 0);
  EXPECT_EQ(learn_none({{.scores = {5, 5}, .right = {0}}}, 0, 1), 0);  // no place wins it
}

// Above 1 and above 5 one list is won; the range from 5 on ends at `end`, that from 1 on at 3. Of
// ranges that win as much it is the widest, of these the lowest.
TEST(None, LiesInTheWidestRange) {
  const auto learned = [](double end) {
    return learn_none({{.scores = {9, 1}, .right = {0}},
                       {.scores = {3}, .right = {0}},
                       {.scores = {20, 5}, .right = {0}},
                       {.scores = {end}, .right = {0}}},
                      1, 1);
  };
  EXPECT_EQ(learned(9), 7);
  EXPECT_EQ(learned(7), 2);
  EXPECT_EQ(learned(6.5), 2);
}

}  // namespace
}  // namespace heed::retrieve
