// Passages, and what stands in the place of their responses.
#include "dialog/discriminate/passage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "dialog/discriminate/replacement.h"
#include "dialog/discriminate/responses_file.h"
#include "tests/file_helpers.h"

namespace heed::discriminate {
namespace {

Dialogue dialogue(const std::string& id, const std::vector<std::string>& texts) {
  Dialogue d{.id = id, .turns = {}};
  for (const std::string& text : texts) d.turns.push_back({"", text});
  return d;
}

Vocabulary words_of(const std::vector<Dialogue>& dialogues) {
  return Vocabulary::build(count_tokens(dialogues));
}

TokenIds ids(const Vocabulary& vocabulary, const std::string& text) {
  return encode_utterance(text, vocabulary);
}

// `count` dialogues of four turns of 3 to 6 words; no two utterances are equal.
std::vector<Dialogue> many(int count, const std::string& prefix = "d") {
  std::vector<Dialogue> all;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> texts;
    for (int t = 0; t < 4; ++t) {
      std::string text = "w" + std::to_string(i) + " t" + std::to_string(t);
      for (int n = 0; n < 1 + (i + t) % 4; ++n) text += " x";
      texts.push_back(text);
    }
    all.push_back(dialogue(prefix + std::to_string(i), texts));
  }
  return all;
}

TEST(Passages, AreRunsOfTurnsOfTheRightLength) {
  const std::vector<Dialogue> dialogues = {
      dialogue("d", {"one two three", "four five six", "a b c d", "e f g h"}),
      dialogue("e", {"one two three", "a b", "four five six", "a b c", "x y z", "u v w"})};
  const Vocabulary vocabulary = words_of(dialogues);
  std::vector<Passage> passages;
  EXPECT_EQ(add_passages(passages, dialogues, vocabulary,
                         {.context = 2, .min_tokens = 3, .max_tokens = 4}, 7),
            2);
  ASSERT_EQ(passages.size(), 4u);
  EXPECT_EQ(passages[0].id, "d#3");
  EXPECT_EQ(passages[0].dialogue_id, "");
  EXPECT_EQ(passages[0].corpus, 7);
  EXPECT_EQ(passages[0].context, (std::vector<TokenIds>{ids(vocabulary, "one two three"),
                                                        ids(vocabulary, "four five six")}));
  EXPECT_EQ(passages[0].response, ids(vocabulary, "a b c d"));
  EXPECT_EQ(passages[1].id, "d#4");
  EXPECT_EQ(passages[1].dialogue_id, "d");
  EXPECT_EQ(passages[2].id, "e#5");  // behind the utterance of two words
  EXPECT_EQ(passages[3].id, "e#6");
  EXPECT_NE(passages[0].conversation, passages[2].conversation);
  std::vector<Passage> of_one;
  add_passages(of_one, dialogues, vocabulary, {.context = 1}, 0);
  ASSERT_EQ(of_one.size(), 6u);
  EXPECT_EQ(of_one[0].context.size(), 1u);
}

TEST(Passages, HoldNoDistraction) {
  std::vector<Dialogue> dialogues = {dialogue("d", {"a b c", "d e f", "g h i", "j k l"})};
  dialogues[0].turns[0].distraction = true;
  std::vector<Passage> passages;
  add_passages(passages, dialogues, words_of(dialogues), {}, 0);
  ASSERT_EQ(passages.size(), 1u);
  EXPECT_EQ(passages[0].id, "d#4");
}

TEST(Passages, ConversationsOfCorporaAreTheirOwn) {
  const std::vector<Dialogue> dialogues = many(3);
  std::vector<Passage> passages;
  for (int corpus = 0; corpus < 2; ++corpus)
    add_passages(passages, dialogues, words_of(dialogues), {}, corpus);
  std::set<int> first, second;
  for (const Passage& p : passages) (p.corpus == 0 ? first : second).insert(p.conversation);
  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(second.size(), 3u);
  for (const int c : second) EXPECT_FALSE(first.contains(c));
}

TEST(Passages, RefuseWhatMakesNoSense) {
  const std::vector<Dialogue> twice = {dialogue("d", {"a"}), dialogue("d", {"b"})};
  std::vector<Passage> passages;
  EXPECT_EQ(error_of<DataError>([&] { add_passages(passages, twice, Vocabulary(), {}, 0); }),
            "passages: two dialogues have the id \"d\"; what stands in place of a response is "
            "drawn by it");
  EXPECT_THROW(PassageOptions{.context = 3}.check(), UsageError);
  EXPECT_THROW(PassageOptions{.context = 0}.check(), UsageError);
  EXPECT_THROW((PassageOptions{.min_tokens = 4, .max_tokens = 3}.check()), UsageError);
}

// u_1 <eou> u_2 <eou> <sos> r <eou>, packed with nothing in between.
TEST(Passages, AreOneSequence) {
  const Passage p{.id = "d#3", .dialogue_id = "", .context = {{7, 8}, {9}}, .response = {10, 11}};
  const auto flat = [&](Reads reads) {
    TokenIds all;
    for (const TokenIds& part : sequence_of(p, reads).context) {
      all.insert(all.end(), part.begin(), part.end());
      all.push_back(kEou);
    }
    return all;
  };
  EXPECT_EQ(flat(Reads::kAll), (TokenIds{7, 8, kEou, 9, kEou, kSos, 10, 11, kEou}));
  EXPECT_EQ(flat(Reads::kResponse), (TokenIds{kSos, 10, 11, kEou}));
  EXPECT_EQ(flat(Reads::kContext), (TokenIds{7, 8, kEou, 9, kEou}));
}

// ---- replacements

std::optional<TokenIds> words(const std::optional<Passage>& fake) {
  return fake ? std::optional(fake->response) : std::nullopt;
}

struct ReplacementTest : testing::Test {
  ReplacementTest() {
    add_passages(passages, many(20), vocabulary, {}, 0);
    add_passages(passages, many(20, "e"), other, {}, 1);
  }
  const Vocabulary vocabulary = words_of(many(20)), other = words_of(many(20, "e"));
  std::vector<Passage> passages;

