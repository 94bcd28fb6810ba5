// Attention scores and the DAS ratio by hand, and what the test sets insert.
#include "dialog/respond/das.h"

#include <cmath>

#include "dialog/respond/evaluate.h"
#include "tensor/error.h"
#include "tensor/parallel.h"
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
  // of the original utterances: what the distractions before or behind them are compared with
  EXPECT_DOUBLE_EQ(*s.as_first, (1.5 + 0.75 + 0.02) / 3);
  EXPECT_DOUBLE_EQ(*s.as_last, (1.5 + 0.25 + 0.02) / 3);
}

TEST(Summarize, AHistoryWithoutAttentionIsLeftOutOfTheMeanOfRatiosOnly) {
  const ScoreSummary s =
      summarize({dialogue({1}, {0.5, 0, 1.0}, {1, 0, 0}), dialogue({1}, {0.5, 1, 1.0}, {1, 0, 0})});
  EXPECT_EQ(s.distracted, 2);
  EXPECT_EQ(*s.das_ratio, 1.0);
  EXPECT_EQ(*s.mean_das_ratio, 0.5);
  EXPECT_EQ(*s.median_das_ratio, 0.5);
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
  for (const auto& ratio : {s.das_ratio, s.mean_das_ratio, s.median_das_ratio, s.as_distraction}) {
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

// ---- test sets ----------------------------------------------------------------------------------

const Pool kPool = {{"elsewhere", {20}}, {"elsewhere", {21, 22}}, {"d0", {19}}};
const Phrases kPhrases = {{{15}, {16}}, {{17}, {18}}};

std::vector<Example> plain(int count) {
  return random_examples(count, 2, /*distractions=*/false);
}

std::vector<Example> with(const std::string& set, const std::vector<Example>& examples,
                          uint64_t seed = 1) {
  return distracted(examples, parse_test_set(set), kPool, kPhrases, seed);
}

bool same(const std::vector<Example>& a, const std::vector<Example>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Example& x, const Example& y) {
    return x.context == y.context && x.distraction == y.distraction && x.response == y.response;
  });
}

// What an example was before its flagged utterances came in.
Example without_flagged(const Example& e) {
  Example result = e;
  result.context.clear();
  for (size_t k = 0; k < e.context.size(); ++k) {
    if (!e.distraction[k]) result.context.push_back(e.context[k]);
  }
  result.distraction.assign(result.context.size(), 0);
  return result;
}

TEST(Distracted, OnlyInsertsAndNeverBehindTheQuery) {
  const auto examples = plain(30);
  for (const TestSet& set : select_test_sets("all")) {
    const auto inserted = with(set.name, examples);
    std::vector<Example> before;
    for (const Example& e : inserted) {
      EXPECT_FALSE(e.distraction.back()) << set.name;
      before.push_back(without_flagged(e));
    }
    EXPECT_TRUE(same(before, examples)) << set.name;
    EXPECT_EQ(same(inserted, examples), set.name == "none") << set.name;
  }
}

TEST(Distracted, PhrasesStandWhereTheSetSays) {
  const std::vector<Example> one = {
      {"d0", "d0", {{6}, {7}, {8}, {9}, {10}, {11}}, {0, 0, 0, 0, 0, 0}, {12}}};
  using Context = std::vector<std::vector<int32_t>>;
  const auto context = [&](const std::string& set) { return with(set, one)[0].context; };
  EXPECT_EQ(context("frequent:begin"), (Context{{15}, {16}, {6}, {7}, {8}, {9}, {10}, {11}}));
  EXPECT_EQ(context("frequent:middle"), (Context{{6}, {7}, {15}, {16}, {8}, {9}, {10}, {11}}));
  EXPECT_EQ(context("frequent:end"), (Context{{6}, {7}, {8}, {9}, {10}, {15}, {16}, {11}}));
  EXPECT_EQ(context("rare:begin"), (Context{{17}, {18}, {6}, {7}, {8}, {9}, {10}, {11}}));
  EXPECT_EQ(with("rare:end", one)[0].distraction, (std::vector<char>{0, 0, 0, 0, 0, 1, 1, 0}));
}

TEST(Distracted, RandomComesFromOtherDialoguesOfThePool) {
  const auto examples = plain(30);
  int count = 0;
  for (const Example& e : with("random:1.0", examples)) {
    for (size_t k = 0; k < e.context.size(); ++k) {
      if (!e.distraction[k]) continue;
      ++count;
      const bool other = e.context[k] == kPool[0].tokens || e.context[k] == kPool[1].tokens;
      EXPECT_TRUE(other || (e.dialogue_id != "d0" && e.context[k] == kPool[2].tokens)) << e.id;
    }
  }
  EXPECT_EQ(count, 60);
}

