// What a typed conversation keeps, and which of its lines the model hears.
#include "heed/conversation.h"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace heed {
namespace {

Example conversation_of(const std::vector<std::vector<int32_t>>& context,
                        const std::vector<char>& distraction) {
  Example e;
  e.context = context;
  e.distraction = distraction;
  return e;
}

// Ten turns of a model that was trained without a bound; what is from elsewhere is none of them.
TEST(Conversation, KeepsTheLastTurns) {
  for (const auto& [bound, kept] : {std::pair(0, 10), {3, 3}, {12, 12}, {20, 12}}) {
    Example e;
    for (int i = 0; i < 12; ++i) {
      e.context.insert(e.context.end(), {{20 + i}, {100 + i}});
      e.distraction.insert(e.distraction.end(), {0, 1});
    }
    const size_t gone = forget_early_turns(e, {.max_turns = bound}, Vocabulary());
    // behind the last turn that goes its distraction stays
    const int first = kept == 12 ? 0 : 24 - 2 * kept - 1;
    EXPECT_EQ(gone, static_cast<size_t>(first)) << bound;
    ASSERT_EQ(e.context.size(), 24 - gone);
    ASSERT_EQ(e.distraction.size(), 24 - gone);
    for (int i = first; i < 24; ++i) {
      EXPECT_EQ(e.context[i - first][0], (i % 2 == 0 ? 20 : 100) + i / 2) << bound;
      EXPECT_EQ(e.distraction[i - first], i % 2) << bound;
    }
  }
}

// A word and the end of its utterance are two; an utterance may lose its beginning.
TEST(Conversation, KeepsTheLastWords) {
  const std::vector<std::vector<int32_t>> context = {{10, 11}, {12}, {13, 14, 15}, {16}};
  const Vocabulary words = Vocabulary::build([] {
    TokenCounts counts;
    for (int i = 0; i < 20; ++i) counts["w" + std::to_string(i)] = 1;
    return counts;
  }());
  Example e = conversation_of(context, {0, 0, 1, 0});
  EXPECT_EQ(forget_early_turns(e, {.max_turns = 0, .max_context_tokens = 5}, words), 2u);
  EXPECT_EQ(e.context, (std::vector<std::vector<int32_t>>{{14, 15}, {16}}));
  EXPECT_EQ(e.distraction, (std::vector<char>{1, 0}));
  e = conversation_of(context, {0, 0, 1, 0});
  EXPECT_EQ(forget_early_turns(e, {.max_turns = 2, .max_context_tokens = 3}, words), 3u);
  EXPECT_EQ(e.context, (std::vector<std::vector<int32_t>>{{16}}));
  EXPECT_EQ(e.distraction, std::vector<char>{0});
}

TEST(Conversation, NamesUnknownWordsAsOftenAsTheyStand) {
  const Vocabulary words = Vocabulary::build(TokenCounts{{"a", 1}});
  EXPECT_EQ(unknown_words("Xyz a zz, xyz", words),
            (std::vector<std::string>{"xyz", "zz", ",", "xyz"}));
}

// A line with a slash alone, or with more than letters behind it, is no command. One without a
// word, such as an invisible space, is not heard.
TEST(Conversation, HearsWhatIsNoCommand) {
  std::istringstream typed(
      "hello\r\n\n \n\u200B\n/\n/2\n/etc/fstab\n/foo\n/reset\nagain\n/help\n/quit\nlate\n");
  std::streambuf* const before = std::cin.rdbuf(typed.rdbuf());
  std::vector<std::string> heard;
  testing::internal::CaptureStdout();
  converse({.greeting = "Good day.",
            .help = "A text.",
            .reset = [&] { heard.emplace_back("(reset)"); },
            .hear = [&](const std::string& line) { heard.push_back(line); }});
  const std::string shown = testing::internal::GetCapturedStdout();
  std::cin.rdbuf(before);
  EXPECT_EQ(heard,
            (std::vector<std::string>{"hello", "/", "/2", "/etc/fstab", "(reset)", "again"}));
  for (const char* line : {"Good day.\n", "/foo: no such command", "A text.\n  /reset",
                           "A new conversation begins.\n"}) {
    EXPECT_NE(shown.find(line), shown.npos) << line << shown;
  }
}

}  // namespace
}  // namespace heed
