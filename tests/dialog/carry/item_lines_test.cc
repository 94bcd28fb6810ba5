// Lines of items: what a line leaves out, spans of values, and what is inserted.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "dialog/carry/items.h"
#include "dialog/carry/rules.h"
#include "tests/file_helpers.h"

namespace heed::carry {
namespace {

using Span = std::pair<int32_t, int32_t>;

// In code points, ignoring case; the first place where no word goes on.
TEST(ValueSpans, AreOfWholeWords) {
  EXPECT_EQ(span_of("a Car", "cAR"), Span(2, 5));
  EXPECT_EQ(span_of("scar, cars or car", "car"), Span(14, 17));
  EXPECT_EQ(span_of("car7 (car)", "car"), Span(6, 9));
  EXPECT_EQ(span_of("für São Paulo!", "são paulo"), Span(4, 13));
  EXPECT_EQ(span_of("São Paulo", "são"), Span(0, 3));
  EXPECT_EQ(span_of("ba a a", "a a"), Span(3, 6));  // which begins where the first one ends
  EXPECT_EQ(span_of("scar", "car"), Span(0, 0));
  EXPECT_EQ(span_of("cars", "car"), Span(0, 0));
  EXPECT_EQ(span_of("car", ""), Span(0, 0));
}

// Without ids an item is its line, and a dialogue of its own.
TEST(ItemLines, AreNamedByTheirPlace) {
  const TempDir dir;
  const std::string line = R"({"turns": [{"text": "x"}], "candidates": [], "carry": []})";
  const std::vector<Item> items =
      read_items(dir.write("f", "\n" + line + "\n\n\n" + line + "\n"), {.limit = 2});
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].id + " " + items[0].dialogue, "line-2 line-2");
  EXPECT_EQ(items[1].id + " " + items[1].dialogue, "line-5 line-5");
  EXPECT_EQ(read_items(dir.path("f"), {.limit = 1}).size(), 1u);
}

// Also of an item without candidates it is known that none holds, or it is not known.
TEST(ItemLines, SayWhatHolds) {
  const TempDir dir;
  const std::string file =
      dir.write("f", R"({"id": "a", "turns": [{"text": "x"}], "candidates": []})");
  EXPECT_EQ(
      error_of<DataError>([&] { read_items(file); }),
      file + ":1: there is no \"carry\": the places of the candidates that hold, [] for none");
  const Item unknown = read_items(file, {.labels = Labels::kOptional}).at(0);
  EXPECT_FALSE(unknown.labelled);
  dir.write("g", item_line(unknown));
  EXPECT_FALSE(read_items(dir.path("g"), {.labels = Labels::kOptional}).at(0).labelled);
}

TEST(ItemLines, AreReadAsTheyAreWritten) {
  const TempDir dir;
  const Item item{.id = "a#3",
                  .dialogue = "a",
                  .intent = "find it",
                  .unseen = true,
                  .turns = {{"user", "in Rio"}, {"system", "a hat", true}, {"user", "ok"}},
                  .candidates = {{.turn = 0, .key = "city", .value = "Rio", .begin = 3, .end = 6},
                                 {.turn = 2, .key = "yes", .value = "true", .from = "hotels"}},
                  .carry = {0, 1},
                  .labelled = true};
  dir.write("f", item_line(item));
  const Item read = read_items(dir.path("f")).at(0);
  EXPECT_EQ(read.id + read.dialogue + read.intent, "a#3afind it");
  EXPECT_TRUE(read.unseen);
  ASSERT_EQ(read.turns.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.turns[i].speaker + read.turns[i].text,
              item.turns[i].speaker + item.turns[i].text);
    EXPECT_EQ(read.turns[i].distraction, i == 1) << i;
  }
  ASSERT_EQ(read.candidates.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const Candidate &got = read.candidates[i], &wanted = item.candidates[i];
    EXPECT_EQ(got.turn, wanted.turn);
    EXPECT_EQ(got.key + got.value + got.from, wanted.key + wanted.value + wanted.from);
    EXPECT_EQ(Span(got.begin, got.end), Span(wanted.begin, wanted.end));
  }
  EXPECT_EQ(read.carry, item.carry);
}

// Any turn of any other dialogue, at any place before the last turn.
TEST(ItemLines, DistractionsAreOfAllTurnsAndPlaces) {
  Item one{.id = "a", .dialogue = "a", .turns = {{"user", "x"}, {"system", "y"}, {"user", "z"}}};
  one.candidates = {{.turn = 1, .key = "k", .value = "y"}};
  const std::vector<Item> all = {
      one,
      {.id = "a2", .dialogue = "a", .turns = {{"user", "own"}}},
      {.id = "b", .dialogue = "b", .turns = {{"user", "b1"}, {"system", "b2"}, {"user", "b3"}}},
      {.id = "c", .dialogue = "c", .turns = {{"user", "c1"}, {"system", "c2"}}}};
  std::set<std::string> texts;
  std::set<size_t> places;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed);
    const Item item = distract(one, all, 1, rng);
    ASSERT_EQ(item.turns.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      const Turn& turn = item.turns[i];
      EXPECT_EQ(turn.distraction, turn.text.size() == 2) << turn.text;
      if (turn.distraction) texts.insert(turn.text), places.insert(i);
    }
    EXPECT_EQ(item.turns[static_cast<size_t>(item.candidates[0].turn)].text, "y");
  }
  EXPECT_EQ(texts, (std::set<std::string>{"b1", "b2", "b3", "c1", "c2"}));
  EXPECT_EQ(places, (std::set<size_t>{0, 1, 2}));
}

// Whoever speaks last, the rule is about that speaker's values.
TEST(ItemRules, LatestUserIsTheSpeakerOfTheLastTurn) {
  Item item{.id = "a",
            .turns = {{"system", "Rio"}, {"user", "Lima"}, {"system", "Rome"}},
            .candidates = {{.turn = 0, .key = "city", .value = "Rio"},
                           {.turn = 1, .key = "city", .value = "Lima"}}};
  EXPECT_EQ(decide_by_rule("latest-user", item), (std::vector<char>{1, 0}));
  item.turns.push_back({"user", "ok"});
  EXPECT_EQ(decide_by_rule("latest-user", item), (std::vector<char>{0, 1}));
}

}  // namespace
}  // namespace heed::carry
