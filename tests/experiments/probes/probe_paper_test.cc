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
  return probe_paper().numbers;
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

// The close reading of its tables, by loops of our own.
TEST(ProbePaper, CollapsedRunsAndConstants) {
  Results none;
  none.variants = probed_names();
  none.settings = {{"readings", "raw"}};
  none.data = {{"tasks", ""}};
  none.runs.resize(1);
  std::string collapsed, constant;
  for (size_t v = 0; v < kPaperModels; ++v) {
    int cells = 0, fits = 0;
    for (const std::string corpus : kCorpora) {
      for (const std::string checkpoint : kCheckpoints) {
        for (const std::string& task : tasks_of(corpus)) {
          const std::string key = paper_key("logistic", corpus, checkpoint, task);
          const double mean = *paper().get(v, key), of = *paper().get(v, key + kPlusMinus);
          const double factor = of / (mean * mean);
          ++cells;
          fits += mean > 0.02 &&
                  ((factor >= 0.675 && factor <= 0.825) || (factor >= 2.7 && factor <= 3.3));
        }
      }
    }
    collapsed += (v > 0 ? ", " : "") + probed_names()[v].name + " " + std::to_string(fits) +
                 " of " + std::to_string(cells);
  }
  for (const std::string corpus : kCorpora) {
    for (const std::string& task : tasks_of(corpus)) {
      const auto f1 = [&](size_t v, const char* checkpoint) {
        return *paper().get(v, paper_key("logistic", corpus, checkpoint, task));
      };
      const double level = f1(probed::kHred, "untrained");
      bool learned = level <= 0.05;
      for (size_t v = 0; v < kPaperModels; ++v) {
        learned = learned || f1(v, "last") > level + 0.035 || f1(v, "best") > level + 0.035;
      }
      if (!learned) constant += (constant.empty() ? "" : ", ") + task;
    }
  }
  const Table table = doubts_table(none);
  EXPECT_TRUE(table.rows[1].cells[0].text.ends_with(": " + collapsed))
      << table.rows[1].cells[0].text << "\n"
      << collapsed;
  EXPECT_EQ(table.rows[2].cells[0].text, constant);
}

TEST(ProbePaper, OurNumbersOfItsTables) {
  EXPECT_EQ(our_key({6, "logistic", "MultiWOZ"}, "last", "raw", "T"),
            score_key("last", "raw", "T"));
  EXPECT_EQ(our_key({13, "mlp", "MultiWOZ"}, "last", "raw", "T"), score_key("last", "mlp", "T"));
  EXPECT_EQ(our_key({10, "selection", "MultiWOZ"}, "best-rouge", "raw", "T"),
            "chosen.best-rouge.raw.T.f1");
}

TEST(ProbePaper, ClaimsWithoutNumbersAreUndecided) {
  for (const ClaimRule& rule : probe_claim_rules()) {
    const ClaimResult result = rule.check({});
    EXPECT_FALSE(result.holds) << rule.claim;
    EXPECT_EQ(result.figure, "") << rule.claim;
  }
}

// Made-up numbers of a claim: of lstm, lstm-attention, hred, bilstm-attention and the transformer.
struct Claimed {
  VariantNumbers numbers = {};

  void set(const std::string& key, const std::vector<double>& of_models) {
    for (size_t v = 0; v < of_models.size(); ++v) numbers.set(v, key, of_models[v]);
  }
  void f1(const std::string& corpus, const std::string& checkpoint, const std::string& task,
          const std::vector<double>& of_models, const std::string& probe = "logistic") {
    set(paper_key(probe, corpus, checkpoint, task), of_models);
  }
  std::optional<bool> says(const std::string& begin) const {
    for (const ClaimRule& rule : probe_claim_rules()) {
      if (rule.claim.starts_with(begin)) return rule.check(numbers).holds;
    }
    throw std::runtime_error("no claim " + begin);
  }
};
constexpr std::optional<bool> kYes = true, kNo = false;

TEST(ProbePaper, ClaimsCountModelsAndTasks) {
  const char* tasks[] = {"RepeatInfo", "UtteranceLoc", "RecentSlots", "AllSlots"};
  const std::vector<double> by_two = {0.6, 0.6, 0.4, 0.4, 0.5},
                            by_three = {0.6, 0.6, 0.6, 0.4, 0.5};
  Claimed better;  // than the transformer, on half of the tasks, then on most
  for (size_t i = 0; i < 4; ++i) better.f1("MultiWOZ", "best", tasks[i], i < 2 ? by_three : by_two);
  EXPECT_EQ(better.says("On most tasks"), kNo);
  better.f1("MultiWOZ", "best", tasks[2], by_three);
  EXPECT_EQ(better.says("On most tasks"), kYes);

  Claimed falls;
  for (const char* corpus : kCorpora) {
    falls.f1(corpus, "untrained", "UtteranceLoc", {0.1, 0.1, 0.1, 0.1, 0.6});
    falls.f1(corpus, "last", "UtteranceLoc", {0.9, 0.9, 0.9, 0.9, 0.5});
  }
  EXPECT_EQ(falls.says("Training lowers"), kYes);
  falls.f1("PersonaChat", "last", "UtteranceLoc", {0.9, 0.9, 0.9, 0.9, 0.7});
  EXPECT_EQ(falls.says("Training lowers"), kNo);

  Claimed rise;  // lstm on one of three tasks, then on two
  for (size_t i = 0; i < 3; ++i) {
    rise.f1("MultiWOZ", "untrained", tasks[i], {0.3, 0.3, 0.3, 0.3, 0.3});
    rise.f1("MultiWOZ", "last", tasks[i], {i < 1 ? 0.4 : 0.2, 0.4, 0.4, 0.4, 0.2});
  }
  EXPECT_EQ(rise.says("Training raises"), kNo);
  rise.f1("MultiWOZ", "last", tasks[1], {0.4, 0.4, 0.4, 0.4, 0.2});
  EXPECT_EQ(rise.says("Training raises"), kYes);

  Claimed wins;  // on one of two tasks
  for (size_t i = 0; i < 2; ++i) {
    wins.f1("MultiWOZ", "untrained", tasks[i], {0.9, 0.9, 0.9, 0.9, 0.6});
    wins.f1("MultiWOZ", "last", tasks[i], {i == 0 ? 0.5 : 0.7, 0.5, 0.5, 0.5, 0.1});
  }
  EXPECT_EQ(wins.says("(Not in the paper)"), kYes);
}

