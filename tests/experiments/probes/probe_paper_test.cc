// The paper's numbers, and what is computed from them: known answers.
#include "experiments/probes/paper.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dialog/text/overlap.h"
#include "experiments/probes/measurement_json.h"
#include "experiments/probes/report.h"

namespace heed {
namespace {

const VariantNumbers& paper() {
  return probe_paper().numbers.numbers;
}

TEST(ProbePaper, HasEveryTable) {
  ASSERT_EQ(probe_paper().tables.size(), 9u);
  EXPECT_EQ(tasks_of("MultiWOZ").size(), 16u);
  EXPECT_EQ(tasks_of("PersonaChat").size(), 3u);
  for (const PaperTable& table : probe_paper().tables) {
    for (size_t v = 0; v < kPaperModels; ++v) {
      for (const std::string& row : table.rows()) {
        for (const std::string& task : table.tasks) {
          const std::string key = paper_key(table.probe, table.corpus, row, task);
          EXPECT_TRUE(paper().get(v, key)) << table.number << " " << v << " " << key;
          EXPECT_TRUE(paper().get(v, key + kPlusMinus)) << key;
        }
      }
    }
  }
  EXPECT_NEAR(
      *paper().get(probed::kTransformer, paper_key("logistic", "MultiWOZ", "best", "RecentTopic")),
      0.5705, 1e-12);
}

TEST(ProbePaper, DifficultyIsThatOfTheUntrainedModels) {
  for (const std::string task : {"RepeatInfo", "NumRepeatInfo", "NumAllTopics", "IsMultiTask"}) {
    EXPECT_EQ(difficulty_of(task), "easy") << task;
  }
  for (const std::string task : {"UtteranceLoc", "RecentSlots", "NumRecentInfo", "AllTopics"}) {
    EXPECT_EQ(difficulty_of(task), "medium") << task;
  }
  size_t hard = 0;
  for (const std::string& task : tasks_of("MultiWOZ")) hard += difficulty_of(task) == "hard";
  EXPECT_EQ(hard, 8u);
}

// Table 8 from the cells of Tables 6 and 7: within what the paper rounds, and a slip of its own.
TEST(ProbePaper, Table8FollowsFromTables6And7) {
  for (size_t v = 0; v < kPaperModels; ++v) {
    for (const char* level : kLevels) {
      const auto ours = level_of(paper(), v, "best", level);
      ASSERT_TRUE(ours && ours->deviation);
      EXPECT_NEAR(100 * ours->mean, 100 * *paper().get(v, table8_key(level)), 0.0601)
          << probed_names()[v].name << " " << level;
      EXPECT_NEAR(100 * *ours->deviation, 100 * *paper().get(v, table8_key(level) + kPlusMinus),
                  0.0601)
          << probed_names()[v].name << " " << level;
    }
  }
  const auto last = level_of(paper(), probed::kTransformer, "last", "medium");
  EXPECT_GT(std::abs(100 * last->mean - 43.3), 0.06);  // the last epochs do not give it
}

TEST(ProbePaper, TheClaimsOnThePapersNumbers) {
  // as data/probe-tasks.json has them, in its order
  const std::vector<std::pair<bool, std::string>> expected = {
      {true, "transformer 29.40; transformer 7.90"},
      {true, "13 of 16 tasks at the best epoch, 13 of 16 at the last one"},
      {false, "14 of 16 MultiWOZ tasks, 2 of 3 PersonaChat tasks"},
      {true, "lstm 13 of 16, lstm-attention 13 of 16, hred 11 of 16, bilstm-attention 14 of 16"},
      {true, "best: bilstm-attention first"},
      {false, "best: hred 51.00, transformer 46.16; last: hred 49.42, transformer 46.86"},
      {true, "at most 2.35 (transformer, untrained)"},
      {true, "72.1 to 78.6"},
      {false, "medium: transformer 43.3"},
      {false, "F1 "},
      {true, "65 of 76 changes have the same sign"},
      {true, "about 35 %, below 50 %"},
      {false, "bilstm-attention has 0.05; hred has 0.01"},
      {true, "100.0 times as wide untrained, 40.0 times after training"},
      {true, "5 of 19 tasks: "}};
  const auto& rules = probe_claim_rules();
  ASSERT_EQ(rules.size(), expected.size());
  for (size_t i = 0; i < rules.size(); ++i) {
    const ClaimResult result = rules[i].check(paper());
    ASSERT_TRUE(result.holds) << rules[i].claim;
    EXPECT_EQ(*result.holds, expected[i].first) << rules[i].claim << ": " << result.figure;
    EXPECT_NE(result.figure.find(expected[i].second), result.figure.npos)
        << rules[i].claim << ": " << result.figure;
  }
}

TEST(ProbePaper, ClaimsWithoutNumbersAreUndecided) {
  for (const ClaimRule& rule : probe_claim_rules()) {
    const ClaimResult result = rule.check({});
    EXPECT_FALSE(result.holds) << rule.claim;
    EXPECT_EQ(result.figure, "") << rule.claim;
  }
}

// Of ten examples four are fitted to, and two of these are drawn.
TEST(Components, PointsHaveTheLabelsOfTheirOwnExamples) {
  probe::LabelSets labels;
  for (int i = 0; i < 10; ++i) labels.push_back({"a" + std::to_string(i), "b"});
  EXPECT_EQ(labels_of_drawn(labels, {0, 2, 5, 7}, {1, 3}),
            (std::vector<std::string>{"a2, b", "a7, b"}));
}

// Four points on the axes: the first principal component is the longer axis.
TEST(Extent, OfFourPoints) {
  const Tensor x = Tensor::of({{3, 0}, {-3, 0}, {0, 1}, {0, -1}});
  const Extent extent = extent_of(x);
  EXPECT_NEAR(extent.length, 2, 1e-12);
  EXPECT_NEAR(extent.range, 6, 1e-6);
}

}  // namespace
}  // namespace heed
