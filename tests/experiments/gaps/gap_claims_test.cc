// The claims on gaps: what the paper's own numbers say, and numbers that say otherwise.
#include <gtest/gtest.h>

#include <set>

#include "experiments/gaps/experiment.h"

namespace heed {
namespace {

std::vector<std::optional<bool>> verdicts(const VariantNumbers& numbers) {
  std::vector<std::optional<bool>> result;
  for (const AboveClaim& rule : gaps_showing().rules) {
    result.push_back(decide(rule, numbers).holds);
  }
  return result;
}

// The last one is ours.
TEST(GapClaims, HoldInThePapersNumbers) {
  EXPECT_EQ(verdicts(gaps_showing().paper),
            (std::vector<std::optional<bool>>{true, true, true, true, true, std::nullopt}));
}

TEST(GapClaims, AreDecidedByOurs) {
  enum : size_t { kBoth, kDetect, kRank, kNoPositions };
  VariantNumbers n;
  EXPECT_EQ(verdicts(n), std::vector<std::optional<bool>>(6));
  n.set(kBoth, "f1", 0.800);
  n.set(kDetect, "f1", 0.8);
  n.set(kBoth, "p1", 0.5);
  n.set(kRank, "p1", 0.53);
  n.set(kRank, "rules.frequent.p1", 0.6);
  n.set(kNoPositions, "p1", 0.4);
  n.set(kBoth, "p3", 0.79);
  n.set(kBoth, "with_2.p1", 0.46);
  EXPECT_EQ(verdicts(n),
            (std::vector<std::optional<bool>>{std::nullopt, false, false, true, false, true}));
  n.set(kBoth, "with_2.p1", 0.44);
  EXPECT_EQ(verdicts(n).back(), false);
}

TEST(Gaps, IrrelevantTurnsStandBeforeTheLastOne) {
  const std::vector<Dialogue> test = {{"a", {{"x", "1"}, {"y", "2"}, {"x", "3"}}},
                                      {"b", {{"x", "4"}, {"y", "5"}}}};
  const std::vector<Dialogue> others = {{"c", {{"z", "first"}, {"z", "second"}}}};
  const auto inserted = with_inserted(test, others, 2);
  const auto texts = [](const Dialogue& d) {
    std::string all;
    for (const Turn& turn : d.turns) all += turn.text + (turn.distraction ? "! " : " ");
    return all;
  };
  EXPECT_EQ(texts(inserted[0]), "1 2 first! first! 3 ");
  EXPECT_EQ(texts(inserted[1]), "4 first! first! 5 ");
  EXPECT_EQ(texts(with_inserted(test, others, 0)[0]), "1 2 3 ");
}

// Into turns that are alike other turns are inserted.
TEST(Gaps, EachTurnHasItsOwnDraws) {
  std::vector<Dialogue> others;
  for (int i = 0; i < 20; ++i) {
    others.push_back({"o" + std::to_string(i), {{"z", "said " + std::to_string(i)}}});
  }
  std::set<std::string> drawn;
  for (const Dialogue& d :
       with_inserted(std::vector<Dialogue>(12, {"a", {{"x", "1"}, {"y", "2"}}}), others, 2)) {
    drawn.insert(d.turns.at(1).text + ", " + d.turns.at(2).text);
  }
  EXPECT_GT(drawn.size(), 8u);
}

}  // namespace
}  // namespace heed
