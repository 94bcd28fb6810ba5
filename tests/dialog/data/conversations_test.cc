// Which test examples are of one conversation.
#include "dialog/data/conversations.h"
#include "tests/dialog/data/dialogue_helpers.h"
#include "tests/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace heed {
namespace {

const std::string kLong(40, 'x'), kOther(60, 'y');
const std::string kUmlauts = [] {
  std::string text;
  for (int i = 0; i < 39; ++i) text += "ü";
  return text;
}();

std::vector<int> conversations_of(const std::vector<Dialogue>& dialogues,
                                  const ExampleOptions& options = {}) {
  const Vocabulary words = Vocabulary::build(count_tokens(dialogues), {});
  return conversations(dialogues, make_examples(dialogues, words, options));
}

TEST(Conversations, ShareALongUtteranceAnywhere) {
  EXPECT_EQ(conversations_of({dialogue("a", {kLong, "so", "yes"}),   // first in the context
                              dialogue("b", {"hi", "so", "yes"}),    // short ones do not count
                              dialogue("c", {"hi", "well", kLong}),  // in the response
                              dialogue("d", {"hi", kOther, "yes"}),  // through e
                              dialogue("e", {kOther, "and", "x", kLong}),
                              dialogue("f", {kLong.substr(1), "so", "no"}),  // 39 characters
                              dialogue("g", {kLong.substr(1), "so", "no"})}),
            (std::vector<int>{0, 1, 0, 0, 0, 2, 3}));
}

TEST(Conversations, CountCharactersNotBytes) {
  EXPECT_EQ(conversations_of(
                {dialogue("a", {kUmlauts, "so", "yes"}), dialogue("b", {kUmlauts, "hi", "yes"})}),
            (std::vector<int>{0, 1}));
  EXPECT_EQ(conversations_of({dialogue("a", {kUmlauts + "ü", "so", "yes"}),
                              dialogue("b", {kUmlauts + "ü", "hi", "yes"})}),
            (std::vector<int>{0, 0}));
}

TEST(Conversations, ExamplesOfADialogueAndDialoguesOfANameAreOne) {
  EXPECT_EQ(conversations_of({dialogue("a", {"1", "2", "3", "4", "5"}),
                              dialogue("b", {"1", "2", "3"}), dialogue("a", {"6", "7", "8"})},
                             {.all_positions = true}),
            (std::vector<int>{0, 0, 0, 1, 0}));
}

// A dialogue that is too short for an example still connects others; so do turns that were cut off.
TEST(Conversations, OfAllThatWasRead) {
  EXPECT_EQ(
      conversations_of({dialogue("a", {kLong, "1", "2", "3", "4"}),
                        dialogue("short", {kLong, kOther}), dialogue("b", {kOther, "6", "7"})},
                       {.max_turns = 2}),
      (std::vector<int>{0, 0}));
}

TEST(Conversations, MarkedDistractionsBelongToNone) {
  Dialogue a = dialogue("a", {kLong, "1", "2"}), b = dialogue("b", {kLong, "3", "4"});
  a.turns[0].distraction = b.turns[0].distraction = true;
  EXPECT_EQ(conversations_of({a, b}), (std::vector<int>{0, 1}));
}

// As counted by another program: 157 of the 830 bundled test dialogues share text with another one.
TEST(Conversations, OfTheBundledTestDialogues) {
  const auto all =
      conversations_of(read_dialogues(source_dir() + "/data/ubuntu-sample/test.jsonl.gz"));
  ASSERT_EQ(all.size(), 830u);
  EXPECT_EQ(1 + *std::max_element(all.begin(), all.end()), 744);
  std::map<int, int> sizes;
  for (const int conversation : all) ++sizes[conversation];
  int together = 0, largest = 0;
  for (const auto& [conversation, size] : sizes) {
    together += size > 1 ? size : 0;
    largest = std::max(largest, size);
  }
  EXPECT_EQ(together, 157);
  EXPECT_EQ(largest, 4);
}

}  // namespace
}  // namespace heed
