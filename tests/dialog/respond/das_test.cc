// Attention scores and the DAS ratio by hand.
#include "dialog/respond/das.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/loss.h"
#include "dialog/respond/score_json.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::optional<double> ratio(const std::vector<double>& as, const std::vector<char>& flags) {
  return das_ratio(dialogue_means(as, flags));
}

TEST(DialogueMeans, ByHand) {
  const DialogueMeans means = dialogue_means({0.5, 1.5, 2.0, 1.0, 9.0}, {1, 0, 0, 1, 0});
  EXPECT_EQ(*means.distraction, 0.75);
  EXPECT_EQ(*means.history, 1.75);
  EXPECT_FALSE(dialogue_means({1, 2, 3}, {0, 0, 1}).distraction);  // only the query is flagged
  EXPECT_FALSE(dialogue_means({1, 2, 3}, {1, 1, 0}).history);
  EXPECT_FALSE(dialogue_means({}, {}).history);
}

TEST(DasRatio, ByHand) {
  // mean of the distractions / mean of the others, the last (the query) in neither
  EXPECT_DOUBLE_EQ(*ratio({0.5, 1.5, 2.0, 9.0}, {1, 0, 0, 0}), 0.5 / 1.75);
  EXPECT_DOUBLE_EQ(*ratio({0.5, 1.5, 2.0, 9.0}, {1, 0, 1, 0}), 1.25 / 1.5);
  EXPECT_DOUBLE_EQ(*ratio({3.0, 1.0, 0.0}, {0, 1, 0}), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(*ratio({3.0, 1.0, 0.0}, {0, 1, 1}), 1.0 / 3.0);  // a flag on the query
}

TEST(DasRatio, NothingWhereOneSideIsEmpty) {
  EXPECT_EQ(ratio({1, 1, 1}, {0, 0, 0}), std::nullopt);  // no distraction
  EXPECT_EQ(ratio({1, 1, 1}, {0, 0, 1}), std::nullopt);  // only the query is flagged
  EXPECT_EQ(ratio({1, 1, 1}, {1, 1, 0}), std::nullopt);  // no history of its own
  EXPECT_EQ(ratio({1}, {0}), std::nullopt);
  EXPECT_EQ(ratio({1}, {1}), std::nullopt);
  EXPECT_EQ(ratio({}, {}), std::nullopt);
}

TEST(DasRatio, ZeroAttention) {
  EXPECT_EQ(ratio({1, 0, 2}, {1, 0, 0}), std::nullopt);  // would be a division by zero
  EXPECT_EQ(*ratio({0, 1, 2}, {1, 0, 0}), 0.0);
  EXPECT_DOUBLE_EQ(*ratio({1, 1e-300, 2}, {1, 0, 0}), 1e300);        // however little there is
  EXPECT_TRUE(std::isnan(*ratio({1, std::nan(""), 2}, {1, 0, 0})));  // is not hidden
}

TEST(Median, OfOddAndEvenNumbers) {
  EXPECT_EQ(median({}), std::nullopt);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(*median({1, std::nan(""), 2})));
}

DialogueScore dialogue(std::vector<double> nll, std::vector<double> as, std::vector<char> flags) {
  DialogueScore s;
  s.nll = std::move(nll);
  s.das_ratio = ratio(as, flags);
  s.as_scores = std::move(as);
  s.distraction = std::move(flags);
  return s;
}