  // The passage that has a response, of this corpus.
  const Passage& owner(const TokenIds& response, int corpus) const {
    for (const Passage& p : passages) {
      if (p.response == response && p.corpus == corpus) return p;
    }
    throw std::runtime_error("a response from nowhere");
  }
};

TEST_F(ReplacementTest, AreOfOtherConversationsOfTheCorpus) {
  const Replacements random(passages, Negatives::Kind::kRandom);
  std::map<std::string, int> drawn;
  for (size_t i = 0; i < passages.size(); ++i) {
    for (uint64_t epoch = 0; epoch < 40; ++epoch) {
      const Passage& from = owner(random(i, 1, epoch).value().response, passages[i].corpus);
      EXPECT_NE(from.conversation, passages[i].conversation);
      EXPECT_NE(from.response, passages[i].response);
      if (i == 0) ++drawn[from.id];
    }
  }
  EXPECT_GT(drawn.size(), 20u);  // of 38: they are drawn anew in every epoch
}

TEST_F(ReplacementTest, AreAFunctionOfSeedEpochAndPassage) {
  const Replacements random(passages, Negatives::Kind::kRandom);
  std::vector<Passage> reversed = passages;
  std::reverse(reversed.begin() + 1, reversed.begin() + 39);  // other places in the corpus
  size_t by_epoch = 0, by_seed = 0;
  for (size_t i = 0; i < passages.size(); ++i) {
    EXPECT_EQ(words(random(i, 1, 3)), words(random(i, 1, 3)));
    by_epoch += words(random(i, 1, 3)) != words(random(i, 1, 4));
    by_seed += words(random(i, 1, 3)) != words(random(i, 2, 3));
  }
  EXPECT_GT(by_epoch, passages.size() * 3 / 4);
  EXPECT_GT(by_seed, passages.size() * 3 / 4);
}

// 40 passages; those of the conversation of the first one are never drawn for it, all others alike.
TEST_F(ReplacementTest, AreUniform) {
  const Replacements random(passages, Negatives::Kind::kRandom);
  std::map<TokenIds, int> drawn;
  constexpr int kDraws = 7600;
  for (uint64_t epoch = 0; epoch < kDraws; ++epoch) ++drawn[random(0, 1, epoch).value().response];
  EXPECT_EQ(drawn.size(), 38u);
  double chi_square = 0;
  for (const auto& [response, count] : drawn) chi_square += (count - 200.0) * (count - 200.0) / 200;
  EXPECT_LT(chi_square, 70);  // 37 degrees of freedom: 0.1 % are above 69
}

TEST_F(ReplacementTest, LengthsMatch) {
  const Replacements matched(passages, Negatives::Kind::kLengthMatched);
  std::set<int> differences;
  for (size_t i = 0; i < passages.size(); ++i) {
    for (uint64_t epoch = 0; epoch < 10; ++epoch) {
      const TokenIds drawn = matched(i, 1, epoch).value().response;
      differences.insert(static_cast<int>(drawn.size()) -
                         static_cast<int>(passages[i].response.size()));
      EXPECT_NE(owner(drawn, passages[i].corpus).conversation, passages[i].conversation);
    }
  }
  EXPECT_EQ(differences, (std::set<int>{-1, 0, 1}));
}

TEST_F(ReplacementTest, OfTheSameConversation) {
  const Replacements same(passages, Negatives::Kind::kSameConversation);
  // two passages a dialogue: the other one's response, which for the later one is in its context
  EXPECT_EQ(words(same(0, 1, 0)), passages[1].response);
  EXPECT_EQ(words(same(1, 1, 0)), std::nullopt);
  EXPECT_EQ(same.replaceable().size(), passages.size() / 2);
}

// The only other conversation is found however rare it is.
TEST(Replacement, IsFoundWhereNearlyAllIsOfTheSameConversation) {
  std::vector<Passage> passages(1000);
  for (size_t i = 0; i < passages.size(); ++i) {
    passages[i] = {.id = std::to_string(i), .dialogue_id = "", .response = {static_cast<int>(i)}};
  }
  passages[700].conversation = 1;
  const Replacements random(passages, Negatives::Kind::kRandom);
  for (uint64_t epoch = 0; epoch < 20; ++epoch)
    EXPECT_EQ(words(random(3, 1, epoch)), TokenIds{700});
  passages[700].conversation = 0;
  EXPECT_TRUE(Replacements(passages, Negatives::Kind::kRandom).replaceable().empty());
}

TEST_F(ReplacementTest, WordsInAnotherOrder) {
  const Replacements shuffled(passages, Negatives::Kind::kShuffledWords);
  std::set<TokenIds> orders;
  for (uint64_t epoch = 0; epoch < 40; ++epoch) {
    const Passage fake = shuffled(1, 1, epoch).value();
    EXPECT_FALSE(fake.real);
    EXPECT_EQ(fake.context, passages[1].context);
    EXPECT_NE(fake.response, passages[1].response);
    EXPECT_TRUE(std::is_permutation(fake.response.begin(), fake.response.end(),
                                    passages[1].response.begin(), passages[1].response.end()));
    orders.insert(fake.response);
  }
  EXPECT_GT(orders.size(), 2u);
  passages[0].response = {7, 7, 7};  // has no other order
  EXPECT_FALSE(Replacements(passages, Negatives::Kind::kShuffledWords)(0, 1, 0));
}

TEST_F(ReplacementTest, OfAnotherCorpus) {
  const Replacements others(passages, Negatives::Kind::kOtherCorpus);
  for (size_t i = 0; i < passages.size(); ++i) {
    const TokenIds response = others(i, 1, 0).value().response;
    EXPECT_NO_THROW(owner(response, 1 - passages[i].corpus)) << i;
  }
  passages.resize(passages.size() / 2);
  EXPECT_TRUE(Replacements(passages, Negatives::Kind::kOtherCorpus).replaceable().empty());
}

// Nothing is wrong with it: another passage as it was said, which only the label tells.
TEST_F(ReplacementTest, RealOnesAreWholePassages) {
  const Replacements real(passages, Negatives::Kind::kReal);
  std::set<TokenIds> drawn;
  for (uint64_t epoch = 0; epoch < 40; ++epoch) {
    const Passage fake = real(0, 1, epoch).value();
    const Passage& from = owner(fake.response, passages[0].corpus);
    EXPECT_EQ(fake.context, from.context);
    EXPECT_NE(from.conversation, passages[0].conversation);
    EXPECT_EQ(fake.id, passages[0].id);
    EXPECT_FALSE(fake.real);
    drawn.insert(fake.response);
  }
  EXPECT_GT(drawn.size(), 10u);
}

TEST_F(ReplacementTest, RealAndFakeInTurn) {
  const Replacements random(passages, Negatives::Kind::kRandom);
  const std::vector<Passage> both = with_fakes(passages, {2, 5}, random, 1);
  ASSERT_EQ(both.size(), 4u);
  EXPECT_TRUE(both[0].real && both[2].real && !both[1].real && !both[3].real);
  EXPECT_EQ(both[1].id, passages[2].id);
  EXPECT_EQ(both[1].context, passages[2].context);
  EXPECT_EQ(both[1].response, words(random(2, 1, 0)));
}

TEST(Negatives, HaveNames) {
  for (const char* name : {"random", "length-matched", "same-conversation", "shuffled-words",
                           "other-corpus", "real", "generated:a/b.jsonl"})
    EXPECT_EQ(Negatives::parse(name).name(), name);
  EXPECT_EQ(Negatives::parse("generated:a/b.jsonl").file, "a/b.jsonl");
  EXPECT_EQ(error_of<UsageError>([] { Negatives::parse("generated:"); }),
            "negatives: expected random, length-matched, same-conversation, shuffled-words, "
            "other-corpus, real or generated:FILE, got 'generated:'");
}

// ---- generated responses

struct ResponsesTest : testing::Test {
  ResponsesTest() { add_passages(passages, dialogues, vocabulary, {}, 0); }
  Responses read(const std::string& lines) {
    unfit = {};
    return read_responses(dir.write("r.jsonl", lines), passages, vocabulary, {}, unfit);
  }
  void fails(const std::string& lines, const std::string& says) {
    EXPECT_EQ(error_of<DataError>([&] { read(lines); }), dir.path("r.jsonl") + says);
  }
  const TempDir dir;
  const std::vector<Dialogue> dialogues = {dialogue("d", {"a b c", "d e f", "g h i", "j k l"}),
                                           dialogue("e", {"m n o", "p q r", "s t u"})};
  const Vocabulary vocabulary = words_of(dialogues);
  std::vector<Passage> passages;
  UnfitResponses unfit;
};

TEST_F(ResponsesTest, BelongToAPassageOrToADialoguesLastTurn) {
  const Responses r = read(
      "{\"id\": \"d#3\", \"response\": \"a b new\"}\n\n"
      "{\"id\": \"e\", \"turns\": [{\"text\": \"m n o\"}, {\"text\": \"D E F\"}], \"real\": "
      "false}\n");
  ASSERT_EQ(r.size(), 3u);
  EXPECT_EQ(r[0], (TokenIds{vocabulary.id("a"), vocabulary.id("b"), kUnk}));
  EXPECT_EQ(r[1], std::nullopt);
  EXPECT_EQ(r[2], ids(vocabulary, "d e f"));
  EXPECT_EQ(Replacements(passages, r).replaceable(), (std::vector<size_t>{0, 2}));
  EXPECT_EQ(words(Replacements(passages, r)(2, 5, 9)), ids(vocabulary, "d e f"));
}

TEST_F(ResponsesTest, UnfitOnesAreCounted) {
  const Responses r = read(
      "{\"id\": \"x\", \"response\": \"a b c\"}\n{\"id\": \"d#3\", \"response\": \"a <unk> c\"}\n"
      "{\"id\": \"d\", \"response\": \"a b c d\"}\n{\"id\": \"e#3\", \"response\": \"a b c d\"}\n");
  EXPECT_EQ(unfit.no_passage, 1);
  EXPECT_EQ(unfit.unknown, 1);
  EXPECT_EQ(unfit.repeated, 1);
  EXPECT_EQ(Replacements(passages, r).replaceable(), std::vector<size_t>{1});
  read(
      "{\"id\": \"d\", \"response\": \"J k, l\"}\n{\"id\": \"d#3\", \"response\": \"g h i\"}\n"
      "{\"id\": \"e\", \"response\": \"a b\"}\n");
  EXPECT_EQ(unfit.as_said, 1);
  EXPECT_EQ(unfit.length, 1);
}

// Of three to five words, both bounds included.
TEST_F(ResponsesTest, MayBeAsShortAndAsLongAsPassages) {
  const auto lengths = [&](const std::string& response) {
    unfit = {};
    const std::string line = R"({"id": "d", "response": ")" + response + "\"}\n";
    const Responses r =
        read_responses(dir.write("r.jsonl", line + R"({"id": "e", "response": "x y z"})"), passages,
                       vocabulary, {.min_tokens = 3, .max_tokens = 5}, unfit);
    EXPECT_EQ(r[1].has_value(), unfit.length == 0) << response;
    return unfit.length;
  };
  EXPECT_EQ(lengths("a b"), 1);
  EXPECT_EQ(lengths("a b c"), 0);
  EXPECT_EQ(lengths("a b c d e"), 0);
  EXPECT_EQ(lengths("a b c d e f"), 1);
}

