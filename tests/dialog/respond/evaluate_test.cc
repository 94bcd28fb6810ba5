// The test sets of a model: what they insert, and what is measured on them.
#include "dialog/respond/evaluate.h"

#include <cmath>
#include <set>

#include "base/error.h"
#include "dialog/respond/decode.h"
#include "dialog/respond/structures.h"
#include "tensor/parallel.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

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
      const bool other =
          e.context[k] == kPool[0].said.tokens || e.context[k] == kPool[1].said.tokens;
      EXPECT_TRUE(other || (e.dialogue_id != "d0" && e.context[k] == kPool[2].said.tokens)) << e.id;
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
  EXPECT_TRUE(same(all, with("random:0.70", examples)));
  EXPECT_FALSE(same(all, with("random:0.71", examples)));
  const std::vector<Example> first(examples.begin(), examples.begin() + 10);
  EXPECT_TRUE(same(with("random:0.7", first), {all.begin(), all.begin() + 10}));
}

// Phrases put in by hand, one dialogue after the other, and Eq. 7 to 9 from the bare weights.
TEST(Evaluate, ByHand) {
  LstmResponder model = small_model(Structure::parse("dynamic"), DType::f64);
  const auto examples = plain(6);
  const auto got =
      evaluate(model, examples, select_test_sets("frequent:begin"), kPool, kPhrases, 3, 4)[0]
          .summary;
  double nll = 0, tokens = 0, distractions = 0, history = 0;
  for (Example e : examples) {
    for (int k : {1, 0}) e.context.insert(e.context.begin(), kPhrases.frequent[k].tokens);
    e.distraction.insert(e.distraction.begin(), {1, 1});
    const Batch batch = make_batch({&e}, model.parts());
    const Taught out = model.teach(batch);
    for (const double x : out.nll.to_vector()) nll += x, ++tokens;
    const double q = static_cast<double>(e.context.size()),
                 steps = static_cast<double>(e.response.size()) + 1;
    std::vector<double> as(e.context.size());
    for (size_t t = 0; t <= e.response.size(); ++t) {
      const std::vector<double> w = weights_at(out, batch, 0, static_cast<int64_t>(t));
      for (size_t k = 0; k < as.size(); ++k) as[k] += q * w[k] / steps;
    }
    distractions += (as[0] + as[1]) / 2 / 6;
    double sum = 0;
    for (size_t k = 2; k + 1 < as.size(); ++k) sum += as[k];
    history += sum / (q - 3) / 6;
  }
  EXPECT_NEAR(got.perplexity, std::exp(nll / tokens), 1e-9);
  EXPECT_NEAR(*got.as_distraction, distractions, 1e-12);
  EXPECT_NEAR(*got.as_history, history, 1e-12);
  EXPECT_NEAR(*got.das_ratio, distractions / history, 1e-12);
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
  EXPECT_EQ(names("random:1,random:1.0"), "random:1.0 ");
  for (const char* wrong : {"", ",", "none,", ",none", "none,,none", "none rare:end", "ra"}) {
    EXPECT_THROW(select_test_sets(wrong), UsageError) << wrong;
  }
}

TEST(SelectTestSets, OnlyRandomOnesNeedAPool) {
  EXPECT_TRUE(needs_pool(select_test_sets("all")));
  EXPECT_TRUE(needs_pool(select_test_sets("none,random:0.1")));
  EXPECT_FALSE(needs_pool(select_test_sets("none,frequent,rare")));
}

// Responses are what the model writes itself, cut after 0 to 6 tokens: as many and more are right.
TEST(Evaluate, RightTokensAreThoseOfEachExample) {
  const auto model = make_responder(small_config(Structure::parse("static-ui")), 3);
  init_again_uniform(*model, -1, 1, 7);
  std::vector<Example> examples = plain(7);
  const DecodeOptions greedy{.max_length = 6, .any_token = true};
  const std::vector<Decoding> written = decode(*model, pointers(examples), greedy);
  for (size_t i = 0; i < examples.size(); ++i) {
    examples[i].response = written[i].tokens;
    examples[i].response.resize(std::min(i, written[i].tokens.size()));
  }
  const auto measured = [&](const std::vector<Example>& some) {
    return evaluate(*model, some, select_test_sets("none"), {}, {}, 1, 3, {}, alone(), true)[0];
  };
  const TestSetResult all = measured(examples);
  int64_t sum = 0;
  std::set<int64_t> different;
  for (size_t i = 0; i < examples.size(); ++i) {
    EXPECT_EQ(all.examples[i].right, measured({examples[i]}).examples[0].right) << i;
    sum += *all.examples[i].right;
    different.insert(*all.examples[i].right);
  }
  EXPECT_GT(different.size(), 2u);
  EXPECT_DOUBLE_EQ(*all.summary.accuracy,
                   static_cast<double>(sum) / static_cast<double>(all.summary.tokens));
}

}  // namespace
}  // namespace heed
