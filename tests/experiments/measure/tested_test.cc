// Rows of rankers and discriminators, and N-best lists in other orders, against values that are
// counted by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "experiments/measure/looks_json.h"
#include "experiments/measure/measure_json.h"
#include "experiments/measure/reranked.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using discriminate::Passage;
using discriminate::Verdict;

// ---- test sets of rankers

// Three sets, each with two lists of two conversations; in the first list two candidates are right.
TEST(RankedSets, ChangeIsFromTheFirstSetAndRightOnesAddUp) {
  const auto set = [](const std::string& name, const std::vector<double>& a,
                      const std::vector<double>& b) {
    return RankedSet{name,
                     {{.id = "1", .conversation = 0, .scores = a, .right = {0, 1}},
                      {.id = "2", .conversation = 1, .scores = b, .right = {0}}},
                     {}};
  };
  const auto rows =
      measure_sets({set("none", {2, 1, 0}, {1, 0}), set("random:1.0", {0, 1, 2}, {1, 0}),
                    set("rare:end", {0, 1, 2}, {0, 1})},
                   1);
  ASSERT_EQ(rows.size(), 3u);
  const double mrr[] = {1, (0.5 + 1) / 2, 0.5};
  for (size_t s = 0; s < 3; ++s) {
    EXPECT_DOUBLE_EQ(rows[s].mrr->value, mrr[s]) << s;
    EXPECT_DOUBLE_EQ(rows[s].change->value, mrr[s] - mrr[0]) << s;
  }
  const double all = 1 + std::exp(-1) + std::exp(-2), two = 1 / (1 + std::exp(-1));
  EXPECT_NEAR(rows[0].right->value, ((1 + std::exp(-1)) / all + two) / 2, 1e-12);
  EXPECT_NEAR(rows[1].right->value, ((std::exp(-2) + std::exp(-1)) / all + two) / 2, 1e-12);
  EXPECT_NEAR(rows[2].right->value, ((std::exp(-2) + std::exp(-1)) / all + 1 - two) / 2, 1e-12);
}

// The ranker read the last three of four utterances; the first one, a distraction, it did not see.
TEST(RankedSets, LooksAreOfTheUtterancesThatWereRead) {
  const DialogueScore score = look_score({{0.5}, {0.25}, {0.25}}, {1, 0, 1, 0});
  EXPECT_EQ(score.distraction, (std::vector<char>{0, 1, 0}));
  EXPECT_EQ(score.as_scores, (std::vector<double>{1.5, 0.75, 0.75}));
  EXPECT_EQ(score.das_ratio, 0.5);
}

TEST(RankedSets, NoTurnWithoutWordsIsInserted) {
  std::vector<MarkedContext> contexts;
  for (int i = 0; i < 50; ++i) contexts.push_back({std::to_string(i), {"hello", "there"}});
  const std::vector<Dialogue> pool = {{"other", {{"", " "}, {"", "words"}, {"", ""}}}};
  for (const MarkedContext& c : distracted(contexts, parse_test_set("random:1.0"), pool, 1)) {
    ASSERT_EQ(c.utterances.size(), 4u);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(c.distraction[i] != 0, c.utterances[i] == "words");
  }
}

