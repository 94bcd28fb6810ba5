#include "dialog/text/pieces.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/utf8.h"
#include "dialog/data/example.h"
#include "dialog/text/tokenizer.h"
#include "dialog/text/vocabulary.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

const std::string kSpecialPieces = "<pad>\n<unk>\n<sos>\n<eos>\n<eou>\n";

std::vector<std::string> learned(const TokenCounts& words, int64_t more) {
  const Pieces pieces = Pieces::learn(words, Pieces::kBytes + more);
  std::vector<std::string> result;
  for (int32_t i = Pieces::kBytes; i < pieces.size(); ++i) result.push_back(pieces[i]);
  return result;
}

std::vector<std::string> split(const Pieces& pieces, std::string_view text) {
  std::vector<std::string> parts;
  for (const int32_t piece : pieces.encode(text)) parts.push_back(pieces[piece]);
  return parts;
}

TokenCounts sample_counts() {
  return count_tokens(read_dialogues(source_dir() + "/data/ubuntu-sample/valid.jsonl.gz"));
}

// The words of Sennrich, Haddow & Birch (2016), Algorithm 1, with a blank before each in place of
// their sign behind it. By hand: "es" and "st" stand 9 times side by side each, and 'e' is before
// 's'; then "est" 9 times; then " l", "lo" and "ow" 7 times, by the numbers of their bytes in this
// order; then "lo" is gone, and "ow" comes before " l" with "o", which is a later piece.
TEST(Pieces, LearnsTheMostFrequentPairFirst) {
  const TokenCounts words = {{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}};
  EXPECT_EQ(learned(words, 5), (std::vector<std::string>{"es", "est", " l", "ow", " low"}));
}

TEST(Pieces, LearnsNothingThatStandsThereOnce) {
  EXPECT_EQ(learned({{"ab", 1}, {"cd", 1}}, 100), (std::vector<std::string>{}));
  EXPECT_EQ(learned({}, 100), (std::vector<std::string>{}));
  EXPECT_EQ(learned({{"ab", 2}}, 100), (std::vector<std::string>{" a", " ab"}));
  EXPECT_EQ(learned({{"ab", 2}}, 1), (std::vector<std::string>{" a"}));
  EXPECT_EQ(learned({{"ab", 2}}, 0), (std::vector<std::string>{}));
}

// Words of a KiB are learned from and encoded whole, longer ones are not. A piece has 128 bytes at
// most. An odd letter in front shows where a word was cut.
TEST(Pieces, BoundsAreInclusive) {
  EXPECT_EQ(learned({{std::string(1024, 'a'), 5}}, 1), (std::vector<std::string>{"aa"}));
  EXPECT_EQ(learned({{std::string(1025, 'a'), 5}}, 1), (std::vector<std::string>{}));
  const std::vector<std::string> doubled = learned({{std::string(1024, 'a'), 5}}, 100);
  size_t longest = 0;
  for (const std::string& piece : doubled) longest = std::max(longest, piece.size());
  EXPECT_EQ(longest, 128u);
  Pieces pieces;
  EXPECT_EQ(pieces.add("aa"), "");
  for (const size_t bytes : {1023, 1024, 1025}) {
    const std::vector<std::string> parts = split(pieces, " b" + std::string(bytes - 1, 'a'));
    const size_t whole = std::min<size_t>(bytes, 1024) - 1;  // the letters of the first run
    EXPECT_EQ(parts.size(), 2 + whole / 2 + whole % 2 + (bytes - 1 - whole)) << bytes;
  }
}

