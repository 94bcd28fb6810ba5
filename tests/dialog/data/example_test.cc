#include "dialog/data/example.h"

#include <algorithm>

#include "base/error.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

// "a" is 5, "b" is 6, ..., "h" is 12.
Vocabulary letters() {
  TokenCounts counts;
  for (char c = 'a'; c <= 'h'; ++c) counts.emplace(std::string(1, c), 1);
  return Vocabulary::build(counts);
}

Dialogue dialogue_of(const std::vector<std::string>& texts) {
  Dialogue result{"d", {}};
  for (const std::string& text : texts) result.turns.push_back({"", text});
  return result;
}

TEST(MakeExamples, TheLastTurnIsTheResponse) {
  Dialogue d = dialogue_of({"a B", "c", "unknown d", "e f"});
  d.turns[1].distraction = true;
  const std::vector<Example> examples = make_examples({d}, letters());
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(examples[0].id, "d");
  EXPECT_EQ(examples[0].dialogue_id, "d");
  EXPECT_EQ(examples[0].context, (std::vector<Ids>{{5, 6}, {7}, {kUnk, 8}}));
  EXPECT_EQ(examples[0].distraction, (std::vector<char>{0, 1, 0}));
  EXPECT_EQ(examples[0].response, (Ids{9, 10}));
}

TEST(MakeExamples, AllPositionsStartWithTheThirdTurn) {
  const std::vector<Example> examples =
      make_examples({dialogue_of({"a", "b", "c", "d"})}, letters(), {.all_positions = true});
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].id, "d#3");
  EXPECT_EQ(examples[0].context, (std::vector<Ids>{{5}, {6}}));
  EXPECT_EQ(examples[0].response, Ids{7});
  EXPECT_EQ(examples[1].id, "d#4");
  EXPECT_EQ(examples[1].dialogue_id, "d");
  EXPECT_EQ(examples[1].context, (std::vector<Ids>{{5}, {6}, {7}}));
  EXPECT_EQ(examples[1].response, Ids{8});
}

TEST(MakeExamples, KeepsTheLastTurnsAndTheFirstTokens) {
  const ExampleOptions options{.max_turns = 2, .max_utterance_tokens = 1, .max_response_tokens = 3};
  Dialogue d = dialogue_of({"a b", "c d", "e f", "a b c d"});
  d.turns[2].distraction = true;
  const Example example = make_examples({d}, letters(), options)[0];
  EXPECT_EQ(example.context, (std::vector<Ids>{{7}, {9}}));
  EXPECT_EQ(example.distraction, (std::vector<char>{0, 1}));
  EXPECT_EQ(example.response, (Ids{5, 6, 7}));
}

TEST(MakeExamples, ZeroMeansNoBound) {
  std::string long_text;
  for (int i = 0; i < 200; ++i) long_text += "a ";
  const Dialogue d = dialogue_of(std::vector<std::string>(30, long_text));
  const Example whole = make_examples({d}, letters(), {false, 0, 0, 0})[0];
  EXPECT_EQ(whole.context, std::vector<Ids>(29, Ids(200, 5)));
  EXPECT_EQ(whole.response, Ids(200, 5));
  const Example bounded = make_examples({d}, letters())[0];
  EXPECT_EQ(bounded.context, std::vector<Ids>(10, Ids(50, 5)));
  EXPECT_EQ(bounded.response, Ids(50, 5));
}

// Like those that are inserted, distractions in the data are read beside max_turns utterances.
TEST(MakeExamples, DistractionsDoNotCountAsTurns) {
  Dialogue d = dialogue_of({"a", "b", "c", "d", "e", "f"});
  const auto context = [&](const std::vector<size_t>& marked, int max_turns) {
    for (size_t i = 0; i < d.turns.size(); ++i) {
      d.turns[i].distraction = std::find(marked.begin(), marked.end(), i) != marked.end();
    }
    const Example e = make_examples({d}, letters(), {.max_turns = max_turns})[0];
    EXPECT_EQ(e.cut.turns + e.context.size(), 5u);
    Ids words;
    for (const Ids& utterance : e.context) words.push_back(utterance[0]);
    return words;
  };
  EXPECT_EQ(context({}, 2), (Ids{8, 9}));
  EXPECT_EQ(context({3}, 2), (Ids{7, 8, 9}));        // between
  EXPECT_EQ(context({1, 2}, 2), (Ids{6, 7, 8, 9}));  // directly before
  EXPECT_EQ(context({1}, 2), (Ids{8, 9}));           // older
  EXPECT_EQ(context({4}, 2), (Ids{8, 9}));           // the query counts, whatever its mark
  EXPECT_EQ(context({2}, 3), (Ids{6, 7, 8, 9}));
  EXPECT_EQ(context({0, 2}, 3), (Ids{5, 6, 7, 8, 9}));
  EXPECT_EQ(context({0}, 4), (Ids{5, 6, 7, 8, 9}));
  EXPECT_EQ(context({0, 1, 2, 3, 4}, 2), (Ids{5, 6, 7, 8, 9}));
}

