// Labels of turns that are laid beside their full form, by hand, in Chinese and English; and the
// ways back.
#include "dialog/data/gaps.h"

#include <gtest/gtest.h>

#include "dialog/data/formats/corpora.h"
#include "dialog/data/formats/english_gaps.h"
#include "dialog/rewrite/example.h"
#include "dialog/rewrite/rewriter.h"
#include "tensor/random.h"
#include "tests/dialog/data/reader_helpers.h"

namespace heed::rewrite {
namespace {

using Ints = std::vector<int32_t>;

TEST(Units, ChineseCharactersStandAlone) {
  EXPECT_EQ(units("iPhoneX为什么 不好用?"),
            (Tokens{"iphonex", "为", "什", "么", "不", "好", "用", "?"}));
  EXPECT_EQ(units("Don't go to San Jose."),
            (Tokens{"don", "'", "t", "go", "to", "san", "jose", "."}));
  EXPECT_EQ(joined(units("iphonex为什么不好用")), "iphonex为什么不好用");
  EXPECT_EQ(joined(units("I want to go , there.")), "i want to go, there.");
  EXPECT_EQ(units(""), Tokens{});
  EXPECT_EQ(joined({}), "");
}

struct Case {
  const char *turn, *rewritten;
  Ints labels;
  std::vector<Gap> gaps;
};

TEST(Align, ByHand) {
  const std::vector<Case> cases = {
      // left out at the beginning: the end of the turn before, and the first character
      {"为什么不好用", "iphonex为什么不好用", {1, 1, 0, 0, 0, 0, 0, 0}, {{0, 0, {"iphonex"}}}},
      // at the end
      {"教教我", "教教我c语言", {0, 0, 0, 1, 1}, {{3, 3, {"c", "语", "言"}}}},
      // within: two 1 in a row
      {"没看过", "没全球看过", {0, 1, 1, 0, 0}, {{1, 1, {"全", "球"}}}},
      // a pronoun
      {"它的作者是谁",
       "百年孤独的作者是谁",
       {0, 2, 0, 0, 0, 0, 0, 0},
       {{0, 1, {"百", "年", "孤", "独"}}}},
      // a pronoun of two characters, and something left out behind it
      {"这个好吗", "苹果好吃吗", {0, 2, 2, 1, 1, 0}, {{0, 2, {"苹", "果"}}, {3, 3, {"吃"}}}},
      {"好", "好", {0, 0, 0}, {}},
      {"i want a room there .",
       "i want a room in san jose .",
       {0, 0, 0, 0, 0, 2, 0, 0},
       {{4, 5, {"in", "san", "jose"}}}},
      {"i want seats .", "i want 2 seats .", {0, 0, 1, 1, 0, 0}, {{2, 2, {"2"}}}},
      {"book it for then , please",
       "book sino for next monday , please",
       {0, 0, 2, 0, 2, 0, 0, 0},
       {{1, 2, {"sino"}}, {3, 4, {"next", "monday"}}}},
      // gaps on both sides of one word
      {"is good",
       "red joan is very good",
       {1, 1, 1, 0},
       {{0, 0, {"red", "joan"}}, {1, 1, {"very"}}}},
      // dropped words are a gap with nothing in it
      {"oh well yes", "oh yes", {0, 0, 2, 0, 0}, {{1, 2, {}}}},
      // of two ways to keep as much, the one that keeps the first
      {"yes", "yes yes", {0, 1, 1}, {{1, 1, {"yes"}}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.turn);
    const Tokens turn = units(c.turn), rewritten = units(c.rewritten);
    const std::vector<Gap> gaps = align(turn, rewritten);
    EXPECT_EQ(gaps, c.gaps);
    const Ints labels = labels_of(gaps, turn.size());
    EXPECT_EQ(labels, c.labels);
    std::vector<Gap> places = gaps;
    for (Gap& gap : places) gap.piece.clear();
    EXPECT_EQ(gaps_of(labels), places);
    EXPECT_EQ(filled(turn, gaps), rewritten);
  }
}

TEST(Align, FillsToTheFullFormWhateverItIs) {
  Rng rng(4);
  for (int i = 0; i < 500; ++i) {
    const auto text = [&] {
      Tokens tokens(rng.below(8));
      for (std::string& t : tokens) t = std::string(1, static_cast<char>('a' + rng.below(3)));
      return tokens;
    };
    const Tokens turn = text(), rewritten = text();
    const std::vector<Gap> gaps = align(turn, rewritten);
    EXPECT_EQ(filled(turn, gaps), rewritten);
    for (size_t g = 1; g < gaps.size(); ++g) EXPECT_LT(gaps[g - 1].end, gaps[g].begin);
  }
}

TEST(GapsOf, LabelsThatNoAlignmentGives) {
  const auto places = [](const Ints& labels) {
    std::vector<std::pair<int32_t, int32_t>> result;
    for (const Gap& gap : gaps_of(labels)) result.emplace_back(gap.begin, gap.end);
    return result;
  };
  using Places = std::vector<std::pair<int32_t, int32_t>>;
  EXPECT_EQ(places({0, 1, 0}), Places{});  // a border by itself
  EXPECT_EQ(places({1, 1, 1, 1}), (Places{{0, 0}, {2, 2}}));
  EXPECT_EQ(places({1, 1, 1, 1, 1}), (Places{{0, 0}, {2, 2}, {3, 3}}));
  EXPECT_EQ(places({2, 2, 0}), (Places{{0, 1}}));  // the end of the turn before stands for nothing
  EXPECT_EQ(places({0, 0, 2}), Places{});
}

Vocabulary no_words() {
  return Vocabulary();
}

Dialogue rewritten_dialogue(const std::vector<std::string>& texts, const std::string& rewritten) {
  Dialogue dialogue{"d", {}};
  for (const std::string& text : texts) dialogue.turns.push_back({"", text});
  dialogue.turns.back().notes.edit().labels[kRewritten] = {rewritten};
  return dialogue;
}

TEST(GapExample, HasTheRunsOfItsContext) {
  const auto e = gap_example(rewritten_dialogue({"x y", "y z", "good"}, "y z good"),
                             {.max_span = 2}, no_words());
  ASSERT_TRUE(e);
  EXPECT_EQ(e->read, (Tokens{"x", "y", "", "y", "z", "", "good", ""}));
  EXPECT_EQ(e->border, 5);
  std::vector<Tokens> texts;
  for (const Candidate& c : e->candidates) texts.push_back(e->text(c));
  // No run goes over the end of a turn; y stands twice.
  EXPECT_EQ(texts, (std::vector<Tokens>{{"z"}, {"y", "z"}, {"y"}, {"x", "y"}, {"x"}}));
  EXPECT_EQ(e->candidates[2].begin, 3);
  EXPECT_EQ(e->answer(e->gaps[0]), 1u);
  EXPECT_EQ(e->answer({0, 0, {"q"}}), std::nullopt);
  EXPECT_EQ(e->ids[2], kEou);
}

TEST(GapExample, KeepsTheEndOfAContextAndNoLongTurns) {
  const auto e = gap_example(rewritten_dialogue({"x y", "y z", "good"}, "good"), {.max_context = 4},
                             no_words());
  EXPECT_EQ(e->read, (Tokens{"", "y", "z", "", "good", ""}));
  // Which turns are distractions stays with them, however many are cut off before them.
  Dialogue cut = rewritten_dialogue({"a b", "c d", "e f", "g h", "good"}, "good");
  cut.turns[1].distraction = cut.turns[3].distraction = true;
  for (const auto& [most, left] : std::vector<std::pair<int, std::vector<char>>>{
           {100, {0, 1, 0, 1, 0}}, {9, {1, 0, 1, 0}}, {6, {0, 1, 0}}, {3, {1, 0}}}) {
    EXPECT_EQ(gap_example(cut, {.max_context = most}, no_words())->distraction, left) << most;
  }
  const Bounds bounds{.max_turn = 2};
  EXPECT_TRUE(gap_example(rewritten_dialogue({"x", "a b"}, "a"), bounds, no_words()));
  EXPECT_TRUE(gap_example(rewritten_dialogue({"x", "a"}, "a b"), bounds, no_words()));
  EXPECT_FALSE(gap_example(rewritten_dialogue({"x", "a b c"}, "a"), bounds, no_words()));
  EXPECT_FALSE(gap_example(rewritten_dialogue({"x", "a"}, "a b c"), bounds, no_words()));
  EXPECT_FALSE(gap_example(rewritten_dialogue({"a"}, "a b"), bounds, no_words()));
  const TempDir dir;
  const std::string path = dir.write("f.jsonl", "{\"turns\": [{\"text\": \"x\"}]}\n");
  EXPECT_EQ(
      error_of<DataError>([&] {
        gap_examples(path, {Dialogue{"d1", {{"", "x"}, {"", "y"}}}}, bounds, no_words(), true);
      }),
      path +
          ":1: the last turn has no label \"rewritten\"; heed prepare rewriting and heed "
          "prepare gaps write it");
  EXPECT_TRUE(
      has(error_of<DataError>([&] {
            gap_examples("f.jsonl", {Dialogue{"d1", {{"", "x"}}}}, bounds, no_words(), false);
          }),
          "f.jsonl: no dialogue with a turn before the last one"));
}

TEST(GapExample, HasOneFullForm) {
  const TempDir dir;
  const std::string path = dir.write("f.jsonl", "{}\n");
  const auto error = [&](const std::vector<std::string>& forms) {
    Dialogue dialogue = rewritten_dialogue({"x", "y"}, "");
    dialogue.turns.back().notes.edit().labels[kRewritten] = forms;
    return error_of<DataError>([&] { gap_examples(path, {dialogue}, {}, no_words(), false); });
  };
  EXPECT_EQ(error({"x y"}), "no error");
  EXPECT_EQ(error({}), path + ":1: the label \"rewritten\" must have one text, got 0");
  EXPECT_EQ(error({"x y", "y"}), path + ":1: the label \"rewritten\" must have one text, got 2");
  for (const char* blank : {"", " \t"}) {
    EXPECT_EQ(error({blank}), path + ":1: the label \"rewritten\" has no words");
  }
}

TEST(GapExample, NamesTheLineOfTurnsWithoutWords) {
  const TempDir dir;
  const std::string path = dir.write("f.jsonl", "{}\n\n{}\n");  // the lines of two dialogues
  const auto error = [&](const std::string& before, const std::string& last) {
    const Dialogue good{"d1", {{"", "x"}, {"", "y"}}}, bad{"d2", {{"", before}, {"", last}}};
    return error_of<DataError>([&] { gap_examples(path, {good, bad}, {}, no_words(), false); });
  };
  EXPECT_EQ(error("x", " "), path + ":3: the last turn has no words");
  EXPECT_EQ(error("", "y"), path + ":3: no turn before the last one has words");
  // Another turn before is enough.
  const Dialogue some{"d", {{"", ""}, {"", "x", true}, {"", "y"}}};
  EXPECT_EQ(gap_examples(path, {some}, {}, no_words(), false)[0].distraction,
            (std::vector<char>{1, 0}));
}

std::vector<GapExample> examples_of(const std::vector<Dialogue>& dialogues) {
  return gap_examples("", dialogues, {.max_span = 3}, no_words(), true);
}

TEST(Rules, FillByWhatTheyKnow) {
  const Rules rules(examples_of({rewritten_dialogue({"a b", "c"}, "a b c"),
                                 rewritten_dialogue({"a b", "d"}, "a b d"),
                                 rewritten_dialogue({"x", "e"}, "x e")}));
  const auto test = examples_of({rewritten_dialogue({"a b", "p q", "it works"}, "a b works")});
  const auto text = [&](Rules::Rule rule) { return joined(rules.rewrite(rule, test)[0].text); };
  EXPECT_EQ(text(Rules::Rule::kCopy), "it works");
  EXPECT_EQ(text(Rules::Rule::kNearest), "p q works");
  EXPECT_EQ(text(Rules::Rule::kFrequent), "a b works");
  const auto measured_of = [&](Rules::Rule rule) {
    const auto texts = rules.rewrite(rule, test);
    return measured(test, texts, texts);
  };
  EXPECT_EQ(measured_of(Rules::Rule::kFrequent).at[0], 1);
  EXPECT_EQ(measured_of(Rules::Rule::kFrequent).exact, 1);
  EXPECT_EQ(measured_of(Rules::Rule::kNearest).at[0], 0);
  EXPECT_EQ(measured_of(Rules::Rule::kNearest).at[1], 1);  // a b is the run of two before p q
  EXPECT_EQ(measured_of(Rules::Rule::kCopy).exact, 0);
}

// A filling of one word and one of two: of equally frequent lengths the shortest is the usual one.
TEST(Rules, FillWithTheUsualLength) {
  const Rules rules(examples_of(
      {rewritten_dialogue({"a b", "c"}, "a b c"), rewritten_dialogue({"x", "e"}, "x e")}));
  const auto test = examples_of({rewritten_dialogue({"a b", "p q", "it works"}, "a b works")});
  EXPECT_EQ(joined(rules.rewrite(Rules::Rule::kNearest, test)[0].text), "q works");
}

TEST(Measured, CountsLabelsByHand) {
  const auto test = examples_of({rewritten_dialogue({"a b", "it works"}, "a b works now")});
  std::vector<Rewrite> found(1), given(1);
  found[0].labels = {1, 2, 1, 0};  // real: 0 2 1 1
  found[0].text = units("a b works now");
  given[0].gaps = {{test[0].gaps[0], {0, 1}}, {test[0].gaps[1], {}}};
  const Measured m = measured(test, found, given);
  EXPECT_EQ(m.border.precision(), 0.5);
  EXPECT_EQ(m.border.recall(), 0.5);
  EXPECT_EQ(m.pronoun.f1(), 1);
  EXPECT_EQ(m.both.f1(), 4.0 / 6);
  EXPECT_EQ(m.answered, 0.5);  // nothing is "now"
  EXPECT_EQ(m.at[0], 0);
  EXPECT_EQ(m.at[1], 1);
  EXPECT_EQ(m.exact, 1);
  EXPECT_NEAR(m.bleu, 1, 1e-12);
}

// ---- corpora

TEST(Rewriting, ReadsWhatIsPublished) {
  const TempDir dir;
  const std::string path = dir.write(
      "corpus.txt",
      "西安天气\t\t今天多云\t\t明天有雨吗\t\t西安明天有雨吗\n\na\tb\tc\td\nx\t\t\t\ty\t\tz\n");
  const Published corpus = read_rewriting(path);
  ASSERT_EQ(corpus.dialogues.size(), 2u);
  EXPECT_EQ(corpus.dialogues[0].id, "corpus.txt:1");
  EXPECT_EQ(corpus.dialogues[0].turns[2].text, "明天有雨吗");
  EXPECT_EQ(corpus.dialogues[0].turns[2].notes->labels.at(kRewritten),
            std::vector<std::string>{"西安明天有雨吗"});
  EXPECT_EQ(text_of(corpus.dialogues[0]), "a:西安天气|b:今天多云|a:明天有雨吗|");
  dir.write("blanks.txt", " a \tb\t c\t d e \n");
  const Dialogue blanks = read_rewriting(dir.path("blanks.txt")).dialogues.at(0);
  EXPECT_EQ(text_of(blanks), "a:a|b:b|a:c|");
  EXPECT_EQ(blanks.turns[2].notes->labels.at(kRewritten), std::vector<std::string>{"d e"});
  EXPECT_EQ(corpus.left_out.at("lines with a blank text"), 1u);
  EXPECT_EQ(read_rewriting(path, {.limit = 1}).dialogues.size(), 1u);
  const auto refusal = [&](const std::string& text) {
    const std::string bad = dir.write("bad.txt", text);
    std::string error = error_of<DataError>([&] { read_rewriting(bad); });
    return error.substr(error.find("bad.txt"));
  };
  EXPECT_EQ(refusal("a\tb\tc\td\na\tb\tc\n"),
            "bad.txt:2: expected four texts with tabs between: two turns, a turn, and that turn "
            "written out");
  EXPECT_TRUE(has(refusal("a\tx\tb\tx\tc\tx\td\n"), "bad.txt:1: expected four texts"));
  EXPECT_EQ(refusal("a\tb\tc\t\xff\n"), "bad.txt:1: the text is not UTF-8");
  EXPECT_EQ(refusal(""), "bad.txt: holds no dialogue");
}

Turn said(const std::string& speaker, const std::string& text, const Labels& labels = {}) {
  Turn turn{speaker, text};
  turn.notes.edit().labels = labels;
  return turn;
}

TEST(English, LeavesOutWhatStoodBefore) {
  const Dialogue dialogue{
      "1",
      {said("user", "A table in San Jose.", {{"act", {"inform city=san_jose"}}}),
       said("system", "For how many?"),
       said("user", "For 2, at Sino.", {{"act", {"inform seats=2", "inform name=sino"}}}),
       said("system", "In San Jose for 2?"),
       said("user", "Yes. San Jose!",
            {{"act", {"inform city=san_jose", "inform seats=2", "request x=?"}}})}};
  const Dialogue other{"2", {said("user", "Hello"), said("system", "Hi")}};
  std::set<std::string> seen;
  for (uint64_t seed = 1; seed < 20; ++seed) {
    const Published made = with_gaps({dialogue, other}, seed);
    ASSERT_EQ(made.dialogues.size(), 2u);
    EXPECT_EQ(made.left_out.at("dialogues without a value that stood before"), 1u);
    EXPECT_EQ(made.dialogues[0].id, "1#5");
    EXPECT_EQ(made.dialogues[0].turns.size(), 5u);
    EXPECT_EQ(made.dialogues[0].turns.back().notes->labels.at(kRewritten)[0], "yes. san jose!");
    EXPECT_EQ(made.dialogues[0].turns[0].text, "A table in San Jose.");
    seen.insert(made.dialogues[0].turns.back().text);
    // and one as it was said: 2 and Sino had not been said before
    EXPECT_EQ(made.dialogues[1].id, "1#3");
    EXPECT_EQ(made.dialogues[1].turns.back().text, "for 2, at sino.");
  }
  EXPECT_EQ(seen, (std::set<std::string>{"yes.!", "yes. there!"}));
}

// "rio", the whole turn, stood as long ago as a value may, and a place is "there"; a number is only
// left out. The turn that is as it was said is one of two, in each dialogue another.
TEST(English, ReplacesByTheKindOfAValue) {
  std::vector<Dialogue> dialogues;
  for (int i = 0; i < 16; ++i) {
    dialogues.push_back(
        {std::to_string(i),
         {said("user", "to rio please"), said("system", "ok"), said("user", "hello"),
          said("system", "ok"), said("user", "thanks"), said("system", "ok"),
          said("user", "rio", {{"act", {"inform city=rio"}}}), said("system", "for 2"),
          said("user", "2 now", {{"act", {"inform rooms=2"}}})}});
  }
  const Published made = with_gaps(dialogues, 1);
  ASSERT_EQ(made.dialogues.size(), 3u * 16);
  std::set<std::string> as_said;
  for (size_t i = 0; i < made.dialogues.size(); i += 3) {
    const Dialogue &place = made.dialogues[i], &number = made.dialogues[i + 1];
    EXPECT_EQ(place.turns.size(), 7u);
    EXPECT_EQ(place.turns.back().text, "there");
    EXPECT_EQ(place.turns.back().notes->labels.at(kRewritten)[0], "rio");
    EXPECT_EQ(number.turns.size(), 7u);
    EXPECT_EQ(number.turns[0].text, "hello");
    EXPECT_EQ(number.turns.back().text, "now");
    as_said.insert(made.dialogues[i + 2].turns.back().text);
  }
  EXPECT_EQ(as_said, (std::set<std::string>{"hello", "thanks"}));
}

// Of the turns before, those count that the dialogue of the gap holds.
TEST(English, ForgetsWhatStoodLongAgo) {
  for (const size_t turns : {kTurnsBefore - 1, kTurnsBefore, kTurnsBefore + 1}) {
    Dialogue dialogue{"1", {said("user", "to rio")}};
    while (dialogue.turns.size() < turns) dialogue.turns.push_back(said("system", "ok"));
    dialogue.turns.push_back(said("user", "rio", {{"act", {"inform city=rio"}}}));
    EXPECT_EQ(with_gaps({dialogue}).dialogues.size(), turns <= kTurnsBefore ? 1u : 0u) << turns;
  }
}

// Where a value is all of a turn something must stand for it: which word, the name of the slot
// says, whether the act or the state holds it.
TEST(English, StandsForAPlaceATimeOrAThing) {
  const std::pair<const char*, std::vector<const char*>> slots[] = {
      {"there",
       {"pickup_city", "location", "street_address", "destination", "origin", "area", "where_to"}},
      {"then", {"check_in_date", "leaving_time", "day"}},
      {"it", {"name", "cuisine"}}};
  for (const auto& [pronoun, names] : slots) {
    for (const std::string name : names) {
      for (const Labels& labels : {Labels{{"act", {"inform " + name + "=red_joan"}}},
                                   Labels{{"state", {"hotels_2-" + name + "=red_joan"}}}}) {
        const Dialogue dialogue{
            "1",
            {said("user", "Red Joan !"), said("system", "?"), said("user", "Red Joan", labels)}};
        EXPECT_EQ(text_of(with_gaps({dialogue}).dialogues.at(0)),
                  "user:Red Joan !|system:?|user:" + std::string(pronoun) + "|")
            << name;
      }
    }
  }
}

TEST(English, TakesTheLongestValueThatWasSaid) {
  const auto gap = [](const std::vector<std::string>& values, const std::string& text) {
    const Dialogue dialogue{
        "1", {said("user", text), said("system", "?"), said("user", text, {{"act", values}})}};
    const Published made = with_gaps({dialogue});
    return made.dialogues.empty() ? "none" : made.dialogues[0].turns.back().text;
  };
  const std::string shorter = "inform city=rio", longer = "inform city=rio_de_janeiro";
  for (const auto& values : {std::vector{shorter, longer}, {longer, shorter}, {longer}}) {
    EXPECT_EQ(gap(values, "rio de janeiro"), "there");
  }
  // What is no value of its own.
  for (const std::string word : {"true", "false", "?"}) {
    EXPECT_EQ(gap({"inform smoking=" + word}, word), "none");
  }
}

}  // namespace
}  // namespace heed::rewrite