// Counts of all pairs anew before each step, in place of a queue.
std::vector<std::string> learned_slowly(const TokenCounts& counts, int64_t more) {
  std::vector<std::pair<std::vector<std::string>, int64_t>> words;
  for (const auto& [word, count] : counts) {
    std::vector<std::string> letters = {" "};
    for (const char c : word) letters.emplace_back(1, c);
    words.emplace_back(letters, count);
  }
  std::vector<std::string> order;
  for (int byte = 0; byte < 256; ++byte) order.emplace_back(1, static_cast<char>(byte));
  const auto number = [&](const std::string& piece) {
    return std::find(order.begin(), order.end(), piece) - order.begin();
  };
  while (static_cast<int64_t>(order.size()) < 256 + more) {
    std::map<std::pair<long, long>, int64_t> pairs;
    for (const auto& [pieces, count] : words) {
      for (size_t i = 0; i + 1 < pieces.size(); ++i) {
        pairs[{number(pieces[i]), number(pieces[i + 1])}] += count;
      }
    }
    const auto best =
        std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;  // the first of equal ones
        });
    if (best == pairs.end() || best->second < 2) break;
    const std::string left = order[best->first.first], right = order[best->first.second];
    for (auto& [pieces, count] : words) {
      for (size_t i = 0; i + 1 < pieces.size(); ++i) {
        if (pieces[i] != left || pieces[i + 1] != right) continue;
        pieces[i] += right;
        pieces.erase(pieces.begin() + static_cast<ptrdiff_t>(i) + 1);
      }
    }
    if (number(left + right) == std::ssize(order)) order.push_back(left + right);
  }
  return {order.begin() + 256, order.end()};
}

TEST(Pieces, LearnsWhatTheDefinitionSays) {
  TokenCounts some;
  for (const auto& [word, count] : sample_counts()) {
    if (some.size() < 300) some[word] = count % 7 + 1;
  }
  some["aaaaaaa"] = 9;
  some["abababa"] = 8;
  EXPECT_EQ(learned(some, 120), learned_slowly(some, 120));
}

TEST(Pieces, JoinsThoseThatWereLearnedFirst) {
  Pieces pieces;
  for (const char* piece : {"ab", "bc", "abc", " a", " abcd", "d "}) {
    const bool made = std::string(piece) == "ab" || std::string(piece) == "bc" ||
                      std::string(piece) == "abc" || std::string(piece) == " a";
    EXPECT_EQ(pieces.add(piece).empty(), made) << piece;
  }
  EXPECT_EQ(split(pieces, "abc"), (std::vector<std::string>{"abc"}));
  EXPECT_EQ(split(pieces, "abcab"), (std::vector<std::string>{"abc", "ab"}));
  EXPECT_EQ(split(pieces, " abc"), (std::vector<std::string>{" ", "abc"}));
  EXPECT_EQ(split(pieces, "bbc a"), (std::vector<std::string>{"b", "bc", " a"}));
  EXPECT_EQ(split(pieces, "  a "), (std::vector<std::string>{" ", " a", " "}));
}

TEST(Pieces, ARuleForEachPiece) {
  Pieces pieces;
  EXPECT_EQ(pieces.add(""), "a piece that is not made of two pieces before it");
  EXPECT_EQ(pieces.add("a"), "a piece that stands there already");
  EXPECT_EQ(pieces.add("abc"), "a piece that is not made of two pieces before it");
  EXPECT_EQ(pieces.add("a "), "a blank inside a piece");
  std::string longest = "aa";
  for (; longest.size() <= Pieces::kMaxBytes; longest += longest) {
    EXPECT_EQ(pieces.add(longest), "") << longest.size();
  }
  EXPECT_EQ(pieces.add(longest), "a piece of more than 128 bytes");
}

// Any bytes, also such as no text has.
TEST(Pieces, DecodesWhatItEncoded) {
  const Pieces learnt = Pieces::learn(sample_counts(), 600), bytes;
  Rng rng(1, "bytes", 0);
  std::vector<std::string> texts = {"",    " ",        "  ",
                                    "a b", "\xFF\xFE", "caf\u00E9 \u2581 \U0001F600"};
  texts.push_back(std::string("\0 \0\n\t", 5));
  texts.push_back(std::string(5000, 'a'));
  texts.push_back(std::string(1024, ' ') + std::string(1025, 'e') + " e");
  for (int i = 0; i < 500; ++i) {
    std::string& text = texts.emplace_back();
    const uint64_t alphabet = i % 2 == 0 ? 256 : 4;  // any byte; or " !\"#"
    for (uint64_t n = rng.below(60); n > 0; --n) {
      text += static_cast<char>((i % 2 == 0 ? 0 : ' ') + rng.below(alphabet));
    }
  }
  for (const std::string& text : texts) {
    EXPECT_EQ(learnt.decode(learnt.encode(text)), text);
    EXPECT_EQ(bytes.decode(bytes.encode(text)), text);
    EXPECT_EQ(bytes.encode(text).size(), text.size());
  }
}

