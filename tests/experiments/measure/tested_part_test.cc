// What heed discriminate test says of passages: p-values, thresholds and intervals, counted by
// hand.
#include "experiments/measure/tested_part.h"

#include <gtest/gtest.h>

#include <sstream>

#include "experiments/measure/looks_json.h"
#include "experiments/measure/measure_json.h"

namespace heed {
namespace {

// Passages with what a judge says of them: "a b <eou> <sos> c <eou>" each.
struct Judged {
  bool real;
  double p_real;
  int conversation;
};
TestedPart part_of(const std::vector<Judged>& all) {
  TestedPart part{"corpus"};
  for (const Judged& one : all) {
    part.items.push_back({.id = std::to_string(part.items.size()),
                          .dialogue_id = "",
                          .conversation = one.conversation,
                          .context = {{6, 7}},
                          .response = {8},
                          .real = one.real});
    part.verdicts.push_back({.p_real = one.p_real});
  }
  part.cosines.resize(all.size());
  return part;
}
TestNumbers numbers_of(const std::string& name, const TestedPart& part, uint64_t seed = 1) {
  return test_numbers(name, part.items, part.p_real(), seed);
}

// All real ones are above all fake ones, but one of them is below a half: five of six are right.
const TestedPart kMostRight = part_of({{true, 0.9, 0},
                                       {false, 0.3, 0},
                                       {true, 0.5, 1},
                                       {false, 0.2, 1},
                                       {true, 0.4, 2},
                                       {false, 0.1, 2}});
// All are called fake, half of them rightly.
const TestedPart kHalfRight =
    part_of({{true, 0.4, 0}, {false, 0.3, 1}, {true, 0.2, 2}, {false, 0.1, 3}});

// The last words of the line of a row, from the end.
std::vector<std::string> words_of(const std::string& table, const std::string& row) {
  std::istringstream line(table.substr(table.find("\n" + row) + 1));
  std::string text;
  std::getline(line, text);
  std::istringstream words(text);
  std::vector<std::string> all;
  for (std::string word; words >> word;) all.insert(all.begin(), word);
  return all;
}

// Of the ranks: of 20 ways to choose three of six, 2 are as far apart. Against chance: of 64 ways
// 1 + 6 have at least five right, and as many at most one. Of two of four: the middle.
TEST(TestedParts, EachPValueIsOfItsTestAndItsRow) {
  TestNumbers most = numbers_of("most", kMostRight), half = numbers_of("half", kHalfRight);
  EXPECT_DOUBLE_EQ(most.row.metrics[0]->value, 5 / 6.0);  // a half is real
  const auto json = to_json(most), other = to_json(half);
  EXPECT_DOUBLE_EQ(json["auc"], 1);
  EXPECT_DOUBLE_EQ(json["p_rank_sum"], 2 / 20.0);
  EXPECT_DOUBLE_EQ(json["p_against_chance"], 14 / 64.0);
  EXPECT_DOUBLE_EQ(other["auc"], 0.75);
  EXPECT_DOUBLE_EQ(other["p_rank_sum"],
                   4 / 6.0);  // of 6 ways 2 have U = 3 or 4, and 2 the contrary
  EXPECT_DOUBLE_EQ(other["p_against_chance"], 1);
  most.threshold = 0.25, most.accuracy_at = 0.75;
  const std::string table = test_table({half, most}, 600);
  EXPECT_EQ(words_of(table, "half")[0], "-");
  EXPECT_EQ(words_of(table, "half")[1], p_text(1));
  EXPECT_EQ(words_of(table, "most")[0], "0.750");
  EXPECT_EQ(words_of(table, "most")[1], p_text(14 / 64.0));
}

TEST(TestedParts, OfOneClassHaveNoRanks) {
  for (const bool real : {true, false}) {
    const auto json = to_json(numbers_of("one", part_of({{real, 0.9, 0}, {real, 0.2, 1}})));
    EXPECT_TRUE(json["auc"].is_null());
    EXPECT_TRUE(json["p_rank_sum"].is_null());
    EXPECT_DOUBLE_EQ(json["p_against_chance"], 1);
  }
}

// At the threshold of the valid part, 0.3, three of four are right; at a half two, at their own
// all.
TEST(TestedParts, TheThresholdOfTheValidPartIsUsedOnTheTestPart) {
  const TestedPart valid = part_of({{true, 0.4, 0}, {false, 0.2, 1}}),
                   test = part_of(
                       {{true, 0.45, 0}, {false, 0.35, 1}, {true, 0.4, 2}, {false, 0.1, 3}});
  TestNumbers n = numbers_of("row", test);
  choose_threshold(n, valid, test);
  EXPECT_NEAR(n.threshold, 0.3, 1e-12);
  EXPECT_DOUBLE_EQ(n.accuracy_at.value(), 0.75);
  EXPECT_EQ(to_json(n)["threshold"], n.threshold);
  EXPECT_EQ(to_json(n)["accuracy_at_threshold"], 0.75);
  EXPECT_EQ(words_of(test_table({n}, 600), "row")[0], "0.750");
}

// Three conversations of four passages: all of one are judged wrongly. Of 27 draws of three
// conversations 8 have right ones only and 1 none, each more than 2.5 %.
TEST(TestedParts, IntervalsAreOverConversations) {
  std::vector<Judged> all;
  for (int i = 0; i < 12; ++i) {
    const int conversation = 2 - i % 3;
    const bool real = i < 6, right = conversation != 1;
    all.push_back({real, real == right ? 0.8 : 0.1, conversation});
  }
  const TestNumbers n = numbers_of("row", part_of(all));
  EXPECT_DOUBLE_EQ(n.row.metrics[0]->value, 8 / 12.0);
  EXPECT_EQ(n.row.metrics[0]->clusters, 3);
  EXPECT_EQ(n.row.metrics[0]->interval.low, 0);
  EXPECT_EQ(n.row.metrics[0]->interval.high, 1);
  EXPECT_EQ(n.auc.value().clusters, 3);
}

TEST(TestedParts, ASeedHasItsOwnIntervals) {
  std::vector<Judged> all;
  for (int i = 0; i < 97; ++i) all.push_back({i % 2 == 0, (i * 37 % 97) / 97.0, i * i % 13});
  const TestedPart part = part_of(all);
  const auto interval = [&](uint64_t seed) {
    return to_json(numbers_of("row", part, seed)).dump();
  };
  EXPECT_EQ(interval(2), interval(2));
  EXPECT_NE(interval(1), interval(2));
}

// ---- attention and cosines

TEST(TestedParts, ThePredictionsOfAPassageAreItsOwn) {
  TestedPart part = part_of({{true, 0.9, 0}, {false, 0.2, 0}});
  part.items[1].context = {{6}, {7}};  // "a <eou> b <eou> <sos> c <eou>"
  part.verdicts[0].attention = {0.5, 0.1, 0.1, 0.1, 0.1, 0.1};
  part.verdicts[1].attention = {0.1, 0.2, 0.05, 0.05, 0.25, 0.3, 0.05};
  part.cosines[1] = 0.5;
  const auto first = prediction_json(part, 0, discriminate::Reads::kAll),
             second = prediction_json(part, 1, discriminate::Reads::kAll);
  EXPECT_EQ(first["item"], "0/real");
  EXPECT_EQ(first["p_real"], 0.9);
  EXPECT_TRUE(first["cosine"].is_null());
  EXPECT_NEAR(first["mass"]["context"].get<double>(), 0.7, 1e-12);
  EXPECT_EQ(second["item"], "1/fake");
  EXPECT_EQ(second["p_real"], 0.2);
  EXPECT_EQ(second["cosine"], 0.5);
  EXPECT_NEAR(second["mass"]["context"].get<double>(), 0.4, 1e-12);
  EXPECT_NEAR(second["mass"]["response"].get<double>(), 0.35, 1e-12);
  EXPECT_NEAR(second["mass"]["sos"].get<double>(), 0.25, 1e-12);
  EXPECT_NEAR(second["mass"]["eou"].get<double>(), 0.2 + 0.05 + 0.05, 1e-12);
}

// Of real and fake ones the cosines do not differ; of those judged real all are above the others.
TEST(TestedParts, TheAnalysisComparesTheClassesThatWereJudged) {
  TestedPart part = part_of({{true, 0.5, 0},
                             {false, 0.9, 0},
                             {false, 0.8, 1},
                             {true, 0.4, 1},
                             {false, 0.3, 2},
                             {true, 0.2, 2}});
  for (size_t i = 0; i < 6; ++i) {
    part.verdicts[i].attention = {0.4, 0.1, 0.1, 0.1, 0.2, 0.1};
    part.cosines[i] = 0.9 - 0.1 * static_cast<double>(i);
  }
  const JudgedPassages judged{part.items, part.verdicts, part.cosines, discriminate::Reads::kAll};
  const auto json = looks_json(judged);
  EXPECT_EQ(json["cosine_judged_real_against_fake"]["first_is_larger"], 1);
  EXPECT_DOUBLE_EQ(json["cosine_judged_real_against_fake"]["p"], 2 / 20.0);
  EXPECT_DOUBLE_EQ(json["cosine_real_against_fake"]["first_is_larger"], 4 / 9.0);
  EXPECT_NEAR(json["judged_real"]["response_score"].get<double>(), 2 * 0.3, 1e-12);
  const std::string text = analysis_text(json);
  EXPECT_NE(text.find("judged real (3): attention on the response 0.300 (even: 0.333), on the "
                      "context 0.600 (even: 0.500), score of the response 0.600; cosine of "
                      "context and response 0.800"),
            text.npos)
      << text;
  EXPECT_NE(text.find("rank-sum test: " + p_equation(0.1)), text.npos) << text;
  // A half is judged real, here too.
  EXPECT_EQ(surest(judged, 3), (std::vector<size_t>{0, 5, 3, 1, 2, 4}));
}

// Of eight real ones that are judged real the three that the model is surest of, and as many of the
// others: real or not, judged real or not.
TEST(TestedParts, ThreeOfEachKindAreShown) {
  std::vector<Judged> all;
  for (int i = 0; i < 8; ++i) all.push_back({true, 0.55 + 0.05 * i, i});
  for (int i = 0; i < 4; ++i) {
    all.push_back({true, 0.1 + 0.05 * i, 8 + i});
    all.push_back({false, 0.6 + 0.05 * i, 12 + i});
    all.push_back({false, 0.15 + 0.05 * i, 16 + i});
  }
  TestedPart part = part_of(all);
  for (auto& verdict : part.verdicts) verdict.attention.assign(6, 1 / 6.0);
  const discriminate::Discriminator model(
      {.vocab_size = 12, .embedding_size = 4, .hidden_size = 4, .passages = {}}, 1);
  const Vocabulary words =
      Vocabulary::build({{"a", 4}, {"b", 3}, {"c", 2}, {"d", 1}, {"e", 1}}, {.max_size = 20});
  std::vector<double> p;
  for (const PassageView& view : views_of(part, model, words)) p.push_back(view.p_real);
  std::vector<double> expected;
  for (const size_t place : {7, 6, 5, 8, 11, 14, 18, 15, 12, 10, 13, 16}) {
    expected.push_back(all[place].p_real);
  }
  EXPECT_EQ(p, expected);
}

}  // namespace
}  // namespace heed
