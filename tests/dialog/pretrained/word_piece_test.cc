// What the files of a folder say of its tokenizer, and how pairs of texts are cut.
#include <gtest/gtest.h>

#include "tests/dialog/pretrained/tiny_bert.h"

namespace heed::pretrained {
namespace {

// Of "\u00e9 E": the piece e is 7, an unknown one 0. Accents stay where letters stay as they are,
// unless a file says otherwise.
TEST(WordPieceOfAFolder, KeepsAccentsWhereItKeepsCase) {
  const TempDir dir;
  imported_tiny_bert(dir);
  const auto ids = [&](const char* config) {
    dir.write("in/tokenizer_config.json", config);
    return load_encoder(dir.path("in")).pieces.encode("\xC3\xA9 E");
  };
  using Ids = std::vector<int32_t>;
  EXPECT_EQ(ids(R"({})"), (Ids{7, 7}));
  EXPECT_EQ(ids(R"({"do_lower_case": true})"), (Ids{7, 7}));
  EXPECT_EQ(ids(R"({"do_lower_case": false})"), (Ids{0, 0}));
  EXPECT_EQ(ids(R"({"do_lower_case": false, "strip_accents": true})"), (Ids{7, 0}));
  EXPECT_EQ(ids(R"({"do_lower_case": true, "strip_accents": false})"), (Ids{0, 7}));
}

// A Chinese character is a word of its own, unless a file says otherwise.
TEST(WordPieceOfAFolder, CutsChineseTextWhereItsFileSaysSo) {
  const TempDir dir;
  imported_tiny_bert(dir);
  const auto ids = [&](const char* config) {
    dir.write("in/tokenizer_config.json", config);
    return load_encoder(dir.path("in"))
        .pieces.encode(
            "a\xE4\xBD\xA0"
            "b c");
  };
  using Ids = std::vector<int32_t>;
  EXPECT_EQ(ids(R"({})"), (Ids{3, 0, 4, 5}));
  EXPECT_EQ(ids(R"({"tokenize_chinese_chars": true})"), (Ids{3, 0, 4, 5}));
  EXPECT_EQ(ids(R"({"tokenize_chinese_chars": false})"), (Ids{0, 5}));
}

// No text is longer than the model has positions for.
TEST(WordPieceOfAFolder, BelievesNoLengthAboveThePositions) {
  const TempDir dir;
  imported_tiny_bert(dir, /*positions=*/16);
  const auto longest = [&](int said) {
    dir.write("in/sentence_bert_config.json", "{\"max_seq_length\": " + std::to_string(said) + "}");
    return load_encoder(dir.path("in")).max_length;
  };
  EXPECT_EQ(longest(5), 5);
  EXPECT_EQ(longest(16), 16);
  EXPECT_EQ(longest(512), 16);
}

// Capitals that the vocabulary has would be read, where the model was trained without them.
TEST(WordPieceOfAFolder, IsNotOfTextsWhoseCaseIsLoweredBefore) {
  const TempDir dir;
  imported_tiny_bert(dir);
  dir.write("in/sentence_bert_config.json", R"({"max_seq_length": 5, "do_lower_case": true})");
  dir.write("in/tokenizer_config.json", R"({"do_lower_case": true})");
  EXPECT_EQ(load_encoder(dir.path("in")).max_length, 5);
  dir.write("in/tokenizer_config.json", R"({"do_lower_case": false})");
  EXPECT_EQ(error_of<DataError>([&] { (void)load_encoder(dir.path("in")); }),
            dir.path("in/sentence_bert_config.json") +
                ": \"do_lower_case\" is true, and heed reads false only");
}

// The end of the longer text goes first; of equal ones the second text's, as with `longest_first`
// of the tokenizers that encoders are trained with.
TEST(WordPiecePairs, LoseTheSecondTextsEndWhereBothAreEqual) {
  const TempDir dir;
  imported_tiny_bert(dir);
  const WordPiece pieces(dir.path("in/vocab.txt"));
  using Ids = std::vector<int32_t>;
  EXPECT_EQ(pieces.read("a b c", "d e", 8).ids, (Ids{1, 3, 4, 5, 2, 6, 7, 2}));
  EXPECT_EQ(pieces.read("a b c", "d e", 7).ids, (Ids{1, 3, 4, 2, 6, 7, 2}));
  EXPECT_EQ(pieces.read("a b c", "d e", 6).ids, (Ids{1, 3, 4, 2, 6, 2}));
  EXPECT_EQ(pieces.read("a b c", "d e", 5).ids, (Ids{1, 3, 2, 6, 2}));
  EXPECT_EQ(pieces.read("a", "d e", 5).ids, (Ids{1, 3, 2, 6, 2}));
}

}  // namespace
}  // namespace heed::pretrained
