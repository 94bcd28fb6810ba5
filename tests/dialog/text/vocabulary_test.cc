#include "dialog/text/vocabulary.h"

#include "base/error.h"
#include "dialog/data/example.h"
#include "dialog/text/tokenizer.h"
#include "tensor/bytes.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

const std::string kSpecialLines = "<pad>\n<unk>\n<sos>\n<eos>\n<eou>\n";

std::string load_error(const std::string& bytes) {
  TempDir dir;
  const std::string path = dir.write("vocab.txt", bytes);
  const std::string error = error_of<DataError>([&] { Vocabulary::load(path); });
  return error.starts_with(path) ? error.substr(path.size()) : error;
}

TEST(CountTokens, CountsAllTurns) {
  const TokenCounts counts = count_tokens(
      {{"a", {{"", "The boot, the root"}, {"", "the"}}}, {"b", {{"", ""}, {"", "boot"}}}});
  EXPECT_EQ(counts, (TokenCounts{{"the", 3}, {"boot", 2}, {",", 1}, {"root", 1}}));
}

TEST(Vocabulary, StartsWithTheSpecialTokens) {
  const Vocabulary vocabulary;
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.token(kPad), "<pad>");
  EXPECT_EQ(vocabulary.id("<unk>"), kUnk);
  EXPECT_EQ(vocabulary.id("<sos>"), kSos);
  EXPECT_EQ(vocabulary.id("<eos>"), kEos);
  EXPECT_EQ(vocabulary.id("<eou>"), kEou);
}

TEST(Vocabulary, OrdersByCountAndThenByBytes) {
  const TokenCounts counts = {{"b", 2}, {"é", 2}, {"a", 2}, {"z", 9}, {"rare", 1}};
  const Vocabulary vocabulary = Vocabulary::build(counts);
  ASSERT_EQ(vocabulary.size(), 10);
  const std::vector<std::string> expected = {"z", "a", "b", "é", "rare"};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(vocabulary.token(5 + i), expected[i]);
  EXPECT_EQ(Vocabulary::build(counts, {.min_count = 2}).size(), 9);
  const Vocabulary small = Vocabulary::build(counts, {.max_size = 7});
  EXPECT_EQ(small.size(), 7);
  EXPECT_EQ(small.encode(tokenize("Z b a é")), (std::vector<int32_t>{5, kUnk, 6, kUnk}));
}

TEST(Vocabulary, DoesNotCountSpecialTokensTwice) {
  const Vocabulary vocabulary = Vocabulary::build({{"<eou>", 9}, {"a", 1}});
  EXPECT_EQ(vocabulary.size(), 6);
  EXPECT_EQ(vocabulary.id("a"), 5);
}

TEST(Vocabulary, ChecksItsArguments) {
  EXPECT_EQ(error_of<UsageError>([] { Vocabulary::build({}, {.max_size = 4}); }),
            "vocabulary: the size must be 5 to 10000000, got 4");
  EXPECT_EQ(error_of<UsageError>([] { Vocabulary::build({}, {.max_size = 10'000'001}); }),
            "vocabulary: the size must be 5 to 10000000, got 10000001");
  EXPECT_EQ(Vocabulary::build({}, {.max_size = 10'000'000}).size(), 5);
  EXPECT_EQ(error_of<DataError>([] { Vocabulary().token(5); }),
            "vocabulary: no token has the number 5, there are 5");
  EXPECT_THROW(Vocabulary().token(-1), DataError);
}

TEST(Vocabulary, LoadsWhatItSaved) {
  TempDir dir;
  const auto dialogues = read_dialogues(source_dir() + "/data/ubuntu-sample/test.jsonl.gz");
  const Vocabulary saved = Vocabulary::build(count_tokens(dialogues), {.max_size = 2000});
  ASSERT_EQ(saved.size(), 2000);
  saved.save(dir.path("vocab.txt"));
  const Vocabulary loaded = Vocabulary::load(dir.path("vocab.txt"));
  ASSERT_EQ(loaded.size(), 2000);
  for (int32_t id = 0; id < 2000; ++id) {
    EXPECT_EQ(loaded.token(id), saved.token(id));
    EXPECT_EQ(loaded.id(saved.token(id)), id);
  }
}

TEST(Vocabulary, IsTheSameOutOfBytes) {
  const auto dialogues = read_dialogues(source_dir() + "/data/ubuntu-sample/test.jsonl.gz", 50);
  for (const TokenKind kind : {TokenKind::kWords, TokenKind::kPieces}) {
    const Vocabulary sent =
        Vocabulary::build(count_tokens(dialogues), {.max_size = 500, .kind = kind});
    BytesOut out;
    out(sent);
    Vocabulary got = Vocabulary::build({{"other", 1}});
    BytesIn in(out.bytes());
    in(got);
    EXPECT_TRUE(in.done());
    EXPECT_EQ(got, sent);
    EXPECT_EQ(got.kind(), kind);
    const std::vector<std::string> words = {"install", "ubuntu", "unheard-of"};
    EXPECT_EQ(got.encode(words), sent.encode(words));
  }
}

TEST(Vocabulary, LoadsWithAndWithoutLastLineEnd) {
  TempDir dir;
  EXPECT_EQ(Vocabulary::load(dir.write("f", kSpecialLines + "a\nb")).id("b"), 6);
  EXPECT_EQ(Vocabulary::load(dir.write("f", kSpecialLines + "a\r\nb\r\n")).id("b"), 6);
}

TEST(Vocabulary, RefusesBadFiles) {
  EXPECT_EQ(load_error("<pad>\n<unk>\nthe\n"), ":3: must be the special token <sos>");
  EXPECT_EQ(load_error("<pad>\n<unk>\n"), ":3: the file ends before the special token <sos>");
  EXPECT_EQ(load_error(""), ":1: the file ends before the special token <pad>");
  EXPECT_EQ(load_error(kSpecialLines + "a\n\nb\n"), ":7: the token is empty");
  EXPECT_EQ(load_error(kSpecialLines + "a\nb\na\n"), ":8: the same token as line 6");
  EXPECT_EQ(load_error(kSpecialLines + "<eou>\n"), ":6: the same token as line 5");
  EXPECT_EQ(load_error(kSpecialLines + "a b\n"), ":6: white space inside a token");
  EXPECT_EQ(load_error(kSpecialLines + "a\u00A0b\n"), ":6: white space inside a token");
  EXPECT_EQ(load_error(kSpecialLines + "a\xFF\n"), ":6: the token is not UTF-8");
  EXPECT_EQ(load_error(kSpecialLines + std::string("a\0\n", 3)),
            ":6: a zero byte, this is not a text file");
}

// A small file may not ask for much memory: see load_model().
TEST(Vocabulary, IsBounded) {
  const std::string longest(1024, 'a'), longer(1025, 'a');
  EXPECT_EQ(load_error(kSpecialLines + longer + "\n"), ":6: a token of more than 1024 bytes");
  EXPECT_EQ(load_error(gzip(kSpecialLines + "a\n")), ": is gzip data, expected plain text");
  TempDir dir;
  const std::string file = dir.write("f", kSpecialLines + longest + "\nb\n");
  EXPECT_EQ(Vocabulary::load(file).size(), 7);
  EXPECT_EQ(Vocabulary::load(file, 7).size(), 7);
  EXPECT_EQ(error_of<DataError>([&] { Vocabulary::load(file, 6); }),
            file + ":7: only 6 tokens may stand here");
  EXPECT_EQ(Vocabulary::build({{longest, 2}, {longer, 9}, {"b", 1}}).size(), 7);
}

}  // namespace
}  // namespace heed
