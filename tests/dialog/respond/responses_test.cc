// The responses to many examples, in batches, and what is measured of them.
#include "dialog/respond/responses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dialog/respond/taught_choices.h"
#include "dialog/text/tokenizer.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

Vocabulary words_of_test() {
  TokenCounts counts;
  for (int i = kSpecialTokens; i < kTestVocabulary; ++i) counts["w" + std::to_string(i)] = 1;
  return Vocabulary::build(counts);
}

std::unique_ptr<Responder> model_that_says(int32_t token, double times = 2) {
  std::unique_ptr<Responder> model = drawn_model("static");
  favour(*model, token, times);
  return model;
}

// Five examples in batches of two, of which the last one has one: after each batch the examples
// and tokens so far, each text with the token that ends it.
TEST(Responses, ReportTheirProgress) {
  const auto model = model_that_says(kEos);
  const Vocabulary vocabulary = words_of_test();
  const std::vector<Example> examples = random_examples(5, 4);
  const DecodeOptions options{
      .method = DecodeOptions::Method::kBeam, .max_length = 4, .beam_size = 3};
  const auto lists = decode_lists(*model, pointers(examples), options);
  const auto taught = taught_choices(*model, pointers(examples));
  const auto expect = [&](const auto& length, const auto& answer) {
    std::vector<std::pair<int64_t, int64_t>> seen, expected;
    answer([&](const RespondProgress& done) { seen.push_back({done.examples, done.tokens}); });
    int64_t tokens = 0;
    for (size_t i = 0; i < examples.size(); ++i) {
      for (const auto& utterance : examples[i].context) tokens += std::ssize(utterance) + 1;
      tokens += length(i) + 1;
      if (i % 2 == 1 || i == 4) expected.push_back({static_cast<int64_t>(i) + 1, tokens});
    }
    EXPECT_EQ(seen, expected);
  };
  const auto best = [&](size_t i) { return std::ssize(lists[i][0].tokens); };
  expect(best, [&](const auto& show) {
    EXPECT_EQ(respond(*model, examples, vocabulary, options, 2, show).size(), 5u);
  });
  expect(best, [&](const auto& show) {
    EXPECT_EQ(respond_lists(*model, examples, vocabulary, options, 2, show).size(), 5u);
  });
  expect([&](size_t i) { return std::ssize(taught[i]); },
         [&](const auto& show) {
           EXPECT_EQ(respond_taught(*model, examples, vocabulary, false, 2, show).size(), 5u);
         });
  EXPECT_EQ(error_of<UsageError>([&] { respond(*model, examples, vocabulary, options, 0); }),
            "batch: expected at least 1, got 0");
}

// An empty response stays where it is the only one; what stays has its own ln P.
TEST(Responses, ListsHaveNoEmptyOneBesideOthers) {
  const Vocabulary vocabulary = words_of_test();
  const std::vector<Example> examples = random_examples(20, 4);
  int first = 0, later = 0, alone = 0;
  for (const auto& [size, penalty] : {std::pair(1, 0), {6, 0}, {6, 1}}) {
    const auto model = model_that_says(kEos, size == 1 ? 9 : 2);
    const DecodeOptions options{.method = DecodeOptions::Method::kBeam,
                                .max_length = 4,
                                .beam_size = size,
                                .length_penalty = static_cast<double>(penalty)};
    const auto offered = respond_lists(*model, examples, vocabulary, options, 5);
    ASSERT_EQ(offered.size(), examples.size());
    for (size_t i = 0; i < examples.size(); ++i) {
      const auto list = decode_lists(*model, {&examples[i]}, options)[0];
      std::vector<Tokens> responses;
      std::vector<double> log_p;
      for (size_t k = 0; k < list.size(); ++k) {
        if (list[k].tokens.empty()) ++(size == 1 ? alone : k == 0 ? first : later);
        if (list[k].tokens.empty() && size > 1) continue;
        responses.push_back(vocabulary.words(list[k].tokens));
        log_p.push_back(list[k].log_prob);
      }
      EXPECT_EQ(offered[i].responses, responses) << i;
      ASSERT_EQ(offered[i].log_p.size(), log_p.size()) << i;
      for (size_t k = 0; k < log_p.size(); ++k) EXPECT_NEAR(offered[i].log_p[k], log_p[k], 1e-10);
    }
  }
  EXPECT_GT(std::min({first, later, alone}), 0) << first << " " << later << " " << alone;
}

