#include "dialog/text/lexicon.h"

#include "base/error.h"
#include "dialog/text/text_file.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

class LexiconFile : public testing::Test {
 protected:
  Lexicon read(const std::string& text) const {
    return read_lexicon(dir_.write("lexicon.txt", text));
  }
  std::string error(const std::string& text) const {
    return error_of<DataError>([&] { read(text); });
  }
  const TempDir dir_;
};

TEST_F(LexiconFile, HasAScoreForEachWord) {
  const Lexicon lexicon = read(
      "$:\t-1.5\t0.80623\t[-1, -1, -1, -1, -3, -1, -3, -1, -2, -1]\r\n"
      "happy\t2.7\t0.9\t[2, 2]\nbad\t-2.5\nno one\t0\n");
  EXPECT_EQ(lexicon, (Lexicon{{"$:", -1.5}, {"happy", 2.7}, {"bad", -2.5}, {"no one", 0}}));
}

TEST_F(LexiconFile, TheLastOfTwoCounts) {
  EXPECT_EQ(read("fav\t2.4\nlol\t2.9\nfav\t2\n"), (Lexicon{{"fav", 2}, {"lol", 2.9}}));
}

TEST_F(LexiconFile, MayBeGzip) {
  TextWriter file(dir_.path("lexicon.txt.gz"));
  file.write("happy\t2.7\n");
  file.commit();
  EXPECT_EQ(read_lexicon(dir_.path("lexicon.txt.gz")), (Lexicon{{"happy", 2.7}}));
}

TEST_F(LexiconFile, WordsOfLettersThatScoreOneHaveSentiment) {
  const Lexicon lexicon = read("a\t1\nb\t-1\nc\t0.9\n:)\t2\nd9\t2\nno one\t2\nE\t2\n");
  for (const char* word : {"a", "b"}) EXPECT_TRUE(has_sentiment(lexicon, word)) << word;
  for (const char* word : {"c", ":)", "d9", "no one", "E", "f", ""}) {
    EXPECT_FALSE(has_sentiment(lexicon, word)) << word;
  }
}

TEST_F(LexiconFile, ShareIsOfAllWords) {
  const Lexicon lexicon = read("a\t1\nb\t-1\n");
  EXPECT_DOUBLE_EQ(share_of_sentiment_words(lexicon, {{"a", "x"}, {"a", "b", "x", "x", "x", "x"}}),
                   3.0 / 8);
  EXPECT_EQ(share_of_sentiment_words(lexicon, {{}}), 0);
}

TEST_F(LexiconFile, ErrorsNameTheLine) {
  const std::string rule = "expected a word, a tab and a finite number";
  for (const char* line : {"bad", "bad -2.5", "\t1", "bad\t", "bad\t\t1", "bad\tx", "bad\t1x",
                           "bad\tnan", "bad\tinf", "bad\t1e999", "bad\t +1", ""}) {
    const std::string text = error("good\t1.9\n" + std::string(line) + "\n");
    EXPECT_TRUE(has(text, "lexicon.txt:2: " + rule)) << line;
    EXPECT_EQ(text.find('\n'), text.npos);
  }
  EXPECT_TRUE(has(error(""), "no words"));
  EXPECT_TRUE(has(error(std::string("a\0b\t1\n", 6)), "lexicon.txt:1: "));
}

}  // namespace
}  // namespace heed