// In each of them, as in a dialogue of a user with a system, which may have the last word or not.
TEST(MakeExamples, TakesTheResponsesOfOneSpeaker) {
  Dialogue d = dialogue_of({"a", "b", "c", "d", "e"});
  for (size_t i = 0; i < d.turns.size(); ++i) d.turns[i].speaker = i % 2 == 0 ? "user" : "system";
  const auto ids = [&](ExampleOptions options) {
    std::vector<std::string> result;
    for (const Example& e : make_examples({d}, letters(), options)) result.push_back(e.id);
    return result;
  };
  using Ids = std::vector<std::string>;
  ExampleOptions options{.all_positions = true, .min_turns = 2, .speaker = "system"};
  EXPECT_EQ(ids(options), (Ids{d.id + "#2", d.id + "#4"}));
  options.min_turns = 3;
  EXPECT_EQ(ids(options), (Ids{d.id + "#4"}));
  options.speaker = "user";
  EXPECT_EQ(ids(options), (Ids{d.id + "#3", d.id + "#5"}));
  options.speaker = "system";
  options.all_positions = false;
  const Example last = make_examples({d}, letters(), options).at(0);
  EXPECT_EQ(last.context.size(), 3u);
  EXPECT_EQ(last.response, (std::vector<int32_t>{8}));

  options.speaker = "nobody";
  int64_t left_out = 0;
  EXPECT_TRUE(make_examples({d}, letters(), options, &left_out).empty());
  EXPECT_EQ(left_out, 1);
  EXPECT_NE(no_example(options).find("of the speaker 'nobody'"), std::string::npos);
}

TEST(MakeExamples, SaysWhatTheBoundsLeaveOut) {
  Dialogue d = dialogue_of({"a", "b", "a b c", "d", "e f", "a b"});
  d.turns[0].distraction = d.turns[5].distraction = true;
  const ExampleOptions options{.max_turns = 3, .max_utterance_tokens = 2, .max_response_tokens = 1};
  const Example e = make_examples({d}, letters(), options)[0];
  EXPECT_EQ(e.cut.turns, 2);
  EXPECT_EQ(e.cut.distractions, 1);
  EXPECT_EQ(e.cut.utterances, 1);
  EXPECT_TRUE(e.cut.response);
  EXPECT_TRUE(e.response_is_distraction);
  const Example whole = make_examples({d}, letters(), {false, 0, 0, 0})[0];
  EXPECT_EQ(whole.cut.turns, 0);
  EXPECT_EQ(whole.cut.distractions, 0);
  EXPECT_EQ(whole.cut.utterances, 0);
  EXPECT_FALSE(whole.cut.response);
  // an utterance without a token becomes <unk>, which cuts nothing
  EXPECT_EQ(make_examples({dialogue_of({" ", "b", "c"})}, letters())[0].cut.utterances, 0);
}

// <eou> of each utterance counts; what is left of the first one is its end.
TEST(MakeExamples, KeepsTheLastTokensOfAContext) {
  Dialogue d = dialogue_of({"a b c", "d", "e f", "g"});
  d.turns[0].distraction = true;
  const auto read = [&](int most) {
    return make_examples({d}, letters(), {.max_context_tokens = most})[0];
  };
  const std::vector<Ids> whole = {{5, 6, 7}, {8}, {9, 10}};
  EXPECT_EQ(read(0).context, whole);
  EXPECT_EQ(read(9).context, whole);
  EXPECT_FALSE(read(9).cut.context);
  EXPECT_EQ(read(8).context, (std::vector<Ids>{{6, 7}, {8}, {9, 10}}));
  EXPECT_TRUE(read(8).cut.context);
  EXPECT_EQ(read(8).cut.turns, 0);
  EXPECT_EQ(read(8).cut.utterances, 0);
  EXPECT_EQ(read(7).context, (std::vector<Ids>{{7}, {8}, {9, 10}}));
  for (const int most : {5, 6}) {  // nothing, or only <eou>, would be left of the first
    const Example e = read(most);
    EXPECT_EQ(e.context, (std::vector<Ids>{{8}, {9, 10}}));
    EXPECT_EQ(e.distraction, (std::vector<char>{0, 0}));
    EXPECT_EQ(e.cut.turns, 1);
    EXPECT_EQ(e.cut.distractions, 1);
    EXPECT_TRUE(e.cut.context);
  }
  EXPECT_EQ(read(4).context, (std::vector<Ids>{{9, 10}}));
  EXPECT_EQ(read(2).context, (std::vector<Ids>{{10}}));
  // the bound of an utterance comes first
  const Example both =
      make_examples({d}, letters(), {.max_utterance_tokens = 1, .max_context_tokens = 4})[0];
  EXPECT_EQ(both.context, (std::vector<Ids>{{8}, {9}}));
  EXPECT_EQ(both.cut.utterances, 1);
}

