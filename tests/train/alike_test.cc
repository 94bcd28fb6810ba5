// Ranks that were given different things are refused, by a line that says which and what.
#include "train/alike.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/train/ranks_helpers.h"

namespace heed {
namespace {

std::string refusal(Ranks& ranks, const std::vector<Given>& given) {
  try {
    check_alike(ranks, given);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Alike, WhatIsTheSameOnAllRanksIsTaken) {
  on_ranks(3, [](Ranks& ranks) {
    EXPECT_EQ(
        refusal(ranks, {{"--seed", "1"}, {"--model", "12", "path" + std::to_string(ranks.rank())}}),
        "");
    // A rank for which another one reads.
    EXPECT_EQ(refusal(ranks, {{"--pool", ranks.rank() == 1 ? "" : "7"}}), "");
    EXPECT_EQ(refusal(ranks, {}), "");
  });
}

TEST(Alike, TheRankThatDiffersIsNamedOnAll) {
  on_ranks(4, [](Ranks& ranks) {
    const bool odd = ranks.rank() == 2;
    const std::string option = refusal(ranks, {{"--limit", "9"}, {"--seed", odd ? "2" : "1"}});
    EXPECT_EQ(option, "ranks differ in --seed: 2 on " + name_of_rank(2, 4) + ", 1 on " +
                          name_of_rank(0, 4) + "; give all of them the same");
    const std::string file = refusal(ranks, {{"--model", odd ? "34" : "12", odd ? "m/b" : "m/a"}});
    EXPECT_EQ(file, "ranks differ in --model: m/b (34) on " + name_of_rank(2, 4) +
                        ", m/a (12) on " + name_of_rank(0, 4) + "; give all of them the same");
    // One has an option that the others lack, in either direction.
    std::vector<Given> given = {{"--seed", "1"}};
    if (odd) given.push_back({"--speaker", "a"});
    EXPECT_EQ(refusal(ranks, given).find("ranks differ in --speaker: a on "), 0U);
    if (odd) given.clear();
    EXPECT_EQ(refusal(ranks, given).find("ranks differ in --seed: nothing on "), 0U);
  });
}

}  // namespace
}  // namespace heed