TEST(PieceName, IsOneWordOfText) {
  EXPECT_EQ(piece_name(" hello"), "\u2581hello");
  EXPECT_EQ(piece_name("na\u00EFve"), "na\u00EFve");
  EXPECT_EQ(piece_name("\xC3"), "<0xC3>");
  EXPECT_EQ(piece_name("a<\u2581\n"), "a<0x3C><0xE2><0x96><0x81><0x0A>");
  EXPECT_EQ(piece_name("\u00A0"), "<0xC2><0xA0>");
  for (const char* bad : {"", "<0x41>", "<0x0a>", "<0x0A", "<", "<unk>", "a b", "<0xC3><0xAF>"}) {
    EXPECT_EQ(piece_of_name(bad), std::nullopt) << bad;
  }
}

TEST(PieceName, IsReadBack) {
  Rng rng(1, "names", 0);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (uint64_t n = 1 + rng.below(8); n > 0; --n) bytes += static_cast<char>(rng.below(256));
    const std::string name = piece_name(bytes);
    EXPECT_EQ(piece_of_name(name), bytes) << name;
    EXPECT_TRUE(is_utf8(name));
    EXPECT_EQ(name.find_first_of(" \t\n\r"), name.npos);
  }
}

// ---- as a vocabulary ----------------------------------------------------------------------------

Vocabulary of_sample(int64_t size) {
  return Vocabulary::build(sample_counts(), {.max_size = size, .kind = TokenKind::kPieces});
}

TEST(VocabularyOfPieces, GivesTheWordsBack) {
  const Vocabulary vocabulary = of_sample(700);
  ASSERT_EQ(vocabulary.size(), 700);
  EXPECT_EQ(vocabulary.kind(), TokenKind::kPieces);
  for (const Dialogue& d : read_dialogues(source_dir() + "/data/ubuntu-sample/test.jsonl.gz", 50)) {
    for (const Turn& turn : d.turns) {
      const std::vector<std::string> words = tokenize(turn.text);
      const std::vector<int32_t> ids = vocabulary.encode(words);
      EXPECT_EQ(vocabulary.words(ids), words);
      EXPECT_EQ(vocabulary.count_words(ids), std::ssize(words));
      EXPECT_EQ(std::count(ids.begin(), ids.end(), kUnk), 0);
      const size_t end = vocabulary.end_of_word(ids, 2);
      EXPECT_EQ(vocabulary.words({ids.begin(), ids.begin() + static_cast<ptrdiff_t>(end)}),
                std::vector<std::string>(
                    words.begin(), words.begin() + std::min<ptrdiff_t>(2, std::ssize(words))));
    }
  }
}

TEST(VocabularyOfPieces, KnowsEveryWordButVeryLongOnes) {
  const Vocabulary vocabulary = of_sample(300);
  const std::string longest(1024, 'x'), longer(1025, 'x');
  EXPECT_TRUE(vocabulary.knows("\u00E9"));
  EXPECT_TRUE(vocabulary.knows(longest));
  EXPECT_FALSE(vocabulary.knows(longer));
  using Ids = std::vector<int32_t>;
  EXPECT_EQ(vocabulary.encode(std::vector<std::string>{longer}), Ids{kUnk});
  EXPECT_EQ(vocabulary.words(vocabulary.encode(std::vector<std::string>{longest})),
            std::vector<std::string>{longest});
  EXPECT_EQ(vocabulary.encode(std::vector<std::string>{"<unk>", "<eou>"}), (Ids{kUnk, kEou}));
  EXPECT_EQ(vocabulary.count_words(vocabulary.encode(std::vector<std::string>{longest, "a"})), 2);
}

