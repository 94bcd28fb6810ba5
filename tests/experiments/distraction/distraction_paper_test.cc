// The numbers that the paper prints.
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/distraction/experiment.h"
#include "experiments/distraction/results.h"

namespace heed {
namespace {

TEST(Paper, ItsNumbersAreRead) {
  const VariantNumbers& paper = paper_numbers().numbers;
  for (size_t v = 0; v < 23; ++v) {
    EXPECT_TRUE(paper.get(v, key_of(0, "perplexity")) && paper.get(v, key_of(0, "as_history")));
  }
  const size_t best = *find_variant("static-ui", 0.7, true);
  EXPECT_EQ(paper.get(best, key_of(1, "das_ratio")), 0.67);
  EXPECT_NEAR(*paper.get(best, key_of(0, "as_history")), 0.437, 1e-12);
  EXPECT_FALSE(paper.get(*find_variant("dynamic-ui", 0.7, true), key_of(1, "das_ratio")));
  EXPECT_TRUE(paper.is_doubtful(*find_variant("dynamic-ui", 0.5, true), key_of(5, "das_ratio")));
  EXPECT_FALSE(paper.is_doubtful(best, key_of(1, "das_ratio")));
}

// What the definition of the DAS ratio rests on: in Tables 4 and 6 the printed ratio is the
// quotient of the printed mean AS of the distractions and mean AS of the history, to rounding.
TEST(Paper, PrintedRatiosAreQuotientsOfPrintedMeans) {
  const double half_percent = 0.0005, half_ratio = 0.005;  // of the last digits
  int cells = 0, exact = 0;
  const VariantNumbers& paper = paper_numbers().numbers;
  for (size_t v = 0; v < 23; ++v) {
    for (size_t s = 1; s < kSets; ++s) {
      const auto of_set = [&](const char* number) { return paper.get(v, key_of(s, number)); };
      if (!of_set("das_ratio") || !of_set("as_distraction") || !of_set("as_history")) continue;
      ++cells;
      const double d = *of_set("as_distraction"), h = *of_set("as_history"),
                   ratio = *of_set("das_ratio");
      EXPECT_GE(ratio + half_ratio, (d - half_percent) / (h + half_percent)) << d << " / " << h;
      EXPECT_LE(ratio - half_ratio, (d + half_percent) / (h - half_percent)) << d << " / " << h;
      exact += std::abs(std::round(100 * d / h) - 100 * ratio) < 1e-9;
    }
  }
  EXPECT_EQ(cells, 66 + 69);
  EXPECT_EQ(exact, 132);  // where it is the rounded quotient itself
}

// What makes us read "first" as the first utterance of the history, behind the phrases: it gets
// more than they do on average and less than the history.
TEST(Paper, TheFirstUtteranceIsBetweenThePhrasesAndTheHistory) {
  int rows = 0;
  for (size_t v = 0; v < 23; ++v) {
    const auto of_begin = [&](const char* number) {
      return paper_numbers().numbers.get(v, key_of(7, number));
    };
    if (!of_begin("as_first")) continue;
    ++rows;
    EXPECT_GT(*of_begin("as_first"), *of_begin("as_distraction"));
    EXPECT_LT(*of_begin("as_first"), *of_begin("as_history"));
  }
  EXPECT_EQ(rows, 23);
}

}  // namespace
}  // namespace heed
