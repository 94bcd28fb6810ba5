#include "dialog/retrieve/pool.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed::retrieve {
namespace {

using Texts = std::vector<std::string>;

TEST(Pool, HasTheMostFrequentTextsInTheirCommonestForm) {
  const Texts said = {"No.", "Yes!", "yes", "thank  you", ":)", "Thank you!", "yes", "maybe", ":)"};
  EXPECT_EQ(most_frequent(said, 3), (Texts{"yes", "thank  you", "No."}));
  EXPECT_EQ(most_frequent(said, 10).size(), 4u);
  EXPECT_DOUBLE_EQ(coverage({"Yes!", "thank you"}, {"yes", "no", "Thank you.", "you thank"}), 0.5);
}

TEST(Pool, IsReadOnceEach) {
  const TempDir dir;
  size_t repeated = 0;
  EXPECT_EQ(read_pool(dir.write("a", " yes \n\nno\r\nyes\n"), &repeated), (Texts{"yes", "no"}));
  EXPECT_EQ(repeated, 1u);
  const std::string one = dir.write("b", "yes\nyes\n");
  EXPECT_EQ(error_of<DataError>([&] { read_pool(one); }),
            one + ": a pool needs two different texts at least, a line each; there is one");
}

// Scores the length of a text by what the context says last.
struct ByLengthAsAsked : Ranker {
  Scores score(const Texts& texts, const std::vector<RankQuery>& queries, int64_t,
               const std::function<void(size_t, size_t)>&) const override {
    Scores scores;
    for (const RankQuery& query : queries) {
      auto& of = scores.of_queries.emplace_back();
      const double sign = query.context.back() == "long" ? 1 : -1;
      for (const int32_t c : query.candidates) {
        of.push_back(sign * static_cast<double>(texts[static_cast<size_t>(c)].size()));
      }
    }
    return scores;
  }
};

TEST(Pool, ChoosesTheBestAndTheirWordsInCommon) {
  const Texts pool = {"b b", "a, b! c a", "dd", "e"};
  std::vector<Texts> contexts(70, Texts{"short"});  // more than are scored at once
  contexts.back() = {"A or b", "long"};
  const auto best = choose(ByLengthAsAsked(), pool, contexts, 2);
  ASSERT_EQ(best.size(), 70u);
  EXPECT_EQ(best[0][0].text, "e");
  EXPECT_EQ(best[0][1].text, "dd");
  EXPECT_EQ(best[69][0].text, "a, b! c a");
  EXPECT_EQ(best[69][0].common, (Texts{"a", "b"}));
  EXPECT_EQ(best[69][0].score, 9);
  EXPECT_EQ(choose(ByLengthAsAsked(), {"xx", "yy"}, {{"long"}}, 5)[0][0].text,
            "xx");  // equal: in order
}

}  // namespace
}  // namespace heed::retrieve
