#include "dialog/text/tokenizer.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/utf8.h"
#include "dialog/data/corpus.h"
#include "tests/paths.h"

namespace heed {
namespace {

// The tokens of a text, each followed by "|".
std::string cut(std::string_view text) {
  std::string all;
  for (const std::string& token : tokenize(text)) all += token + "|";
  return all;
}

TEST(Tokenize, CutsWordsAndSigns) {
  EXPECT_EQ(cut("I'm running Firefox 1.0, sun-j2rel.5 java vm!!"),
            "i|'|m|running|firefox|1|.|0|,|sun|-|j2rel|.|5|java|vm|!|!|");
  EXPECT_EQ(cut("libqt3_mt=~/x"), "libqt3_mt|=|~|/|x|");
  EXPECT_EQ(cut(""), "");
  EXPECT_EQ(cut(" \t"), "");
}

TEST(Tokenize, LowersLetters) {
  EXPECT_EQ(cut("ÀÖ×ØÞß ĀŐŹ ŸȘ"), "àö|×|øþß|āőź|ÿș|");
  EXPECT_EQ(cut("ΆΈΌΎΩ ΐ"), "άέόύω|ΐ|");
  EXPECT_EQ(cut("ЁЂПРИВЕТ ҐӀӁԮ"), "ёђпривет|ґӏӂԯ|");
  EXPECT_EQ(cut("İstanbul ııſ"), "istanbul|ııſ|");
  EXPECT_EQ(cut("TIẾNG VIỆT ԲԱՐԵՒ ＡＢ Ⱥ"), "tiếng|việt|բարեւ|ａｂ|ⱥ|");
}

TEST(Tokenize, KnowsLettersOfOtherScripts) {
  EXPECT_EQ(cut("日本語、हिन्दी। ½ ²"), "日本語|、|हिन्दी|।|½|²|");
  EXPECT_EQ(cut("core™i3 “hi”…€5 😀😀 x→y"), "core|™|i3|“|hi|”|…|€|5|😀|😀|x|→|y|");
}

TEST(Tokenize, SeparatesAtUnicodeWhiteSpace) {
  EXPECT_EQ(cut("a\u00A0b\u2003c\u3000d\u2028e\u0085f\x1Fg"), "a|b|c|d|e|f|g|");
}

TEST(Tokenize, DropsControlCharacters) {
  EXPECT_EQ(cut(std::string_view("a\0b\x1B[1m\x7F", 7)), "ab|[|1m|");
}

TEST(Tokenize, DropsWhatIsShownAsNothing) {
  EXPECT_EQ(cut("❤\uFE0Fok ☎\uFE0E 1\uFE0F\u20E3 #\uFE0F\u20E3x"), "❤|ok|☎|1|#|x|");
  EXPECT_EQ(cut("co\u00ADop \u200Eab\u200F \u2060c\uFEFF"), "coop|ab|c|");
  EXPECT_EQ(cut("ab\u200Bcd"), "ab|cd|");  // the zero width space separates
}

TEST(Tokenize, KeepsAnEmojiTogether) {
  EXPECT_EQ(cut("👍🏽👍🏽 👍 🏽a🏽"), "👍🏽|👍🏽|👍|🏽|a|🏽|");
  EXPECT_EQ(cut("👩🏽\u200D🚒ok 👁\uFE0F\u200D🗨\uFE0F"),
            "👩🏽\u200D🚒|ok|👁\u200D🗨|");
  EXPECT_EQ(cut("\U0001FAF1\U0001F3FD\u200D\U0001FAF2 ok"),
            "\U0001FAF1\U0001F3FD\u200D\U0001FAF2|ok|");
  EXPECT_EQ(cut("🇩🇪🇫🇷🇩 🇪"), "🇩🇪|🇫🇷|🇩|🇪|");
  EXPECT_EQ(cut("!🏽 ,\u200D👍 👍\u200D, 👍\u200C👍"), "!|🏽|,|👍|👍|,|👍|👍|");
}

// Persian and Indian words hold joiners; elsewhere they join nothing.
TEST(Tokenize, KeepsJoinersWithinWords) {
  EXPECT_EQ(cut("می\u200Cخواهم क्\u200Dष"), "می\u200Cخواهم|क्\u200Dष|");
  EXPECT_EQ(cut("\u200Da\u200D \u200C, b\u200D."), "a|,|b|.|");
}

// All code points between two letters: dropped, white space, a letter or a sign, and the lower case
// of it. scripts/unicode_tables.py computes the checksum from Python's unicodedata.
TEST(Tokenize, AgreesWithUnicodeOnAllCodePoints) {
  std::string all;
  for (char32_t c = 1; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char bytes[4];
    const std::string raw(bytes, write_utf8(bytes, c));
    const std::vector<std::string> tokens = tokenize("a" + raw + "b");
    if (tokens.size() == 3) {
      all += "." + tokens[1];
    } else if (tokens.size() == 2) {
      all += "s" + raw;
    } else {
      const std::string& word = tokens.at(0);
      all += word == "ab" ? "d" + raw : "l" + word.substr(1, word.size() - 2);
    }
  }
  const auto* data = reinterpret_cast<const Bytef*>(all.data());
  EXPECT_EQ(crc32(0, data, static_cast<uInt>(all.size())), 0x0CCE3AA4u);
}

TEST(Tokenize, ReplacesEachByteThatIsNotUtf8) {
  EXPECT_EQ(cut("a\xFF\xFEz"), "a|\uFFFD|\uFFFD|z|");
  EXPECT_EQ(cut("\xC3"), "\uFFFD|");                                   // cut off
  EXPECT_EQ(cut("\xC0\xAF"), "\uFFFD|\uFFFD|");                        // overlong "/"
  EXPECT_EQ(cut("\xED\xA0\x80"), "\uFFFD|\uFFFD|\uFFFD|");             // a surrogate
  EXPECT_EQ(cut("\xF4\x90\x80\x80"), "\uFFFD|\uFFFD|\uFFFD|\uFFFD|");  // above U+10FFFF
  EXPECT_EQ(cut("\xE2\x82x"), "\uFFFD|\uFFFD|x|");
}

TEST(Tokenize, NeverGivesASpecialToken) {
  EXPECT_EQ(cut("<pad> <UNK><sos>"), "<|pad|>|<|unk|>|<|sos|>|");
}

// For every code point: the token is UTF-8, and tokens joined by blanks give themselves again.
TEST(Tokenize, IsIdempotentOnAllCodePoints) {
  for (char32_t c = 1; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char bytes[4];
    const std::string text = "a" + std::string(bytes, write_utf8(bytes, c)) + "b";
    std::string joined;
    for (const std::string& token : tokenize(text)) {
      ASSERT_TRUE(is_utf8(token)) << static_cast<uint32_t>(c);
      joined += joined.empty() ? token : " " + token;
    }
    ASSERT_EQ(tokenize(joined), tokenize(text)) << static_cast<uint32_t>(c);
  }
}

TEST(Tokenizer, GivesTheSameAsTokenize) {
  Tokenizer tokenizer;
  for (const std::string text : {"A longer text, first", "b", "", "\xFF\xFF\xFF c"}) {
    const std::vector<std::string_view>& tokens = tokenizer(text);
    EXPECT_EQ(std::vector<std::string>(tokens.begin(), tokens.end()), tokenize(text));
  }
}

TEST(Tokenize, ReadsTheSample) {
  const auto dialogues = read_dialogues(source_dir() + "/data/ubuntu-sample/test.jsonl.gz", 1);
  EXPECT_EQ(cut(dialogues[0].turns[3].text), "hmmm|hang|on|may|have|solved|this|brb|");
  EXPECT_EQ(cut(dialogues[0].turns[1].text),
            "well|no|,|their|java|applet|windows|.|i|'|m|running|firefox|with|sun|-|j2rel|.|5|"
            "java|vm|");
}

TEST(Detokenize, PutsBlanksWhereAReaderExpectsThem) {
  EXPECT_EQ(detokenize(tokenize("I don't (really) know, apt-get: why?")),
            "i don't (really) know, apt-get: why?");
  EXPECT_EQ(detokenize({}), "");
  EXPECT_EQ(detokenize({"."}), ".");
}

TEST(Detokenize, SignsStandAtTheWordThatTheyBelongTo) {
  for (const char* sign :
       {".", ",", "!", "?", ";", ":", ")", "]", "}", "%", "…", "'", "’", "-", "/"}) {
    EXPECT_EQ(detokenize({"a", sign}), std::string("a") + sign);
  }
  for (const char* sign : {"(", "[", "{", "'", "’", "-", "/"}) {
    EXPECT_EQ(detokenize({sign, "a"}), std::string(sign) + "a");
  }
  for (const char* sign : {"=", "&", "\"", "€"}) {
    EXPECT_EQ(detokenize({"a", sign, "b"}), std::string("a ") + sign + " b");
  }
}

// What was set apart can be read again, at least the words of it.
TEST(Detokenize, KeepsTheTokens) {
  const std::vector<std::string> tokens = tokenize("a - b ; ( c ) x ' y / z % [ 1 ] ! … ok {}");
  EXPECT_EQ(tokenize(detokenize(tokens)), tokens);
}

TEST(ShortenRepetitions, KeepsThree) {
  const auto shortened = [](const std::string& text) {
    return detokenize(shorten_repetitions(tokenize(text)));
  };
  EXPECT_EQ(shortened("i i i i i i i"), "i i i [...]");
  EXPECT_EQ(shortened("i i i"), "i i i");
  EXPECT_EQ(shortened("well....................."), "well... [...]");
  EXPECT_EQ(shortened("no. do you know? do you know? do you know? do you know? do you"),
            "no. do you know? do you know? do you know? [...]");
  EXPECT_EQ(shortened("a b a b a b a b c c c c d"), "a b a b a b [...] c c c [...] d");
  EXPECT_EQ(shortened("a b c d e f g h i"), "a b c d e f g h i");
  const std::string eight = "a b c d e f g h", nine = "a b c d e f g h i";
  const auto four_times = [](const std::string& text) {
    return text + " " + text + " " + text + " " + text;
  };
  EXPECT_EQ(shortened(four_times(eight)), eight + " " + eight + " " + eight + " [...]");
  EXPECT_EQ(shortened(four_times(nine)), four_times(nine));
  EXPECT_EQ(shortened(""), "");
}

}  // namespace
}  // namespace heed