// What comes into an example depends on the seed, the set and the example's place only.
TEST(Distracted, IsAFunctionOfSeedSetAndPlace) {
  const auto examples = plain(30);
  const auto all = with("random:0.7", examples);
  EXPECT_TRUE(same(all, with("random:0.7", examples)));
  EXPECT_FALSE(same(all, with("random:0.7", examples, 2)));
  EXPECT_FALSE(same(all, with("random:0.70", examples)));
  const std::vector<Example> first(examples.begin(), examples.begin() + 10);
  EXPECT_TRUE(same(with("random:0.7", first), {all.begin(), all.begin() + 10}));
}

TEST(Evaluate, IsScoreOfTheDistractedExamples) {
  set_num_threads(1);
  LstmResponder model = small_model(Structure::parse("static-ui"), DType::f64);
  const auto examples = plain(12);
  const std::vector<TestSet> sets = select_test_sets("all");
  ASSERT_EQ(sets.size(), 10u);
  std::vector<std::string> reported;
  const auto results = evaluate(model, examples, sets, kPool, kPhrases, 3, 5,
                                [&](const std::string& set, const ScoreProgress& done) {
                                  if (done.examples == 12) reported.push_back(set);
                                });
  ASSERT_EQ(results.size(), 10u);
  for (size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(results[i].name, sets[i].name);
    EXPECT_EQ(reported[i], sets[i].name);
    const ScoreSummary& got = results[i].summary;
    const ScoreSummary s =
        summarize(score(model, distracted(examples, sets[i], kPool, kPhrases, 3), 12));
    EXPECT_NEAR(got.perplexity, s.perplexity, 1e-10 * s.perplexity);
    EXPECT_NEAR(got.das_ratio.value_or(-1), s.das_ratio.value_or(-1), 1e-10);
    EXPECT_EQ(got.distracted, s.distracted);
    EXPECT_EQ(got.das_ratio.has_value(), sets[i].name != "none");
    double nll = 0;
    int64_t tokens = 0;
    ASSERT_EQ(results[i].examples.size(), examples.size());
    for (size_t e = 0; e < examples.size(); ++e) {
      const ExampleResult& r = results[i].examples[e];
      EXPECT_EQ(r.id, examples[e].id);
      nll += r.nll, tokens += r.tokens;
      if (!r.das_ratio) continue;
      EXPECT_NEAR(*r.das_ratio, *r.means.distraction / *r.means.history, 1e-12);
    }
    EXPECT_NEAR(std::exp(nll / static_cast<double>(tokens)), s.perplexity, 1e-10 * s.perplexity);
    EXPECT_EQ(tokens, s.tokens);
  }
}

TEST(Evaluate, TheSameTwiceToTheLastBit) {
  LstmResponder model = small_model(Structure::parse("dynamic"), DType::f32);
  const auto run = [&] {
    return evaluate(model, plain(9), select_test_sets("random:0.5"), kPool, kPhrases, 1, 4)[0];
  };
  const TestSetResult a = run(), b = run();
  EXPECT_EQ(a.summary.perplexity, b.summary.perplexity);
  EXPECT_EQ(a.summary.das_ratio, b.summary.das_ratio);
  EXPECT_EQ(a.summary.as_history, b.summary.as_history);
}

TEST(SelectTestSets, ByName) {
  EXPECT_EQ(select_test_sets("all")[0].name, "none");
  EXPECT_EQ(select_test_sets("all")[9].name, "rare:end");
  EXPECT_EQ(select_test_sets("rare:end").size(), 1u);
  EXPECT_EQ(select_test_sets("random:0.25")[0].p, 0.25);
  EXPECT_NE(error_of<UsageError>([] { select_test_sets("everything"); }), "no error");
}

TEST(SelectTestSets, ListsWithEachSetOnce) {
  const auto names = [](const std::string& list) {
    std::string all;
    for (const TestSet& set : select_test_sets(list)) all += set.name + " ";
    return all;
  };
  EXPECT_EQ(names("rare:end,none"), "rare:end none ");
  EXPECT_EQ(names("random"), "random:0.5 random:0.7 random:1.0 ");
  EXPECT_EQ(names("rare:end,rare"), "rare:end rare:begin rare:middle ");
  EXPECT_EQ(names("all,none,frequent"), names("all"));
  for (const char* wrong : {"", ",", "none,", ",none", "none,,none", "none rare:end", "ra"}) {
    EXPECT_THROW(select_test_sets(wrong), UsageError) << wrong;
  }
}

TEST(SelectTestSets, OnlyRandomOnesNeedAPool) {
  EXPECT_TRUE(needs_pool(select_test_sets("all")));
  EXPECT_TRUE(needs_pool(select_test_sets("none,random:0.1")));
  EXPECT_FALSE(needs_pool(select_test_sets("none,frequent,rare")));
}

}  // namespace
}  // namespace heed
