// Scores and responses of many examples: in batches, and on several ranks, they are those of each
// example alone.
#include "dialog/respond/on_ranks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dialog/respond/structures.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/train/ranks_helpers.h"

namespace heed {
namespace {

constexpr int kExamples = 10;  // which neither 3 nor 4 ranks divide

// With wide weights, so that it answers differently.
std::unique_ptr<Responder> model_of(const char* structure) {
  std::unique_ptr<Responder> model = make_responder(small_config(Structure::parse(structure)), 3);
  init_again_uniform(*model, -1, 1, 5);
  convert(*model, DType::f64);
  return model;
}

Vocabulary vocabulary() {
  TokenCounts counts;
  for (int i = kSpecialTokens; i < kTestVocabulary; ++i) counts["w" + std::to_string(i)] = 1;
  return Vocabulary::build(counts);
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-10) << i;
}

void expect_near(const std::optional<double>& got, const std::optional<double>& want) {
  ASSERT_EQ(got.has_value(), want.has_value());
  EXPECT_NEAR(got.value_or(0), want.value_or(0), 1e-10);
}

void expect_same(const DialogueScore& got, const DialogueScore& want) {
  EXPECT_EQ(got.id, want.id);
  EXPECT_EQ(got.distraction, want.distraction);
  EXPECT_EQ(got.characters.all, want.characters.all);
  EXPECT_EQ(got.characters.unknown, want.characters.unknown);
  expect_near(got.nll, want.nll);
  expect_near(got.attention_loss, want.attention_loss);
  expect_near(got.as_scores, want.as_scores);
  expect_near(got.das_ratio, want.das_ratio);
  ASSERT_EQ(got.heads.size(), want.heads.size());
  for (size_t h = 0; h < want.heads.size(); ++h) {
    EXPECT_EQ(got.heads[h].layer, want.heads[h].layer);
    EXPECT_EQ(got.heads[h].head, want.heads[h].head);
    expect_near(got.heads[h].means.distraction, want.heads[h].means.distraction);
    expect_near(got.heads[h].means.history, want.heads[h].means.history);
  }
}

TEST(OnRanks, ScoresAreThoseOfEachExampleAlone) {
  std::vector<Example> examples = random_examples(kExamples, 2);
  for (size_t i = 0; i < examples.size(); ++i) {
    examples[i].characters = {static_cast<int64_t>(10 + i), static_cast<int64_t>(i)};
  }
  for (const char* structure : {"lstm", "static-ui", "transformer"}) {
    SCOPED_TRACE(structure);
    const auto model = model_of(structure);
    std::vector<DialogueScore> alone;
    for (const Example& e : examples) alone.push_back(score(*model, {e}, 1)[0]);
    if (std::string(structure) == "transformer") {  // or this would test nothing
      ASSERT_EQ(alone[0].heads.size(), 4u);
      EXPECT_GT(std::abs(*alone[0].heads[0].means.history - *alone[0].heads[0].means.distraction),
                1e-3);
    }
    for (const int count : {1, 2, 3, 4}) {
      on_ranks(count, [&](Ranks& ranks) {
        const auto all = score_on_ranks(ranks, *model, part_of_rank(ranks, examples), kExamples, 2);
        ASSERT_EQ(all.size(), alone.size());
        for (size_t i = 0; i < alone.size(); ++i) expect_same(all[i], alone[i]);
      });
    }
  }
}

TEST(OnRanks, ResponsesAreThoseOfEachExampleAlone) {
  const std::vector<Example> examples = random_examples(kExamples, 2);
  const Vocabulary words = vocabulary();
  for (const std::string structure : {"dynamic", "static", "transformer"}) {
    SCOPED_TRACE(structure);
    const auto model = model_of(structure.c_str());
    DecodeOptions options{.max_length = 6, .top_k = 0};
    if (structure == "transformer") options.method = DecodeOptions::Method::kSample;
    std::vector<Tokens> alone, taught;
    for (const Example& e : examples) {
      alone.push_back(respond(*model, {e}, words, options, 1)[0]);
      taught.push_back(respond_taught(*model, {e}, words, false, 1)[0]);
    }
    EXPECT_GE(std::set<Tokens>(alone.begin(), alone.end()).size(), 5u);  // they differ
    for (const int64_t batch_size : {1, 3, 5, 9, 10, 11}) {
      EXPECT_EQ(respond(*model, examples, words, options, batch_size), alone) << batch_size;
      EXPECT_EQ(respond_taught(*model, examples, words, false, batch_size), taught) << batch_size;
    }
    for (const int count : {1, 2, 3, 4}) {
      on_ranks(count, [&](Ranks& ranks) {
        EXPECT_EQ(respond_on_ranks(ranks, *model, part_of_rank(ranks, examples), kExamples, words,
                                   options, 3),
                  alone);
      });
    }
  }
}

// Compared with even attention to what is there to look at: the words of each utterance and its
// end, or the utterances.
TEST(OnRanks, WhereADecoderLooksIsThatOfEachExampleAlone) {
  const std::vector<Example> examples = random_examples(kExamples, 2);
  for (const std::string structure : {"non-hier", "dynamic", "static-ui"}) {
    SCOPED_TRACE(structure);
    const auto model = model_of(structure.c_str());
    const auto all = decode(*model, pointers(examples), {.max_length = 6});
    for (size_t i = 0; i < examples.size(); ++i) {
      std::vector<double> even;
      double rows = 0;
      for (const auto& said : examples[i].context) {
        even.push_back(structure == "non-hier" ? static_cast<double>(said.size()) + 1 : 1);
        rows += even.back();
      }
      for (double& share : even) share /= rows;
      expect_near(all[i].even, even);
      const Decoding alone = decode(*model, {&examples[i]}, {.max_length = 6})[0];
      expect_near(all[i].as_scores(), alone.as_scores());
    }
  }
}

// Each rank's part as if it were the whole: never more than that, and at the end all of it.
TEST(OnRanks, ProgressEndsWithAllExamples) {
  const std::vector<Example> examples = random_examples(kExamples, 2);
  const auto model = model_of("static");
  for (const int count : {1, 2, 3, 4}) {
    on_ranks(count, [&](Ranks& ranks) {
      int64_t examples_done = 0, tokens_done = 0;
      score_on_ranks(ranks, *model, part_of_rank(ranks, examples), kExamples, 1,
                     [&](const ScoreProgress& done) {
                       EXPECT_GT(done.examples, examples_done);
                       EXPECT_GT(done.tokens, tokens_done);
                       EXPECT_LE(done.examples, kExamples);
                       examples_done = done.examples, tokens_done = done.tokens;
                     });
      int64_t own = 0;
      for (const Example& e : part_of_rank(ranks, examples)) own += example_tokens(e);
      EXPECT_EQ(tokens_done, count * own);
      EXPECT_GE(examples_done, kExamples - kExamples % count);
      EXPECT_TRUE(!ranks.first() || examples_done == kExamples);  // it has the largest part
    });
  }
}

}  // namespace
}  // namespace heed
