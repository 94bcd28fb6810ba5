// N-best lists, and rankers that read a context with one response.
#include "dialog/parts/nbest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// Letters of the last turn less those of all others.
class Lengths : public PairRanker {
  std::vector<double> score_last(const std::vector<Dialogue>& dialogues,
                                 int64_t batch) const override {
    EXPECT_TRUE(batch == 7 || batch == 2);
    std::vector<double> scores;
    for (const Dialogue& d : dialogues) {
      double all = 0;
      for (const Turn& turn : d.turns) all += static_cast<double>(turn.text.size());
      scores.push_back(2 * static_cast<double>(d.turns.back().text.size()) - all);
    }
    return scores;
  }
};

TEST(NBest, IsScoredListByList) {
  const std::vector<NBest> lists = {{{"ab", "c"}, {"xyz", "", "x"}}, {{"d"}, {"xyz"}}, {{"e"}, {}}};
  std::string remark = "old";
  EXPECT_EQ(score(Lengths(), lists, 7, &remark),
            (std::vector<std::vector<double>>{{0, -3, -2}, {2}, {}}));
  EXPECT_EQ(remark, "");
  EXPECT_EQ(error_of<UsageError>([] {
              score(Lengths(), {{{}, {"a"}}}, 7);
            }),
            "ranking: a context has no utterance");
}

// Lengths() scores with the letters of a text less those of the texts before it.
TEST(NBest, IsScoredForMmi) {
  const std::vector<NBest> lists = {{{"ab", "c"}, {"xyz", ""}}, {{"d", "efg"}, {"xyz"}}};
  const std::vector<std::vector<double>> nothing = {{0, 0}, {0}};
  EXPECT_EQ(mmi(nothing, 1, Lengths(), lists, 7),
            (std::vector<std::vector<double>>{{1 - 3, 1 - 0}, {3 - 3}}));
  const auto alone = antilm(nothing, -1, Lengths(), lists, {{"a"}, {"abc"}}, 7);
  ASSERT_EQ(alone.size(), 2u);
  const auto mean = [](double letters) {
    return std::log((std::exp(letters - 1) + std::exp(letters - 3)) / 2);
  };
  EXPECT_NEAR(alone[0][0], mean(3), 1e-12);
  EXPECT_NEAR(alone[0][1], mean(0), 1e-12);
  EXPECT_EQ(alone[1], std::vector<double>{alone[0][0]});

  const std::vector<std::vector<double>> log_p = {{-1, -4}, {-2}};
  EXPECT_EQ(mmi(log_p, 0.25, Lengths(), lists, 7),
            (std::vector<std::vector<double>>{{-0.75 - 0.5, -3 + 0.25}, {-1.5 + 0}}));
  const auto mostly_reversed = mmi(log_p, 0.75, Lengths(), lists, 7);
  EXPECT_EQ(mostly_reversed,
            (std::vector<std::vector<double>>{{-0.25 - 1.5, -1 + 0.75}, {-0.5 + 0}}));
  EXPECT_EQ(best_first(mostly_reversed[0]), (std::vector<size_t>{1, 0}));
  const auto less = antilm(log_p, 0.5, Lengths(), lists, {{"a"}, {"abc"}}, 7);
  EXPECT_EQ(less[0], (std::vector<double>{-1 - 0.5 * alone[0][0], -4 - 0.5 * alone[0][1]}));
  EXPECT_EQ(less[1], std::vector<double>{-2 - 0.5 * alone[1][0]});
}

TEST(PairRanker, TellsHowFarItIs) {
  std::vector<size_t> seen;
  const std::vector<RankQuery> queries = {{{"a"}, {1, 0}}, {{"bb"}, {1}}, {{"c"}, {}}};
  const Ranker::Scores scores = Lengths().score({"x", "yy"}, queries, 2, [&](size_t d, size_t of) {
    seen.push_back(d);
    EXPECT_EQ(of, 3u);
  });
  EXPECT_EQ(scores.of_queries, (std::vector<std::vector<double>>{{1, 0}, {0}, {}}));
  EXPECT_EQ(seen, (std::vector<size_t>{1, 3}));
}

// Of two conversations of twenty contexts each: what antilm asks is not of the first one alone.
TEST(LastUtterances, AreEvenlySpread) {
  std::vector<std::vector<std::string>> contexts;
  for (int i = 0; i < 40; ++i) contexts.push_back({"before", std::to_string(i)});
  const auto numbers = [&](size_t n) {
    std::vector<int> all;
    for (const std::vector<std::string>& texts : last_utterances(contexts, n)) {
      EXPECT_EQ(texts.size(), 1u);
      all.push_back(std::stoi(texts.at(0)));
    }
    return all;
  };
  EXPECT_EQ(numbers(16),
            (std::vector<int>{0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27, 30, 32, 35, 37}));
  EXPECT_EQ(numbers(1), (std::vector<int>{0}));
  EXPECT_EQ(numbers(100).size(), 40u);
  EXPECT_EQ(numbers(100).back(), 39);
}

TEST(BestFirst, KeepsTheOrderOfEqualOnes) {
  EXPECT_EQ(best_first({1, 3, NAN, 3, 2, NAN}), (std::vector<size_t>{1, 3, 4, 0, 2, 5}));
  EXPECT_EQ(best_first({NAN, 1, NAN, 2}), (std::vector<size_t>{3, 1, 0, 2}));
  EXPECT_TRUE(best_first({}).empty());
}

}  // namespace
}  // namespace heed