TEST_F(ResponsesTest, RefuseWhatIsNone) {
  fails("{\"id\": \"d\", \"response\": \"a b c\"}\n{\"id\": \"d#4\", \"response\": \"x y z\"}\n",
        ":2: a second response to d#4");
  fails("[1]\n", ":1: expected a JSON object {\"id\": ..., \"response\": ...} or a dialogue");
  fails("{\"id\": 1, \"response\": \"a\"}\n", ":1: \"id\" must be a string");
  fails("{\"id\": \"d\", \"response\": null}\n", ":1: \"response\" must be a string");
  fails("{\"id\": \"d\"}\n",
        ":1: there is neither \"response\" nor a list \"turns\" that is not empty");
  fails("{\"id\": \"d\", \"turns\": [1]}\n", ":1: \"text\" must be a string");
  fails(
      "{\"id\": \"x\", \"response\": \"a b c\"}\n",
      ": holds no response to a passage: of other dialogues 1, with <unk> 0, too short or long 0, "
      "as said 0");
  const std::vector<Passage> one = passages;
  add_passages(passages, dialogues, vocabulary, {}, 1);
  fails("", ": two passages have the id \"d#3\"; give one corpus at a time");
  // dialogues of one id and of other lengths, and one whose id is that of a passage
  passages = one;
  passages.push_back({.id = "d#9", .dialogue_id = "d"});
  fails("", ": two passages have the id \"d\"; give one corpus at a time");
  passages = one;
  passages.push_back({.id = "d#3#5", .dialogue_id = "d#3"});
  fails("", ": two passages have the id \"d#3\"; give one corpus at a time");
}

}  // namespace
}  // namespace heed::discriminate
