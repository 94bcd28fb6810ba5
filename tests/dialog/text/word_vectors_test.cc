#include "dialog/text/word_vectors.h"

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

class WordVectorFile : public testing::Test {
 protected:
  WordVectors read(const std::string& text) const {
    return read_word_vectors(dir_.write("vectors.txt", text), words_);
  }
  std::string error(const std::string& text) const {
    return error_of<DataError>([&] { read(text); });
  }
  const TempDir dir_;
  // <pad> ... <eou>, the, of, cat
  const Vocabulary words_ = Vocabulary::build({{"the", 3}, {"of", 2}, {"cat", 1}});
};

TEST_F(WordVectorFile, OfGlove) {
  const WordVectors v = read("cat 0.5 -1e-1\nunheard 9 9\nthe 1 2\n");
  EXPECT_EQ(v.width, 2);
  EXPECT_EQ(v.ids, (std::vector<int32_t>{kSpecialTokens + 2, kSpecialTokens}));
  EXPECT_EQ(v.values, (std::vector<float>{0.5, -0.1f, 1, 2}));
}

TEST_F(WordVectorFile, OfWord2vecAndFastTextHasAHeaderAndBlanksBehind) {
  const WordVectors v = read("2 3\nthe 1 2 3 \nof 4 5 6 \n");
  EXPECT_EQ(v.width, 3);
  EXPECT_EQ(v.values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read("1 1\n8 2\n").width, 1) << "a header, then the word 8";
}

// One word and one number are no header.
TEST_F(WordVectorFile, AWordMayHaveOneNumber) {
  const WordVectors v = read("the 2\nof 3\n");
  EXPECT_EQ(v.width, 1);
  EXPECT_EQ(v.values, (std::vector<float>{2, 3}));
}

TEST_F(WordVectorFile, WidthsAreBounded) {
  std::string line = "the";
  for (int i = 0; i < 65536; ++i) line += " 1";
  EXPECT_EQ(read(line).width, 65536);
  EXPECT_TRUE(has(error(line + " 1"), "vectors.txt:1: expected a word and its numbers"));
}

TEST_F(WordVectorFile, AWordMayHoldBlanks) {
  EXPECT_EQ(read("the 1 2\n. . . 3 4\nof 5 6\n").ids.size(), 2u);
}

TEST_F(WordVectorFile, TheFirstOfTwoCountsAndSpecialTokensAreOurs) {
  const WordVectors v = read("<unk> 7 7\nthe 1 2\nthe 3 4\n");
  EXPECT_EQ(v.values, (std::vector<float>{1, 2}));
}

TEST_F(WordVectorFile, ErrorsNameTheLine) {
  EXPECT_TRUE(has(error("the 1 2\nof 1\n"), "vectors.txt:2: expected a word and 2 finite numbers"));
  EXPECT_TRUE(has(error("the 1 2\nof 1 x\n"), "vectors.txt:2: "));
  EXPECT_TRUE(has(error("the 1 nan\n"), "vectors.txt:1: "));
  EXPECT_TRUE(has(error("the 1 1e99\n"), "vectors.txt:1: "));
  EXPECT_TRUE(has(error("the 1 2\n\n"), "vectors.txt:2: "));
  EXPECT_TRUE(has(error("word\n"), "vectors.txt:1: expected a word and its numbers"));
  EXPECT_TRUE(has(error(""), "no words"));
  EXPECT_TRUE(has(error("3 300\n"), "no words behind the first line"));
  EXPECT_TRUE(
      has(error("3 2\nthe 1 2\nof 3 4\n"), "expected 3 words, as the first line says, got 2"));
  EXPECT_TRUE(has(error("1 2\nthe 1 2\nof 3 4\n"), "expected 1 words"));
  EXPECT_TRUE(has(error("16777217 1\nthe 1\n"), "expected 16777217 words"));
  EXPECT_TRUE(
      has(error("1 3\nthe 1 2\n"), "vectors.txt:2: expected 3 numbers, as the first line says"));
}

}  // namespace
}  // namespace heed