TEST(ProbePaper, ClaimsHaveTheirBounds) {
  Claimed t;
  const auto personachat = [&](const char* task, const std::vector<double>& of_models) {
    for (const char* checkpoint : kCheckpoints) t.f1("PersonaChat", checkpoint, task, of_models);
  };
  personachat("UtteranceLoc", {0.3, 0.2, 0.1, 0.6, 0.5});  // the transformer is second
  EXPECT_EQ(t.says("PersonaChat, UtteranceLoc"), kNo);
  personachat("UtteranceLoc", {0.3, 0.4, 0.1, 0.6, 0.35});  // third
  EXPECT_EQ(t.says("PersonaChat, UtteranceLoc"), kNo);
  personachat("UtteranceLoc", {0.3, 0.4, 0.1, 0.6, 0.2});
  EXPECT_EQ(t.says("PersonaChat, UtteranceLoc"), kYes);
  personachat("PersonalInfo", {0.02, 0.2, 0.03, 0.01, 0.05});
  EXPECT_EQ(t.says("No model gets"), kNo);
  personachat("PersonalInfo", {0.02, 0.09, 0.03, 0.01, 0.05});
  EXPECT_EQ(t.says("No model gets"), kYes);

  t.f1("MultiWOZ", "best", "RepeatInfo", {0.5, 0.52, 0.54, 0.56, 0.65});
  EXPECT_EQ(t.says("All models are"), kNo);
  t.f1("MultiWOZ", "best", "RepeatInfo", {0.5, 0.52, 0.54, 0.56, 0.59});
  EXPECT_EQ(t.says("All models are"), kYes);
  t.f1("MultiWOZ", "best", "AllSlots", {0.6, 0.6, 0.6, 0.4, 0.5});
  EXPECT_EQ(t.says("RNN models are better"), kNo);
  t.f1("MultiWOZ", "best", "AllSlots", {0.6, 0.6, 0.6, 0.6, 0.5});
  EXPECT_EQ(t.says("RNN models are better"), kYes);

  const auto says = [&](const char* claim, auto model,
                        const std::map<std::string, double>& values) {
    for (const auto& [key, value] : values) t.numbers.set(model, key, value);
    return t.says(claim);
  };
  const auto widths = [&](double untrained, double last) {
    return says("An untrained Transformer's", probed::kTransformer,
                {{"width.untrained", untrained}, {"width.last", last}});
  };
  EXPECT_EQ(widths(20, 5), kNo);
  EXPECT_EQ(widths(20, 12), kYes);
  const auto ties = [&](double mean, double highest) {
    return says("People call", probed::kBilstmAttention,
                {{"ties.mean", mean}, {"ties.highest", highest}});
  };
  EXPECT_EQ(ties(0.45, 0.5), kNo);
  EXPECT_EQ(ties(0.35, 0.55), kNo);
  EXPECT_EQ(ties(0.38, 0.5), kYes);
}

// Distances count, whatever their sign, and of five changes four.
TEST(ProbePaper, ClaimsOfSelectionProbeAndSpreadHaveTheirBounds) {
  Claimed t;
  const auto selection = [&](const char* choice, double easy, double hard) {
    t.f1("MultiWOZ", choice, "RepeatInfo", std::vector<double>(5, easy), "selection");
    t.f1("MultiWOZ", choice, "AllSlots", std::vector<double>(5, hard), "selection");
    return t.says("Results do not depend");
  };
  selection("best-bleu", 0.5, 0.5);
  EXPECT_EQ(selection("best-rouge", 0.58, 0.42), kNo);
  EXPECT_EQ(selection("best-rouge", 0.54, 0.46), kYes);

  for (const char* probe : {"logistic", "mlp"}) {
    t.f1("MultiWOZ", "untrained", "AllSlots", std::vector<double>(5, 0.3), probe);
    t.f1("MultiWOZ", "last", "AllSlots", std::vector<double>(5, 0.4), probe);
  }
  EXPECT_EQ(t.says("An MLP shows"), kYes);
  t.f1("MultiWOZ", "last", "AllSlots", {0.4, 0.4, 0.4, 0.4, 0.2}, "mlp");  // three of four
  EXPECT_EQ(t.says("An MLP shows"), kNo);

  for (const char* corpus : kCorpora)
    t.set(bleu_key(corpus) + kPlusMinus, {0.2, 0.3, 0.4, 0.1, 0.5});
  EXPECT_EQ(t.says("BiLSTM with attention has"), kYes);
  t.set(bleu_key("MultiWOZ") + kPlusMinus, {0.2, 0.3, 0.4, 0.6, 0.5});
  EXPECT_EQ(t.says("BiLSTM with attention has"), kNo);
}

TEST(Components, AreOfExamplesAtEvenDistances) {
  EXPECT_EQ(spread_out(10, 4), (std::vector<size_t>{0, 2, 5, 7}));
  EXPECT_EQ(spread_out(3, 4), (std::vector<size_t>{0, 1, 2}));
  EXPECT_TRUE(spread_out(0, 4).empty());
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
