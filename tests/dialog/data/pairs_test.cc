#include "dialog/data/pairs.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed {
namespace {

std::string said(const std::vector<Dialogue>& pairs) {
  std::string text;
  for (const Dialogue& pair : pairs) {
    text += pair.id;
    for (const Turn& turn : pair.turns) text += " " + turn.speaker + ":" + turn.text;
    text += "\n";
  }
  return text;
}

TEST(Pairs, AreAdjacentTurnsOfTheRightLength) {
  const std::vector<Dialogue> dialogues = {
      {"d", {{"A", "aaa"}, {"B", "bbbb"}, {"A", "cc"}, {"B", "ddd"}, {"A", "eeeee"}, {"B", "fff"}}},
      {"e", {{"A", "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4"}, {"B", "ggg"}}},  // four characters
      {"f", {{"A", "alone"}}}};
  EXPECT_EQ(said(adjacent_pairs(dialogues, {3, 4})),
            "d#2 A:aaa B:bbbb\n"
            "e#2 A:\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4 B:ggg\n");
  EXPECT_EQ(adjacent_pairs(dialogues, {1, 5}).size(), 6u);
}

TEST(Pairs, LeaveOutDistractions) {
  const std::vector<Dialogue> dialogues = {{"d", {{"A", "a"}, {"", "x", true}, {"B", "b"}}}};
  EXPECT_EQ(said(adjacent_pairs(dialogues, {1, 1})), "d#3 A:a B:b\n");
}

TEST(Pairs, HaveBounds) {
  const Characters read = parse_characters("9:128");
  EXPECT_EQ(read.least, 9);
  EXPECT_EQ(read.most, 128);
  EXPECT_EQ(parse_characters("4:4").most, 4);
  for (const char* wrong : {"", "9", "9:", ":9", "9:8", "0:4", "-1:4", "1:4x", "a:b", "1:2:3"}) {
    EXPECT_THROW(parse_characters(wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace heed