// What no text is encoded as, but a model may write.
TEST(VocabularyOfPieces, MakesWordsOfAnyPieces) {
  const Vocabulary vocabulary = of_sample(300);
  const auto id = [&](const char* name) { return vocabulary.id(name); };
  const auto words = [&](const std::vector<int32_t>& ids) { return vocabulary.words(ids); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words({id("a"), id("b"), id("\u2581"), id("\u2581"), id("c")}), (Words{"ab", "c"}));
  EXPECT_EQ(words({id("\u2581")}), Words{});
  EXPECT_EQ(words({}), Words{});
  EXPECT_EQ(words({id("a"), kUnk, id("b"), kEou}), (Words{"a", "<unk>", "b", "<eou>"}));
  EXPECT_EQ(words({id("a"), id("<0xC3>"), id("b")}), (Words{"a", "\uFFFD", "b"}));
  EXPECT_EQ(words({id("a"), id("<0x0A>"), id("B"), id("!")}), (Words{"a", "b", "!"}));
  EXPECT_THROW(words({300}), DataError);
  EXPECT_THROW(words({-1}), DataError);
}

// A text may begin inside of a word, as "a b" without a blank in front does.
TEST(VocabularyOfPieces, WhatATextBeginsWithIsAWord) {
  const Vocabulary vocabulary = of_sample(261);
  const auto id = [&](const char* name) { return vocabulary.id(name); };
  const std::vector<int32_t> ids = {id("a"), id("b"), id("\u2581"), id("c"), kEou};
  EXPECT_EQ(vocabulary.count_words(ids), 3);
  const size_t ends[] = {0, 2, 4, 5, 5};
  for (int words = 0; words < 5; ++words) {
    EXPECT_EQ(vocabulary.end_of_word(ids, words), ends[words]) << words;
  }
  EXPECT_EQ(vocabulary.count_words({}), 0);
  EXPECT_EQ(vocabulary.end_of_word({}, 1), 0u);
}

TEST(VocabularyOfPieces, FindsWhatIsOneWord) {
  const Vocabulary vocabulary =
      Vocabulary::build({{"ab", 5}}, {.max_size = 263, .kind = TokenKind::kPieces});
  EXPECT_EQ(vocabulary.token(262), "\u2581ab");
  EXPECT_EQ(vocabulary.id_of_word("ab"), 262);
  EXPECT_EQ(vocabulary.id("\u2581ab"), 262);
  EXPECT_EQ(vocabulary.id_of_word("abc"), kUnk);
  EXPECT_EQ(vocabulary.id_of_word("b"), kUnk);  // inside of words only
}

TEST(VocabularyOfPieces, LoadsWhatItSaved) {
  TempDir dir;
  const Vocabulary saved = of_sample(1000);
  saved.save(dir.path("vocab.txt"));
  const Vocabulary loaded = Vocabulary::load(dir.path("vocab.txt"));
  EXPECT_TRUE(loaded == saved);
  EXPECT_EQ(loaded.kind(), TokenKind::kPieces);
  const std::vector<std::string> words = tokenize("it's unrecognisable: \u00FCber-\u4F60\u597D");
  EXPECT_EQ(loaded.encode(words), saved.encode(words));
  EXPECT_EQ(loaded.words(loaded.encode(words)), words);
}

TEST(VocabularyOfPieces, DependsOnTheCountsAlone) {
  TokenCounts other_order;
  const TokenCounts counts = sample_counts();
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::sort(sorted.rbegin(), sorted.rend());
  other_order.reserve(1 << 20);
  for (const auto& [word, count] : sorted) other_order.emplace(word, count);
  set_num_threads(1);
  const Vocabulary one = of_sample(800);
  set_num_threads(2);
  EXPECT_TRUE(one == Vocabulary::build(other_order, {.max_size = 800, .kind = TokenKind::kPieces}));
}

TEST(VocabularyOfPieces, NeedsRoomForTheBytes) {
  const auto build = [](int64_t size) {
    return Vocabulary::build({}, {.max_size = size, .kind = TokenKind::kPieces});
  };
  EXPECT_EQ(error_of<UsageError>([&] { build(260); }),
            "vocabulary: the size of a vocabulary of pieces must be 261 to 10000000, got 260");
  EXPECT_EQ(build(261).size(), 261);
  EXPECT_EQ(parse_token_kind("bpe"), TokenKind::kPieces);
  EXPECT_EQ(error_of<UsageError>([] { parse_token_kind("letters"); }),
            "tokens: expected words or bpe, got 'letters'");
}