// The most probable token at each place, of all places at once, up to the first <eos>; in batches
// in which some have ended and others go on.
TEST(Responses, BehindTheWordsOfPeopleEndWithTheFirstEos) {
  for (const auto& [token, unknown] : {std::pair(kEos, false), {kUnk, false}, {kUnk, true}}) {
    const auto model = model_that_says(token, token == kUnk ? 4 : 2);
    const Vocabulary vocabulary = words_of_test();
    std::vector<Example> examples = random_examples(9, 4);
    for (size_t i = 0; i < examples.size(); ++i) {
      while (examples[i].response.size() < 6)
        examples[i].response.push_back(kSpecialTokens + i % 9);
    }
    int ended = 0, whole = 0, unknowns = 0;
    const auto taught = respond_taught(*model, examples, vocabulary, unknown, 4);
    const auto right = taught_right(*model, examples, 4);
    for (size_t i = 0; i < examples.size(); ++i) {
      // -log p of every token at every place, from a response that has it there
      Tokens expected;
      int64_t same = 0;
      bool goes_on = true;
      for (size_t t = 0; t <= examples[i].response.size(); ++t) {
        std::vector<Example> next(kTestVocabulary, examples[i]);
        for (int32_t token = 0; token < kTestVocabulary; ++token) {
          next[token].response.resize(t);
          if (token != kEos) next[token].response.push_back(token);
        }
        std::vector<double> nll;
        for (const DialogueScore& s : score(*model, next, 32)) nll.push_back(s.nll[t]);
        const int32_t own = t < examples[i].response.size() ? examples[i].response[t] : kEos;
        same += std::min_element(nll.begin(), nll.end()) - nll.begin() == own;
        for (const int32_t never : {kPad, kSos, kEou, kUnk}) {
          if (never != kUnk || !unknown) nll[never] = INFINITY;
        }
        const auto chosen =
            static_cast<int32_t>(std::min_element(nll.begin(), nll.end()) - nll.begin());
        goes_on &= chosen != kEos;
        if (goes_on) expected.push_back(vocabulary.token(chosen));
      }
      EXPECT_EQ(taught[i], expected) << i;
      EXPECT_EQ(right[i], same) << i;
      ++(goes_on ? whole : ended);
      unknowns += static_cast<int>(std::count(expected.begin(), expected.end(), "<unk>"));
    }
    EXPECT_TRUE(token != kEos || std::min(ended, whole) > 0) << ended << " " << whole;
    EXPECT_EQ(unknowns > 0, unknown);
  }
}

TEST(Responses, OfNoExamplesAreNone) {
  const auto model = drawn_model("static");
  EXPECT_TRUE(taught_choices(*model, {}).empty());
  EXPECT_TRUE(taught_right(*model, {}, 3).empty());
  EXPECT_TRUE(respond_taught(*model, {}, words_of_test(), false, 3).empty());
}

TEST(Responses, OfPeopleHaveTheWordsThatTheVocabularyHasNot) {
  const Vocabulary words = Vocabulary::build(TokenCounts{{"a", 2}});
  const int32_t a = words.id_of_word("a");
  std::vector<Example> examples(2);
  examples[0].context = {{kUnk}};
  examples[0].response = {a, kUnk};
  examples[0].unknown = {"before", "xyz"};
  examples[1].id = "second";
  examples[1].response = {a};
  EXPECT_EQ(human_responses(examples, words), (std::vector<Tokens>{{"a", "xyz"}, {"a"}}));
  EXPECT_EQ(responses_text(examples, {{"a", "b"}, {}}),
            "{\"id\":\"\",\"response\":\"a b\"}\n{\"id\":\"second\",\"response\":\"\"}\n");
}