TEST(MakeExamples, AContextMayBeOneUtterance) {
  const std::vector<Dialogue> dialogues = {dialogue_of({"a", "b", "c"}), dialogue_of({"a", "b"}),
                                           dialogue_of({"a"})};
  int64_t left_out = -1;
  const std::vector<Example> all =
      make_examples(dialogues, letters(), {.all_positions = true, .min_turns = 2}, &left_out);
  EXPECT_EQ(left_out, 1);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].id, "d#2");
  EXPECT_EQ(all[0].context, (std::vector<Ids>{{5}}));
  EXPECT_EQ(all[1].id, "d#3");
  EXPECT_EQ(make_examples(dialogues, letters(), {.min_turns = 2}).size(), 2u);
  EXPECT_EQ(make_examples(dialogues, letters(), {.max_turns = 1, .min_turns = 2})[0].context,
            (std::vector<Ids>{{6}}));
  EXPECT_TRUE(make_examples(dialogues, letters(), {.min_turns = 4}).empty());
}

TEST(MakeExamples, CountsDialoguesThatAreTooShort) {
  int64_t left_out = -1;
  const std::vector<Dialogue> dialogues = {dialogue_of({"a"}), dialogue_of({"a", "b"}),
                                           dialogue_of({"a", "b", "c"}), dialogue_of({})};
  EXPECT_EQ(make_examples(dialogues, letters(), {}, &left_out).size(), 1u);
  EXPECT_EQ(left_out, 3);
  EXPECT_EQ(make_examples(dialogues, letters(), {.all_positions = true}, &left_out).size(), 1u);
  EXPECT_EQ(left_out, 3);
}

TEST(MakeExamples, AnEmptyUtteranceIsUnknownAnEmptyResponseStaysEmpty) {
  const Example example = make_examples({dialogue_of({"", "\x01", " "})}, letters())[0];
  EXPECT_EQ(example.context, (std::vector<Ids>{{kUnk}, {kUnk}}));
  EXPECT_EQ(example.response, Ids{});
}

// The words of an example are those that a vocabulary of all words has at the same places: whatever
// the bounds leave out, and for any vocabulary.
TEST(ExampleWords, AreThoseOfAVocabularyOfAllWords) {
  const auto dialogues = read_dialogues(source_dir() + "/data/ubuntu-sample/test.jsonl.gz", 60);
  const TokenCounts counts = count_tokens(dialogues);
  const Vocabulary all = Vocabulary::build(counts);
  for (const ExampleOptions& bounds :
       {ExampleOptions{}, ExampleOptions{.all_positions = true, .max_context_tokens = 17},
        ExampleOptions{.max_turns = 3, .max_utterance_tokens = 4, .max_response_tokens = 5}}) {
    const auto expected = make_examples(dialogues, all, bounds);
    for (const Vocabulary& few :
         {Vocabulary(), Vocabulary::build(counts, {.max_size = 200}),
          Vocabulary::build(counts, {.max_size = 400, .kind = TokenKind::kPieces})}) {
      const auto examples = make_examples(dialogues, few, bounds);
      ASSERT_EQ(examples.size(), expected.size());
      for (size_t i = 0; i < examples.size(); ++i) {
        const auto words = context_words(examples[i], few);
        ASSERT_EQ(words.size(), expected[i].context.size());
        for (size_t k = 0; k < words.size(); ++k) {
          EXPECT_EQ(words[k], all.words(expected[i].context[k])) << examples[i].id << " " << k;
        }
        EXPECT_EQ(response_words(examples[i], few), all.words(expected[i].response));
      }
    }
  }
}

TEST(ExampleWords, AreInsertedAndStayUnknownWhereNobodySaidThem) {
  Example e = make_examples({dialogue_of({"x a", "y", "b z"})}, letters())[0];
  EXPECT_EQ(e.context, (std::vector<Ids>{{kUnk, 5}, {kUnk}}));
  insert_utterance(e, 1, read_utterance("new b word", letters()));
  insert_utterance(e, 0, read_utterance("\x01", letters()));
  using Words = std::vector<std::string>;
  EXPECT_EQ(context_words(e, letters()),
            (std::vector<Words>{{"<unk>"}, {"x", "a"}, {"new", "b", "word"}, {"y"}}));
  EXPECT_EQ(response_words(e, letters()), (Words{"b", "z"}));
  EXPECT_EQ(e.distraction, (std::vector<char>{1, 0, 1, 0}));
  e.unknown.clear();  // as of an example that was made of numbers
  EXPECT_EQ(response_words(e, letters()), (Words{"b", "<unk>"}));
}