TEST(VocabularyOfPieces, RefusesBadFiles) {
  TempDir dir;
  Vocabulary::build({}, {.max_size = 261, .kind = TokenKind::kPieces}).save(dir.path("v"));
  const std::string bytes = dir.read("v");
  const auto error = [&](const std::string& text) {
    const std::string path = dir.write("vocab.txt", text);
    return error_of<DataError>([&] { Vocabulary::load(path); }).substr(path.size());
  };
  EXPECT_EQ(error(kSpecialPieces + "<0x00>\n<0x02>\n"), ":7: must be the piece <0x01>");
  EXPECT_EQ(error(kSpecialPieces + "<0x00>\n"), ":7: the file ends before the piece <0x01>");
  EXPECT_EQ(error(bytes + "abc\n"), ":262: a piece that is not made of two pieces before it");
  EXPECT_EQ(error(bytes + "ab\nabc\nab\n"), ":264: the same token as line 262");
  EXPECT_EQ(error(bytes + "a\u2581\n"), ":262: a blank inside a piece");
  EXPECT_EQ(
      error(bytes + "<0x41>\n"),
      ":262: not as a piece is written: a blank as \u2581, what is no letter or sign as <0x0A>");
  EXPECT_EQ(error(bytes + "<unk>\n"), ":262: the same token as line 2");
  EXPECT_EQ(error(bytes + "\n"), ":262: the token is empty");
  EXPECT_EQ(error(bytes + "\xFF\n"), ":262: the token is not UTF-8");
  const Vocabulary good = Vocabulary::load(dir.write("vocab.txt", bytes + "ab\nabc\n"));
  EXPECT_EQ(good.encode(std::vector<std::string>{"abc"}), (std::vector<int32_t>{5 + ' ', 262}));
}

// ---- in examples --------------------------------------------------------------------------------

Dialogue dialogue() {
  return {
      "d",
      {{"", "one two three"}, {"", "four five"}, {"", "six seven eight nine"}, {"", "ten eleven"}}};
}

// Bounds are in words: what is read is the same text, whatever it is made of.
TEST(ExamplesOfPieces, ReadTheSameTextAsThoseOfWords) {
  const Vocabulary pieces =
      Vocabulary::build({}, {.max_size = 261, .kind = TokenKind::kPieces});  // bytes alone
  const Vocabulary words = Vocabulary::build(count_tokens({dialogue()}));
  for (const ExampleOptions& options :
       {ExampleOptions{}, ExampleOptions{.max_utterance_tokens = 2, .max_response_tokens = 1},
        ExampleOptions{.max_context_tokens = 7}, ExampleOptions{.max_context_tokens = 9}}) {
    const Example a = make_examples({dialogue()}, words, options).at(0);
    const Example b = make_examples({dialogue()}, pieces, options).at(0);
    ASSERT_EQ(a.context.size(), b.context.size());
    for (size_t k = 0; k < a.context.size(); ++k) {
      EXPECT_EQ(words.words(a.context[k]), pieces.words(b.context[k]));
    }
    EXPECT_EQ(words.words(a.response), pieces.words(b.response));
    EXPECT_EQ(a.cut.context, b.cut.context);
    EXPECT_EQ(a.cut.response, b.cut.response);
    EXPECT_EQ(a.cut.utterances, b.cut.utterances);
    EXPECT_EQ(a.cut.turns, b.cut.turns);
    EXPECT_EQ(a.characters.all, b.characters.all);
    EXPECT_EQ(b.characters.unknown, 0);
  }
}

TEST(ExamplesOfPieces, CountTheCharactersOfTheResponse) {
  const Vocabulary words = Vocabulary::build({{"ten", 1}});
  const auto characters = [&](const std::string& response, int most) {
    const Dialogue d{"d", {{"", "a"}, {"", "b"}, {"", response}}};
    const ExampleOptions options{.max_response_tokens = most};
    const Example::Characters c = make_examples({d}, words, options).at(0).characters;
    return std::pair(c.all, c.unknown);
  };
  using Counts = std::pair<int64_t, int64_t>;
  EXPECT_EQ(characters("ten eleven", 0), Counts(4 + 7, 7));
  EXPECT_EQ(characters("Ten  ELEVEN ten", 2), Counts(4 + 7, 7));
  EXPECT_EQ(characters("\u00FCber!", 0), Counts(5 + 2, 7));
  EXPECT_EQ(characters("", 0), Counts(1, 0));
}

}  // namespace
}  // namespace heed