// Phrases are of their kind, utterances of another dialogue and drawn by the seed.
TEST(RankedSets, InsertedTextsAreOfTheirSource) {
  std::vector<MarkedContext> contexts;
  for (int i = 0; i < 40; ++i) contexts.push_back({i % 2 ? "a" : "b", {"hello", "there"}});
  std::vector<Dialogue> pool = {{"a", {}}, {"b", {}}};
  for (int i = 0; i < 9; ++i) {
    for (Dialogue& d : pool) d.turns.push_back({"", d.id + std::to_string(i)});
  }
  const auto inserted = [&](const char* set, uint64_t seed) {
    std::vector<std::string> texts;
    for (const MarkedContext& c : distracted(contexts, parse_test_set(set), pool, seed)) {
      for (size_t i = 0; i < c.utterances.size(); ++i) {
        if (c.distraction[i]) texts.push_back(c.dialogue_id + ": " + c.utterances[i]);
      }
    }
    return texts;
  };
  const PhraseText phrases;
  for (const auto& [set, known] :
       {std::pair("frequent:end", phrases.frequent), {"rare:end", phrases.rare}}) {
    const auto texts = inserted(set, 1);
    EXPECT_GE(texts.size(), 40u);
    for (const std::string& text : texts) {
      EXPECT_EQ(std::count(known.begin(), known.end(), text.substr(3)), 1) << set << text;
    }
  }
  const auto texts = inserted("random:1.0", 2);
  EXPECT_EQ(texts.size(), 80u);
  for (const std::string& text : texts) EXPECT_NE(text[0], text[3]) << text;
  EXPECT_EQ(texts, inserted("random:1.0", 2));
  EXPECT_NE(texts, inserted("random:1.0", 1));
}

TEST(RankedSets, ASeedHasItsOwnIntervals) {
  RankedSet set{"none", {}, {}};
  for (int i = 0; i < 60; ++i) {
    set.lists.push_back(
        {.conversation = i * i % 13, .scores = {i * 37 % 60 / 60.0, 0.5, 0.3}, .right = {0}});
  }
  const auto intervals = [&](uint64_t seed) { return to_json(measure_sets({set}, seed)).dump(); };
  EXPECT_EQ(intervals(2), intervals(2));
  EXPECT_NE(intervals(1), intervals(2));
}

// ---- tables

