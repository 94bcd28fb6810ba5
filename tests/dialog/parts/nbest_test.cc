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
    EXPECT_EQ(batch, 7);
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

TEST(PairRanker, TellsHowFarItIs) {
  std::vector<size_t> seen;
  const std::vector<RankQuery> queries = {{{"a"}, {1, 0}}, {{"bb"}, {1}}};
  const Ranker::Scores scores = Lengths().score({"x", "yy"}, queries, 7, [&](size_t d, size_t of) {
    seen.push_back(d);
    EXPECT_EQ(of, 2u);
  });
  EXPECT_EQ(scores.of_queries, (std::vector<std::vector<double>>{{1, 0}, {0}}));
  EXPECT_EQ(seen, (std::vector<size_t>{1, 2}));
}

TEST(BestFirst, KeepsTheOrderOfEqualOnes) {
  EXPECT_EQ(best_first({1, 3, NAN, 3, 2, NAN}), (std::vector<size_t>{1, 3, 4, 0, 2, 5}));
  EXPECT_TRUE(best_first({}).empty());
}

}  // namespace
}  // namespace heed