// One dialogue whose history gets almost nothing decides the mean of ratios, and nothing else.
TEST(Summarize, ByHand) {
  const ScoreSummary s = summarize({
      dialogue({1, 2}, {0.5, 1.5, 1.0}, {1, 0, 0}),         // D 0.5, H 1.5
      dialogue({3}, {0.75, 1.5, 0.25, 1.5}, {0, 1, 0, 0}),  // D 1.5, H 0.5
      dialogue({1}, {0.02, 0.8, 1.2, 1.98}, {0, 1, 1, 0}),  // D 1, H 0.02
      dialogue({1}, {0.5, 1.5}, {1, 0}),                    // nothing of the history's own
      dialogue({0.5, 0.5, 1}, {1.4, 0.6, 1.0}, {0, 0, 0}),  // no distraction
  });
  EXPECT_EQ(s.dialogues, 5);
  EXPECT_EQ(s.tokens, 8);
  EXPECT_EQ(s.distracted, 3);
  EXPECT_DOUBLE_EQ(s.perplexity, std::exp(10.0 / 8.0));  // over tokens, not over dialogues
  EXPECT_DOUBLE_EQ(*s.as_distraction, (0.5 + 1.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(*s.as_history, (1.5 + 0.5 + 0.02) / 3);  // over dialogues, not over utterances
  EXPECT_DOUBLE_EQ(*s.das_ratio, 3 / 2.02);                 // the quotient of the two
  EXPECT_DOUBLE_EQ(*s.mean_das_ratio, (0.5 / 1.5 + 3 + 50) / 3);
  EXPECT_DOUBLE_EQ(*s.median_das_ratio, 3);
  EXPECT_DOUBLE_EQ(*s.das_above, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*s.das_bounded, (0.5 / 2 + 1.5 / 2 + 1 / 1.02) / 3);
  EXPECT_DOUBLE_EQ(*s.das_ratio_long, 3);  // the second alone has two utterances of history
  // of the original utterances: what the distractions before or behind them are compared with
  EXPECT_DOUBLE_EQ(*s.as_first, (1.5 + 0.75 + 0.02) / 3);
  EXPECT_DOUBLE_EQ(*s.as_last, (1.5 + 0.25 + 0.02) / 3);
}

// A distraction that gets as much as the history is not above it.
TEST(Summarize, EvenDialoguesAreNotAbove) {
  EXPECT_EQ(
      *summarize({dialogue({1}, {1, 1, 1}, {1, 0, 0}), dialogue({1}, {1.2, 0.8, 1}, {1, 0, 0})})
           .das_above,
      0.5);
}

// Where all attention is on the query there is nothing to compare.
TEST(Summarize, OfNoAttentionThereAreNoShares) {
  const ScoreSummary s =
      summarize({dialogue({1}, {0, 0, 3}, {1, 0, 0}), dialogue({1}, {0.5, 1.5, 1}, {1, 0, 0})});
  EXPECT_DOUBLE_EQ(*s.das_bounded, 0.5 / 2);
  EXPECT_EQ(*s.das_above, 0);
}

// Of heads, too, the history is that of the dialogues with a distraction, where there are any.
TEST(Summarize, HeadsByHand) {
  std::vector<DialogueScore> scores(3);
  scores[0].heads = {{1, 1, {0.5, 0.25}}, {2, 1, {2.0, 1.0}}};
  scores[1].heads = {{1, 1, {std::nullopt, 7.0}}, {2, 1, {std::nullopt, 8.0}}};
  scores[2].heads = {{1, 1, {1.5, 0.75}}, {2, 1, {4.0, std::nullopt}}};
  const ScoreSummary s = summarize(scores);
  ASSERT_EQ(s.heads.size(), 2u);
  EXPECT_EQ(s.heads[0].as_distraction, 1);
  EXPECT_EQ(s.heads[0].as_history, 0.5);
  EXPECT_EQ(s.heads[0].das_ratio, 2);
  EXPECT_EQ(s.heads[1].layer, 2);
  EXPECT_EQ(s.heads[1].as_distraction, 2);  // the third has no history to compare with
  EXPECT_EQ(s.heads[1].as_history, 1);
  EXPECT_EQ(summarize({scores[1]}).heads[0].as_history, 7);
}

// 4 nats on 6 characters, of which 2 are of an unknown word.
TEST(Summarize, BitsPerCharacter) {
  DialogueScore a = dialogue({1, 2}, {1.0, 1.0}, {0, 0}), b = dialogue({1}, {1.0, 1.0}, {0, 0});
  EXPECT_EQ(summarize({a, b}).bits_per_character, std::nullopt);
  a.characters = {4, 2};
  b.characters = {2, 0};
  const ScoreSummary s = summarize({a, b});
  EXPECT_EQ(s.characters, 6);
  EXPECT_DOUBLE_EQ(s.bits_per_character.value(), 4 / (6 * std::log(2.0)));
  EXPECT_DOUBLE_EQ(s.unknown_characters, 2.0 / 6);
}

TEST(Summarize, AHistoryWithoutAttentionIsLeftOutOfTheMeanOfRatiosOnly) {
  const ScoreSummary s =
      summarize({dialogue({1}, {0.5, 0, 1.0}, {1, 0, 0}), dialogue({1}, {0.5, 1, 1.0}, {1, 0, 0})});
  EXPECT_EQ(s.distracted, 2);
  EXPECT_EQ(*s.das_ratio, 1.0);
  EXPECT_EQ(*s.mean_das_ratio, 0.5);
  EXPECT_EQ(*s.median_das_ratio, 0.5);
  EXPECT_EQ(*s.das_above, 0.5);
  EXPECT_DOUBLE_EQ(*s.das_bounded, (1 + 0.5 / 1.5) / 2);
  EXPECT_EQ(s.das_ratio_long, std::nullopt);
  const ScoreSummary none = summarize({dialogue({1}, {0.5, 0, 1.0}, {1, 0, 0})});
  EXPECT_EQ(none.as_history, 0.0);
  EXPECT_EQ(none.das_ratio, std::nullopt);
  EXPECT_EQ(none.mean_das_ratio, std::nullopt);
}

TEST(Summarize, WithoutDistractionsTheHistoryIsThatOfAllDialogues) {
  const ScoreSummary s = summarize({dialogue({1}, {1.2, 0.4, 1.4}, {0, 0, 0}),
                                    dialogue({1}, {0.6, 0.4}, {0, 0}), dialogue({1}, {1}, {0})});
  EXPECT_EQ(s.distracted, 0);
  EXPECT_DOUBLE_EQ(*s.as_history, (0.8 + 0.6) / 2);
  EXPECT_DOUBLE_EQ(*s.as_first, (1.2 + 0.6) / 2);
  EXPECT_DOUBLE_EQ(*s.as_last, (0.4 + 0.6) / 2);
  for (const auto& ratio : {s.das_ratio, s.mean_das_ratio, s.median_das_ratio, s.das_above,
                            s.das_bounded, s.das_ratio_long, s.as_distraction}) {
    EXPECT_EQ(ratio, std::nullopt);
  }
}

TEST(Summarize, WhatThereIsNothingOfIsMissing) {
  const ScoreSummary flagged = summarize({dialogue({1}, {1.2, 0.8}, {1, 0})});
  EXPECT_EQ(flagged.distracted, 0);
  EXPECT_EQ(flagged.das_ratio, std::nullopt);
  EXPECT_EQ(flagged.as_history, std::nullopt);
  EXPECT_EQ(flagged.as_distraction, std::nullopt);

  const ScoreSummary query = summarize({dialogue({1}, {1.0}, {0})});
  EXPECT_EQ(query.as_first, std::nullopt);
  EXPECT_EQ(query.as_last, std::nullopt);

  const ScoreSummary none = summarize({});
  EXPECT_EQ(none.dialogues, 0);
  EXPECT_EQ(none.perplexity, 1.0);
}

// The numbers of score() from the model's own weights, step by step.
TEST(Score, FollowsTheDefinitions) {
  const Structure structure = Structure::parse("dynamic");
  LstmResponder model = small_model(structure, DType::f64);
  Example e = random_examples(1, 3)[0];
  e.context = {{6, 7}, {8}, {9, 10, 11}};
  e.distraction = {0, 1, 0};
  e.response = {12, 13};
  const Batch batch = make_batch({&e}, {.memory = MemoryOf::kUtterances});
  const Taught out = model.teach(batch);
  const DialogueScore s = score(model, {e}, 1)[0];
  ASSERT_EQ(s.nll.size(), 3u);
  ASSERT_EQ(s.attention_loss.size(), 3u);
  std::vector<double> sums(3);
  for (int t = 0; t < 3; ++t) {
    const std::vector<double> w = weights_at(out, batch, 0, t);
    EXPECT_NEAR(s.attention_loss[t], w[1] * w[1] / 3, 1e-15);
    EXPECT_EQ(s.nll[t], out.nll.to_vector()[t]);
    for (int k = 0; k < 3; ++k) sums[k] += w[k];
  }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.as_scores[k], 3 * sums[k] / 3, 1e-14);
  EXPECT_NEAR(*s.das_ratio, sums[1] / sums[0], 1e-13);
}

// non-hier: m x the mean weight of an utterance's tokens, so that its length does not count.
TEST(Score, OfTokensIsPerToken) {
  LstmResponder model = small_model(Structure::parse("non-hier"), DType::f64);
  Example e = random_examples(1, 3)[0];
  e.context = {{6, 7}, {8}, {9, 10, 11}};  // 3, 2 and 4 tokens with <eou>
  e.distraction = {0, 1, 0};
  e.response = {12, 13};
  const Batch batch = make_batch({&e}, {.memory = MemoryOf::kTokens});
  const Taught out = model.teach(batch);
  const DialogueScore s = score_output(out, batch, {&e})[0];
  std::vector<double> mean(9);  // weight of each token, over the three steps
  for (int t = 0; t < 3; ++t) {
    const std::vector<double> w = weights_at(out, batch, 0, t);
    ASSERT_EQ(w.size(), 9u);
    for (int j = 0; j < 9; ++j) mean[j] += w[j] / 3;
  }
  EXPECT_NEAR(s.as_scores[0], 9 * (mean[0] + mean[1] + mean[2]) / 3, 1e-14);
  EXPECT_NEAR(s.as_scores[1], 9 * (mean[3] + mean[4]) / 2, 1e-14);
  EXPECT_NEAR(s.as_scores[2], 9 * (mean[5] + mean[6] + mean[7] + mean[8]) / 4, 1e-14);
  EXPECT_NEAR(*s.das_ratio, s.as_scores[1] / s.as_scores[0], 1e-14);

  // even attention: 1 for every utterance, whatever its length
  Taught even = out;
  even.attention = AttentionTrace::same_in_all_steps(
      Tensor::from(std::vector<double>(9, 1.0 / 9), {9}), batch.memory.segments);
  const DialogueScore of_even = score_output(even, batch, {&e})[0];
  for (double as : of_even.as_scores) EXPECT_NEAR(as, 1, 1e-14);
}

// Two heads of each of two layers, whose mean over the last layer's the scores are.
TEST(Score, HeadsAreThoseOfEachLayer) {
  const auto model = drawn_model("transformer");
  const std::vector<DialogueScore> scores = score(*model, random_examples(6, 3), 4);
  for (const DialogueScore& s : scores) {
    std::string places;
    for (const HeadMeans& head : s.heads) {
      places += std::to_string(head.layer) + "." + std::to_string(head.head) + " ";
    }
    EXPECT_EQ(places, "1.1 1.2 2.1 2.2 ");
  }
}

TEST(Score, AttentionOnRequestHasTheWeightsOfEveryStep) {
  for (const char* structure : {"non-hier", "static-ui", "dynamic"}) {
    LstmResponder model = small_model(Structure::parse(structure), DType::f64);
    const auto examples = random_examples(5, 3);
    const auto scores = score(model, examples, 2, {}, true);
    for (size_t i = 0; i < examples.size(); ++i) {
      const Batch batch = make_batch({&examples[i]}, model.parts());
      const Taught out = model.teach(batch);
      ASSERT_EQ(scores[i].attention.size(), scores[i].nll.size()) << structure;
      for (size_t t = 0; t < scores[i].attention.size(); ++t) {
        const auto expected = weights_at(out, batch, 0, static_cast<int64_t>(t));
        ASSERT_EQ(scores[i].attention[t].size(), expected.size()) << structure;
        for (size_t j = 0; j < expected.size(); ++j) {
          EXPECT_NEAR(scores[i].attention[t][j], expected[j], 1e-13);
        }
      }
    }
    EXPECT_TRUE(score(model, examples, 2)[0].attention.empty());
  }
}

TEST(Score, ReportsProgressAndRefusesBatchesOfNothing) {
  LstmResponder model = small_model(Structure::parse("static"), DType::f32);
  const auto examples = random_examples(7, 1);
  std::vector<int64_t> done;
  int64_t tokens = 0, expected = 0;
  score(model, examples, 3, [&](const ScoreProgress& p) {
    done.push_back(p.examples);
    tokens = p.tokens;
  });
  for (const Example& e : examples) expected += example_tokens(e);
  EXPECT_EQ(done, (std::vector<int64_t>{3, 6, 7}));
  EXPECT_EQ(tokens, expected);
  EXPECT_TRUE(score(model, {}, 3).empty());
  EXPECT_EQ(score(model, examples, int64_t{1} << 62).size(), 7u);
  for (const int64_t size : {0, -3}) {
    EXPECT_EQ(error_of<UsageError>([&] { score(model, examples, size); }),
              "batch: expected at least 1, got " + std::to_string(size));
  }
}

// A ratio of 1 would say that it is distracted exactly as by history: there is none.
TEST(WithoutAttention, ThereAreNoScoresAndNoRatio) {
  const auto m = make_responder(small_config(Structure::parse("lstm")), 3);
  convert(*m, DType::f64);
  std::vector<Example> examples = random_examples(6, 2);
  for (Example& e : examples) {
    e.context.insert(e.context.begin(), 2, {5, 6});
    e.distraction.insert(e.distraction.begin(), {1, 0});
  }
  const auto scores = score(*m, examples, 4, {}, true);
  for (const DialogueScore& s : scores) {
    EXPECT_GT(s.nll.size(), 0U);
    EXPECT_TRUE(s.as_scores.empty() && s.attention_loss.empty() && s.attention.empty());
    EXPECT_FALSE(s.das_ratio);
  }
  const ScoreSummary summary = summarize(scores);
  EXPECT_EQ(summary.distracted, 6);
  for (const auto& none : {summary.das_ratio, summary.mean_das_ratio, summary.median_das_ratio,
                           summary.as_distraction, summary.as_history, summary.as_first}) {
    EXPECT_FALSE(none);
  }
  const nlohmann::ordered_json json = to_json(summary);
  EXPECT_TRUE(json["das_ratio"].is_null() && json["as_history"].is_null()) << json;
  const Batch batch = make_batch(pointers(examples), m->parts());
  EXPECT_FALSE(attention_loss(batch, m->teach(batch)).defined());
  const Decoding written = decode(*m, pointers(examples))[0];
  EXPECT_GT(written.attention.size(), 0U);
  EXPECT_TRUE(written.as_scores().empty());
}

// What is measured is the mean over the heads of the last layer; each layer and head has a column.
TEST(Transformer, MeasuresEachHeadOfEachLayer) {
  ModelConfig config = small_config(Structure::parse("transformer"));
  config.heads = 2, config.hidden_size = 8, config.num_layers = 3;
  const auto m = make_responder(config, 3);
  convert(*m, DType::f64);
  const auto scores = score(*m, random_examples(7, 2), 3);
  for (const DialogueScore& s : scores) {
    ASSERT_EQ(s.heads.size(), 6u);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(s.heads[i].layer, 1 + i / 2);
      EXPECT_EQ(s.heads[i].head, 1 + i % 2);
    }
    const DialogueMeans all = dialogue_means(s.as_scores, s.distraction);
    const DialogueMeans &first = s.heads[4].means, &second = s.heads[5].means;
    ASSERT_EQ(all.history.has_value(), first.history.has_value());
    if (!all.history || !all.distraction) continue;
    EXPECT_NEAR(*all.history, (*first.history + *second.history) / 2, 1e-12);
    EXPECT_NEAR(*all.distraction, (*first.distraction + *second.distraction) / 2, 1e-12);
    EXPECT_GT(std::abs(*first.distraction - *second.distraction), 1e-6);
    EXPECT_GT(std::abs(*first.distraction - *s.heads[0].means.distraction), 1e-6);
  }
  const ScoreSummary summary = summarize(scores);
  ASSERT_EQ(summary.heads.size(), 6u);
  EXPECT_NEAR(*summary.as_history,
              (*summary.heads[4].as_history + *summary.heads[5].as_history) / 2, 1e-12);
  EXPECT_EQ(*summary.heads[0].das_ratio,
            *summary.heads[0].as_distraction / *summary.heads[0].as_history);
}

}  // namespace
}  // namespace heed
