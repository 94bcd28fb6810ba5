// Which texts may fill a gap, what belongs to which turn, and what rules count.
#include <gtest/gtest.h>

#include "dialog/data/formats/corpora.h"
#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/task.h"
#include "tests/file_helpers.h"

namespace heed::rewrite {
namespace {

Dialogue written_out(const std::vector<std::string>& texts, const std::string& full) {
  Dialogue dialogue{"d", {}};
  for (const std::string& text : texts) dialogue.turns.push_back({"", text});
  dialogue.turns.back().notes.edit().labels[kRewritten] = {full};
  return dialogue;
}

std::vector<GapExample> read_all(const std::vector<Dialogue>& dialogues) {
  return gap_examples("", dialogues, {.max_span = 3}, Vocabulary(), true);
}

// "ab c" and "a bc" are two texts though they have the same letters.
TEST(GapExamples, WordsAreNotTheirLetters) {
  const GapExample e = read_all({written_out({"a bc", "ab c", "good"}, "good")})[0];
  std::vector<Tokens> texts;
  for (const Candidate& c : e.candidates) texts.push_back(e.text(c));
  EXPECT_EQ(texts, (std::vector<Tokens>{{"c"}, {"ab", "c"}, {"ab"}, {"bc"}, {"a", "bc"}, {"a"}}));
}

// A turn without words is none, wherever it stands.
TEST(GapExamples, MarksAreThoseOfTurnsWithWords) {
  Dialogue d = written_out({"", "x", "", "y", " ", "z", "good"}, "good");
  d.turns[0].distraction = d.turns[2].distraction = d.turns[3].distraction = true;
  const GapExample e = read_all({d})[0];
  EXPECT_EQ(e.read, (Tokens{"x", "", "y", "", "z", "", "good", ""}));
  EXPECT_EQ(e.distraction, (std::vector<char>{0, 1, 0, 0}));
}

// The most frequent words of all turns, each as often as it stands.
TEST(GapExamples, TheVocabularyIsOfFrequentWords) {
  const Dialogue d = written_out({"rare z z z", "z y y", "y x x x x"}, "x");
  EXPECT_EQ(count_units({d, d}), (TokenCounts{{"rare", 2}, {"z", 8}, {"y", 6}, {"x", 8}}));
  Settings s;
  s.model.vocab_size = kSpecialTokens + 3;
  const TrainData data = make_train_data({"train", {d}}, {"valid", {d}}, s);
  EXPECT_EQ(data.vocabulary.size(), kSpecialTokens + 3);
  EXPECT_FALSE(data.vocabulary.knows("rare"));
}

// Of both parts together.
TEST(GapExamples, CountsWhatIsLeftOut) {
  const Dialogue good = written_out({"a", "b"}, "a b"), alone = written_out({"b"}, "b"),
                 huge = written_out({"a", "b c d"}, "b c d");
  Settings s;
  s.model.bounds.max_turn = 2;
  const TrainData data =
      make_train_data({"train", {good, alone, huge, huge}}, {"valid", {alone, good, good}}, s);
  EXPECT_EQ(data.train.size(), 1u);
  EXPECT_EQ(data.valid.size(), 2u);
  EXPECT_EQ(data.left_out, 4u);
}

// Words that a full form lacks are no filling, however often; of two fillings that were said the
// more frequent one is taken, though another stands nearer.
TEST(GapRules, CountEveryFilling) {
  std::vector<Dialogue> training;
  for (int i = 0; i < 6; ++i) training.push_back(written_out({"q", "oh well yes"}, "oh yes"));
  for (int i = 0; i < 3; ++i) training.push_back(written_out({"k", "it works"}, "k works"));
  for (int i = 0; i < 2; ++i) training.push_back(written_out({"m", "it works"}, "m works"));
  training.push_back(written_out({"a b", "it works"}, "a b works"));
  const Rules rules(read_all(training));
  const auto test = read_all({written_out({"k", "m", "a b", "o", "it works"}, "k works")});
  const auto written = [&](Rules::Rule rule) { return rules.rewrite(rule, test)[0]; };
  const Rewrite frequent = written(Rules::Rule::kFrequent);
  EXPECT_EQ(joined(frequent.text), "k works");
  std::vector<Tokens> best;
  for (const size_t c : frequent.gaps[0].best) best.push_back(test[0].text(test[0].candidates[c]));
  EXPECT_EQ(best, (std::vector<Tokens>{{"k"}, {"m"}, {"a", "b"}}));
  EXPECT_EQ(joined(written(Rules::Rule::kNearest).text), "o works");
}

// Three gaps in a turn: two are filled by what was said, the second of them by the third best.
TEST(GapRules, OutcomesCountEveryGap) {
  const auto test = read_all({written_out({"a", "b", "it and that now"}, "a and b now then"),
                              written_out({"c", "so"}, "so")});
  ASSERT_EQ(test[0].gaps.size(), 3u);
  const size_t a = test[0].answer(test[0].gaps[0]).value(),
               b = test[0].answer(test[0].gaps[1]).value();
  std::vector<Rewrite> given(2);
  given[0].gaps = {{test[0].gaps[0], {a, b}}, {test[0].gaps[1], {a, 7, b}}, {test[0].gaps[2], {}}};
  given[0].text = units("a and a now");
  given[1].text = units("so");
  const std::vector<Outcome> all = outcomes(test, given, given);
  EXPECT_EQ(all[0].gaps, 3);
  EXPECT_EQ(all[0].answered, 2);
  EXPECT_EQ((std::vector<int64_t>(all[0].among, all[0].among + kBest)),
            (std::vector<int64_t>{1, 1, 2}));
  EXPECT_FALSE(all[0].exact);
  EXPECT_TRUE(all[1].exact);
  EXPECT_EQ(all[1].gaps + all[1].answered + all[1].among[2], 0);
  const Measured m = measured(test, given, given);
  EXPECT_EQ(m.exact, 0.5);
  EXPECT_NEAR(m.answered, 2 / 3.0, 1e-12);
  EXPECT_EQ(m.at[0], 0.5);
  EXPECT_EQ(m.at[1], 0.5);
  EXPECT_EQ(m.at[2], 1);
}

}  // namespace
}  // namespace heed::rewrite