// Each under the first reason that applies. What is left out for another reason is no earlier one.
TEST(Sieve, CountsEachResponseOnce) {
  const Tokens same = {"same"}, unknown = {"the", "<unk>"}, twice = {"<unk>", "<unk>"};
  const auto passes = [&](ResponseSieve& sieve) {
    std::string stay;
    for (const Tokens& response : {Tokens{}, unknown, Tokens{"<unk>", "the"}, twice, same, same,
                                   Tokens{"b"}, Tokens{"c"}, Tokens{"b"}, Tokens{"b"}, unknown}) {
      stay += sieve.passes(response, "same") ? '1' : '0';
    }
    return stay;
  };
  const auto counts = [](const ResponseSieve& sieve) {
    const ResponseSieve::Counts& c = sieve.left_out();
    return std::vector<int64_t>{c.empty, c.unknown, c.repeated, c.as_people};
  };
  using Counts = std::vector<int64_t>;
  ResponseSieve none({});
  EXPECT_EQ(passes(none), "01111111111");
  EXPECT_EQ(counts(none), (Counts{1, 0, 0, 0}));
  ResponseSieve of_unknown({.unknown = true});
  EXPECT_EQ(passes(of_unknown), "00001111110");
  EXPECT_EQ(counts(of_unknown), (Counts{1, 4, 0, 0}));
  ResponseSieve repeated({.repeated = true});
  EXPECT_EQ(passes(repeated), "01111011000");
  EXPECT_EQ(counts(repeated), (Counts{1, 0, 4, 0}));
  ResponseSieve as_people({.as_people = true});
  EXPECT_EQ(passes(as_people), "01110011111");
  EXPECT_EQ(counts(as_people), (Counts{1, 0, 0, 2}));
  ResponseSieve all({.unknown = true, .repeated = true, .as_people = true});
  EXPECT_EQ(passes(all), "00000011000");
  EXPECT_EQ(counts(all), (Counts{1, 4, 2, 2}));
  EXPECT_TRUE(all.passes(same, "other"));  // it was left out as what people said there
}

// Of "a b c d" against "a b c d e" the brevity penalty is exp(1 - 5/4), and all n-grams are right.
TEST(Measures, OfResponsesAreInTheOrderOfTheReferences) {
  const ResponseQuality q = measure_responses({{"a", "b", "c", "d"}}, {{"a", "b", "c", "d", "e"}});
  EXPECT_NEAR(*q.bleu, std::exp(-0.25), 1e-12);
  EXPECT_EQ(q.mean_length, 4);
  EXPECT_EQ(q.dialogues, 1);
}

// By the rows of the decoder's table where there are two, those of words that it knows.
TEST(Measures, OwnExtremaAreOfTheDecodersTable) {
  const Vocabulary words = words_of_test();
  const std::vector<Tokens> responses = {{"w6", "nowhere", "w22"}, {"w5", "w9"}, {"nowhere"}},
                            references = {{"w7", "w8"}, {"w9", "never", "w22"}, {"w5"}};
  const auto expected = [&](const Responder& model, const char* name) {
    const Var table = parameter(model, name);
    const std::vector<double> rows = table.value().to_vector();
    const auto width = static_cast<size_t>(table.shape()[1]);
    const auto extreme = [&](const Tokens& text) {
      std::vector<double> most(width);
      for (const std::string& word : text) {
        if (!words.knows(word)) continue;
        for (size_t j = 0; j < width; ++j) {
          const double x = rows[static_cast<size_t>(words.id(word)) * width + j];
          if (std::abs(x) > std::abs(most[j])) most[j] = x;
        }
      }
      return most;
    };
    double sum = 0;
    for (size_t i = 0; i < 2; ++i) {  // the third has no word with a vector
      const auto a = extreme(responses[i]), b = extreme(references[i]);
      double ab = 0, aa = 0, bb = 0;
      for (size_t j = 0; j < width; ++j) ab += a[j] * b[j], aa += a[j] * a[j], bb += b[j] * b[j];
      sum += ab / std::sqrt(aa * bb);
    }
    return sum / 3;
  };
  const auto both = drawn_model("static");
  EXPECT_NEAR(*extrema_own(*both, words, responses, references),
              expected(*both, "decoder.embedding.weight"), 1e-6);
  EXPECT_GT(std::abs(expected(*both, "decoder.embedding.weight") -
                     expected(*both, "encoder.embedding.weight")),
            0.01);
  const auto one = drawn_model("hred-attention");  // which has a single table
  EXPECT_NEAR(*extrema_own(*one, words, responses, references),
              expected(*one, "encoder.embedding.weight"), 1e-6);
}