// The words of the last line of a table with one row: every cell.
std::string last_line(std::string table) {
  while (table.ends_with('\n')) table.pop_back();
  std::istringstream words(table.substr(table.rfind('\n') + 1));
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

// 0.1 [0, 0.2], as a share.
Estimate about(double value) {
  return {.value = value, .clusters = 7, .interval = {value - 0.1, value + 0.1}};
}

TEST(Tables, OfTestSetsHaveEachNumberInItsPlace) {
  RankedSetRow row{"none", about(0.1), about(0.2), about(0.3), about(0.4), {}};
  row.looks.distracted = 3;
  row.looks.as_distraction = 0.5;
  row.looks.as_history = 0.6;
  row.looks.das_ratio = 0.7;
  row.looks.mean_das_ratio = 0.8;
  EXPECT_EQ(last_line(sets_table({row}, 400)),
            "none 10.0 [0.0, 20.0] 20.0 [10.0, 30.0] 30.0 [20.0, 40.0] 40.0 [30.0, 50.0] 0.50 0.60 "
            "0.70");
  const auto json = to_json(std::vector{row})["none"];
  const std::pair<const char*, double> expected[] = {
      {"recall_1", 0.1}, {"mrr", 0.2}, {"mrr_change", 0.3}, {"right_probability", 0.4}};
  for (const auto& [key, value] : expected) EXPECT_EQ(json[key]["value"], value) << key;
  const std::pair<const char*, double> looks[] = {{"distracted", 3},
                                                  {"as_distraction", 0.5},
                                                  {"as_history", 0.6},
                                                  {"das_ratio", 0.7},
                                                  {"mean_das_ratio", 0.8}};
  for (const auto& [key, value] : looks) EXPECT_EQ(json[key], value) << key;
}

TEST(Tables, OfRankingsHaveEachNumberInItsPlace) {
  const Ranking row{.name = "mine",
                    .recall = {{1, about(0.1)}, {10, about(0.2)}},
                    .mrr = about(0.3),
                    .map = about(0.4),
                    .auc = about(0.5),
                    .areas = {0.6, 0.7, 0.8}};
  EXPECT_EQ(last_line(rankings_table({row}, true, 400)),
            "mine 10.0 [0.0, 20.0] 20.0 30.0 [20.0, 40.0] 40.0 [30.0, 50.0] 50.0 [40.0, 60.0] 60.0 "
            "70.0 80.0");
  const std::string one_right = rankings_table({row}, false, 400);
  EXPECT_EQ(last_line(one_right),
            "mine 10.0 [0.0, 20.0] 20.0 30.0 [20.0, 40.0] 50.0 [40.0, 60.0] 60.0 70.0 80.0");
  for (const char* title : {"R@1 ", "R@10", "AUC@0.1 ", "AUC@0.05", "AUC@0.01"}) {
    EXPECT_TRUE(has(one_right, title)) << title;
  }
  const auto json = to_json(std::vector{row})[0];
  EXPECT_EQ(json["recall"]["10"]["value"], 0.2);
  EXPECT_EQ(json["mrr"]["value"], 0.3);
  EXPECT_EQ(json["map"]["value"], 0.4);
  EXPECT_EQ(json["auc"]["value"], 0.5);
  EXPECT_EQ(json["conversations"], 7);
  EXPECT_EQ(json["auc_at"].dump(), R"({"0.1":0.6,"0.05":0.7,"0.01":0.8})");
}

TEST(Tables, OfNegativesHaveEachNumberInItsPlace) {
  NegativesRow row{.name = "real", .threshold = 0.25, .tested = 20, .none = 4, .scores = {}};
  row.scores = {.counts = {9, 5, 3, 2, 1},
                .f1_macro = 0.61,
                .f1_weighted = 0.62,
                .withheld_wrong = 0.63,
                .withheld_right = 0.64};
  row.accuracy = about(0.1), row.known_right = about(0.2);
  row.none_withheld = about(0.3), row.auc = about(0.4);
  EXPECT_EQ(
      last_line(negatives_table({row}, 400)),
      "real 0.25 10.0 [0.0, 20.0] 20.0 [10.0, 30.0] 30.0 [20.0, 40.0] 45.0 25.0 15.0 10.0 5.0 "
      "61.0 62.0 63.0 64.0 40.0 [30.0, 50.0]");
  const auto json = to_json(row);
  EXPECT_EQ(json["outcomes"].dump(), R"({"T":9,"TO":5,"FCO":3,"FO":2,"F":1})");
  const std::pair<const char*, double> numbers[] = {{"threshold", 0.25},
                                                    {"f1_macro", 0.61},
                                                    {"f1_weighted", 0.62},
                                                    {"withheld_wrong", 0.63},
                                                    {"withheld_right", 0.64}};
  for (const auto& [key, value] : numbers) EXPECT_EQ(json[key], value) << key;
  EXPECT_EQ(json["accuracy"]["value"], 0.1);
  EXPECT_EQ(json["known_right"]["value"], 0.2);
  EXPECT_EQ(json["none_withheld"]["value"], 0.3);
}

// ---- discriminators

// Four passages of two conversations, real and fake in turn, and what a judge says of them.
struct Tested {
  explicit Tested(const std::vector<double>& p_real) {
    for (size_t i = 0; i < p_real.size(); ++i) {
      part.items.push_back({.id = std::to_string(i),
                            .dialogue_id = std::to_string(i / 2),
                            .conversation = static_cast<int>(i / 2),
                            .context = {{7, 8}},
                            .response = {9},
                            .real = i % 2 == 0});
      part.verdicts.push_back({.p_real = p_real[i]});
    }
    part.cosines.resize(p_real.size());
  }
  TestedPart part{"corpus"};
};

// The threshold is chosen on one part, and used on the other.
TEST(TestedParts, AThresholdIsOfTheValidPartAndItsAccuracyOfTheTestPart) {
  const Tested valid({0.4, 0.2, 0.35, 0.1}), test({0.4, 0.3, 0.25, 0.1});
  TestNumbers n = test_numbers("row", test.part.items, test.part.p_real(), 1);
  EXPECT_DOUBLE_EQ(n.row.metrics[0]->value, 0.5);  // all are called fake
  choose_threshold(n, valid.part, test.part);
  EXPECT_TRUE(n.threshold > 0.2 && n.threshold <= 0.35) << n.threshold;
  double right = 0;
  for (const Passage& item : test.part.items) {
    right += (test.part.p_real()[std::stoul(item.id)] >= n.threshold) == item.real;
  }
  EXPECT_LT(right, 4);
  EXPECT_DOUBLE_EQ(*n.accuracy_at, right / 4);
  EXPECT_DOUBLE_EQ(to_json(n)["auc"], 0.75);  // 0.25 is below 0.3
}

TEST(TestedParts, SayWhatWasLeftOutAndWhy) {
  discriminate::Part part;
  part.other_length = 1;
  part.irreplaceable = 2;
  part.unfit = {.no_passage = 3, .repeated = 6, .unknown = 4, .length = 5, .as_said = 7};
  EXPECT_EQ(left_out_json(part).dump(),
            R"({"other_length":1,"irreplaceable":2,"responses":{"no_passage":3,"unknown":4,)"
            R"("length":5,"repeated":6,"as_said":7}})");
}

// The real ones from the highest p down, the fake ones from the lowest p up.
TEST(Looks, TheSurestOfEachKindComeFirst) {
  const Tested t({0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1});
  const JudgedPassages judged{t.part.items, t.part.verdicts, t.part.cosines,
                              discriminate::Reads::kAll};
  // Real: 0 and 2 judged real, 4 and 6 judged fake; fake: 1 and 3, 5 and 7.
  EXPECT_EQ(surest(judged, 3), (std::vector<size_t>{0, 2, 6, 4, 1, 3, 7, 5}));
  EXPECT_EQ(surest(judged, 1), (std::vector<size_t>{0, 6, 1, 7}));
}

// ---- ties

// What nobody judged is no pair.
TEST(TieAgreement, IsOfThePairsThatWereJudged) {
  people::Key key;
  key.items = {{.id = "1"}, {.id = "2", .swapped = true}, {.id = "3"}, {.id = "nobody's"}};
  std::vector<people::Judgement> list;
  for (const size_t item : {0, 1, 2}) {
    for (const size_t annotator : {0, 1}) {
      const int choice = item == 2 ? people::kTie : item == 1 ? people::kB : people::kA;
      list.push_back({.item = item, .annotator = annotator, .choice = choice, .round = 1});
    }
  }
  const Agreement agreement = tie_agreement(list, key, 1);
  EXPECT_EQ(agreement.items, 3);
  ASSERT_TRUE(agreement.pi);
  EXPECT_DOUBLE_EQ(agreement.pi->value, 1);
  EXPECT_DOUBLE_EQ(agreement.expected, (4.0 * 4 + 2.0 * 2) / 36);  // four for the first run
  const auto rounds = tie_rounds(list, key, {.source = "f", .samples = 5, .size = 1, .seed = 1});
  const nlohmann::ordered_json json = to_json(rounds.at(0));
  EXPECT_EQ(json["a"], 4);  // the second pair was shown swapped
  EXPECT_EQ(json["b"], 0);
  EXPECT_EQ(json["ties"], 2);
}

// ---- N-best lists

std::vector<Offered> lists(size_t count) {
  const Offered one{{{"a", "b", "c", "a"}, {"a", "b", "d", "e"}, {"f"}}, {-1, -2, -3}};
  return std::vector<Offered>(count, one);
}

TEST(Reranked, DistinctIsOfWordsAndOfPairsWithinAList) {
  const ListDiversity d = diversity_of(lists(3));
  EXPECT_DOUBLE_EQ(d.size, 3);
  EXPECT_NEAR(d.distinct_1, 6.0 / 9, 1e-12);  // a b c d e f of 9 words
  EXPECT_NEAR(d.distinct_2, 5.0 / 9, 1e-12);  // ab bc ca bd de; distinct-n divides by all words
}

// Each list has a draw of its own, and a seed other draws.
TEST(Reranked, EachListIsDrawnFrom) {
  const auto all = lists(200);
  const std::vector<size_t> drawn = drawn_of(all, 1);
  for (const size_t place : {0, 1, 2}) {
    const auto count = std::count(drawn.begin(), drawn.end(), place);
    EXPECT_TRUE(count > 40 && count < 95) << place << ": " << count;
  }
  EXPECT_EQ(drawn, drawn_of(all, 1));
  EXPECT_NE(drawn, drawn_of(all, 2));
}

TEST(Reranked, ChangedIsTheShareOfListsWithAnotherFirst) {
  const auto all = lists(4);
  const std::vector<Tokens> references(4, {"a", "b", "d", "e"});
  EXPECT_DOUBLE_EQ(measure_firsts("x", all, {0, 1, 2, 1}, references).changed, 0.75);
  EXPECT_EQ(nearest_to(all, references), (std::vector<size_t>(4, 1)));
}

// Of two passages, one of them real: "a b <eou> c <eou> <sos> d <eou>", looked at in one place.
TEST(Looks, AttentionStandsBesideTheSharesOfTokens) {
  std::vector<Passage> passages(2);
  std::vector<Verdict> verdicts(2);
  for (size_t i = 0; i < 2; ++i) {
    passages[i].context = {{6, 7}, {8}};
    passages[i].response = {9};
    passages[i].real = i == 0;
    verdicts[i].attention.assign(8, 0);
    verdicts[i].attention[i == 0 ? 0 : 6] = 1;
    verdicts[i].p_real = 0.25;
  }
  const std::vector<std::optional<double>> cosines = {0.5, std::nullopt};
  const auto json = looks_json({passages, verdicts, cosines, discriminate::Reads::kAll});
  for (const char* which : {"real", "fake", "judged_fake"}) {
    const auto& tokens = json[which]["tokens"];
    EXPECT_NEAR(tokens["context"].get<double>(), 5 / 8.0, 1e-12) << which;
    EXPECT_NEAR(tokens["response"].get<double>(), 2 / 8.0, 1e-12) << which;
    EXPECT_NEAR(tokens["sos"].get<double>(), 1 / 8.0, 1e-12) << which;
    EXPECT_NEAR(tokens["eou"].get<double>(), 3 / 8.0, 1e-12) << which;
  }
  EXPECT_EQ(json["real"]["attention"]["context"], 1);
  EXPECT_EQ(json["fake"]["attention"]["response"], 1);
  EXPECT_EQ(json["judged_fake"]["attention"]["context"], 0.5);
  EXPECT_EQ(json["judged_fake"]["cosine"], 0.5);
  EXPECT_TRUE(json["judged_real"].is_null());
  EXPECT_TRUE(json["fake"]["cosine"].is_null());
}

// A half is real; means are over the items that have a number; a word keeps its attention.
TEST(Looks, OfClassesAndWords) {
  std::vector<Passage> passages(2);
  std::vector<Verdict> verdicts(2);
  for (size_t i = 0; i < 2; ++i) {
    passages[i].context = {{6, 7}, {8}};
    passages[i].response = {9};
    verdicts[i].p_real = 0.5;
    for (int k = 0; k < 8; ++k) verdicts[i].attention.push_back(k / 28.0);
  }
  const std::vector<std::optional<double>> cosines = {0.5, 0.25};
  const JudgedPassages judged{passages, verdicts, cosines, discriminate::Reads::kAll};
  const auto json = looks_json(judged);
  EXPECT_EQ(json["judged_real"]["items"], 2);
  EXPECT_TRUE(json["judged_fake"].is_null());
  EXPECT_EQ(json["judged_real"]["cosine"], 0.375);
  const Vocabulary words =
      Vocabulary::build({{"a", 4}, {"b", 3}, {"c", 2}, {"d", 1}, {"e", 1}}, {.max_size = 20});
  const PassageView view = view_of(judged, 0, words);
  int k = 0;
  for (const auto& utterance : view.utterances) {
    for (const WordView& word : utterance) EXPECT_EQ(word.attention, k++ / 28.0) << word.text;
  }
  EXPECT_EQ(k, 8);
}

}  // namespace
}  // namespace heed