// Several unknown words stand before the place of an insertion, and behind it.
TEST(ExampleWords, StayWithTheirUtterances) {
  Example e = make_examples({dialogue_of({"x y z", "a u v", "w", "b t"})}, letters())[0];
  insert_utterance(e, 2, read_utterance("p q", letters()));
  insert_utterance(e, 1, read_utterance("r", letters()));
  using Words = std::vector<std::string>;
  EXPECT_EQ(context_words(e, letters()),
            (std::vector<Words>{{"x", "y", "z"}, {"r"}, {"a", "u", "v"}, {"p", "q"}, {"w"}}));
  EXPECT_EQ(response_words(e, letters()), (Words{"b", "t"}));
}

TEST(MakeExamples, HaveTheConditionsOfTheirResponses) {
  Dialogue d = dialogue_of({"a", "b", "c", "d"});
  d.notes.edit().labels = {{"topic", {"tea"}}};
  for (Turn& turn : d.turns) turn.notes.edit().labels = {{"act", {turn.text}}};
  const ExampleOptions options{.all_positions = true,
                               .conditions = {{"act", {"a", "b", "c", "d"}}, {"topic", {"tea"}}}};
  const std::vector<Example> examples = make_examples({d}, letters(), options);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].conditions, (std::vector<Ids>{{2}, {0}}));
  EXPECT_EQ(examples[1].conditions, (std::vector<Ids>{{3}, {0}}));
}

TEST(NoExample, SaysWhatADialogueNeeds) {
  EXPECT_EQ(no_example({}), "no dialogue with two utterances of context and a response");
  EXPECT_EQ(no_example({.min_turns = 5}), "no dialogue with 5 turns or more");
  EXPECT_EQ(no_example({.min_turns = 2, .speaker = "ann"}),
            "no dialogue with 2 turns or more of the speaker 'ann'");
}

TEST(MakeExamples, RefusesBoundsThatMakeNoSense) {
  const auto error = [](ExampleOptions options) {
    return error_of<UsageError>([&] { make_examples({}, letters(), options); });
  };
  EXPECT_EQ(
      error({.max_turns = 1}),
      "max-turns: the turns to keep must be 0 (all) or at least 2, or 1 with --min-turns 2, got 1");
  EXPECT_EQ(error({.max_turns = -3}),
            "max-turns: the turns to keep must be 0 (all) or at least 2, or 1 with --min-turns 2, "
            "got -3");
  EXPECT_EQ(error({.max_utterance_tokens = -1}),
            "max-utterance: the tokens of an utterance must be 0 (all) or more, got -1");
  EXPECT_EQ(error({.max_response_tokens = -1}),
            "max-response: the tokens of a response must be 0 (all) or more, got -1");
  EXPECT_EQ(error({.max_turns = -1, .min_turns = 2}),
            "max-turns: the turns to keep must be 0 (all) or more, got -1");
  EXPECT_EQ(
      error({.max_context_tokens = 1}),
      "max-context: the tokens of a context must be 0 (all) or at least 2, a word and its <eou>, "
      "got 1");
  EXPECT_EQ(error({.min_turns = 1}),
            "min-turns: the turns of a dialogue must be at least 2, got 1");
}

TEST(MakeExamples, UsesTheWholeSample) {
  const auto dialogues = read_dialogues(source_dir() + "/data/ubuntu-sample/test.jsonl.gz");
  const Vocabulary vocabulary = Vocabulary::build(count_tokens(dialogues));
  int64_t left_out = -1;
  EXPECT_EQ(make_examples(dialogues, vocabulary, {}, &left_out).size(), dialogues.size());
  EXPECT_EQ(left_out, 0);
  size_t positions = 0;
  for (const Dialogue& d : dialogues) positions += d.turns.size() - 2;
  EXPECT_EQ(make_examples(dialogues, vocabulary, {.all_positions = true}).size(), positions);
}

// What was inserted is nobody's response, unless it stands where the response of the dialogue does.
TEST(MakeExamples, MarkedTurnsAreNoResponses) {
  Dialogue d = dialogue_of({"a", "b", "c", "d", "e"});
  d.turns[2].distraction = true;
  const auto examples = make_examples({d}, letters(), {.all_positions = true});
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].context.size(), 3u);
  EXPECT_EQ(examples[0].distraction, (std::vector<char>{0, 0, 1}));
  d.turns[2].distraction = false;
  EXPECT_EQ(make_examples({d}, letters(), {.all_positions = true}).size(), 3u);
}

}  // namespace
}  // namespace heed