// The table of vectors: "a" and "b" at right angles, "c" between them, and nothing for others.
struct Distance : testing::Test {
  const Vocabulary words = Vocabulary::build(TokenCounts{{"a", 4}, {"b", 3}, {"c", 2}, {"d", 1}});
  const int32_t a = words.id_of_word("a"), b = words.id_of_word("b"), c = words.id_of_word("c"),
                d = words.id_of_word("d");
  const std::shared_ptr<const ContextEncoder> encoder = make_encoder(
      2, [this](const std::string& text) { return words.encode(tokenize(text)); },
      [this](const ExamplePointers& batch) {
        std::vector<float> rows;
        for (const Example* e : batch) {
          const int32_t first = e->context.at(0).at(0);
          rows.push_back(first == a ? 2.0F : first == c ? 3.0F : 0.0F);
          rows.push_back(first == b ? 1.0F : first == c ? 4.0F : 0.0F);
        }
        return Var(Tensor::from(rows, {std::ssize(batch), 2}));
      });
};

// Of vectors of other lengths than 1; what has no direction is as far as what is at right angles.
TEST_F(Distance, IsOfTheDirectionsAlone) {
  std::vector<Example> examples(5);
  for (size_t i = 0; i < 5; ++i) examples[i].context = {{i == 3 ? d : a}};
  const std::vector<Tokens> responses = {{"c"}, {"a"}, {"d"}, {"a"}, {"b"}};
  const auto found = distances(*encoder, examples, responses, words, 0, {});
  const std::vector<double> expected = {1 - 0.6, 0, 1, 1, 1};
  ASSERT_EQ(found.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
}

// Times the penalty of the own response, where an example before it is too short, too.
TEST_F(Distance, IsThatOfTheOwnDullness) {
  std::vector<Example> examples(4);
  examples[0].context = {{a}};
  for (size_t i = 1; i < 4; ++i) examples[i].context = {{a}, {b}};
  const std::vector<Tokens> dull = {{"b", "linux"}},
                            responses = {{"a"}, {"b", "linux"}, {"c", "linux"}, {"b", "linux"}};
  const auto found = distances(*encoder, examples, responses, words, 1, dull);
  const double penalty = dull_penalty(responses[1], dull);
  EXPECT_GT(penalty, 1.1);
  const std::vector<double> expected = {penalty, 0.4, penalty};
  ASSERT_EQ(found.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  EXPECT_TRUE(distances(*encoder, examples, responses, words, 2, dull).empty());
}

// "a" and "b" stand at right angles. The first context has nothing before its last utterance.
TEST(Distances, AreThoseOfTheExamplesThatAreLongEnough) {
  const Vocabulary words = Vocabulary::build(TokenCounts{{"a", 2}, {"b", 1}});
  const int32_t a = words.id_of_word("a"), b = words.id_of_word("b");
  const auto encoder = make_encoder(
      2, [&](const std::string& text) { return words.encode(tokenize(text)); },
      [&](const ExamplePointers& batch) {
        std::vector<float> rows;
        for (const Example* e : batch) {
          const bool is_a = e->context.at(0).at(0) == a;
          rows.insert(rows.end(), {is_a ? 1.0f : 0.0f, is_a ? 0.0f : 1.0f});
        }
        return Var(Tensor::from(rows, {std::ssize(batch), 2}));
      });
  std::vector<Example> examples(3);
  examples[0].context = {{a}};
  examples[1].context = {{a}, {b}};
  examples[2].context = {{a}, {b}, {a}};
  const std::vector<Tokens> responses = {{"b"}, {"a"}, {"a"}};
  const auto of = [&](size_t back) {
    return distances(*encoder, examples, responses, words, back, {});
  };
  EXPECT_EQ(of(0), (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(of(1), (std::vector<double>{0, 1}));
  EXPECT_EQ(of(2), (std::vector<double>{0}));
}

TEST(Echo, IsOfEveryTurnOfEveryDialogue) {
  const Echoes echoes = echoes_of({{"d", {{"A", "linux kernel"}, {"B", "printer"}}},
                                   {"e", {{"A", "wifi"}, {"B", "graphics card"}}}});
  for (const Tokens& text :
       std::vector<Tokens>{{"linux", "kernel"}, {"printer"}, {"wifi"}, {"graphics", "card"}}) {
    EXPECT_EQ(echoes.of(text), 1) << text[0];
  }
  EXPECT_EQ(echoes.of({"linux"}), 0.5);
  EXPECT_EQ(echoes.of({"linux", "printer"}), 1 / 2.0);
}

}  // namespace
}  // namespace heed
