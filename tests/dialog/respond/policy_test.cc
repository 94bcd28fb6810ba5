// REINFORCE against exact expectations: a model of so few tokens that all responses it can draw are
// written out.
#include "dialog/respond/policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "dialog/respond/structures.h"
#include "optim/optim.h"
#include "tests/dialog/respond/model_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

constexpr int64_t kWordsOfPolicy =
    kSpecialTokens + 1;  // <unk>, <eos>, a word, and what is never said
constexpr int64_t kLongest = 2;

std::unique_ptr<Responder> tiny_model(const char* structure = "static") {
  ModelConfig config = small_config(Structure::parse(structure));
  config.vocab_size = kWordsOfPolicy;
  config.num_layers = 1;
  std::unique_ptr<Responder> model = make_responder(config, 3);
  init_again_uniform(*model, -1, 1, 5);  // far from uniform
  convert(*model, DType::f64);
  return model;
}

Example context() {
  return {"d", "d", {{5, 1}, {5}}, {0, 0}, {}};
}

// All responses of at most kLongest tokens: those that end, and those that are cut off.
DrawnResponses all_responses() {
  DrawnResponses all;
  const auto add = [&](const std::vector<int32_t>& tokens, bool finished) {
    all.examples.push_back(context());
    all.examples.back().id = "d" + std::to_string(all.size());
    all.examples.back().response = tokens;
    all.finished.push_back(finished);
  };
  add({}, true);
  for (int32_t a = 0; a < kWordsOfPolicy; ++a) {
    if (a == kEos) continue;
    add({a}, true);
    for (int32_t b = 0; b < kWordsOfPolicy; ++b) {
      if (b != kEos) add({a, b}, false);
    }
  }
  return all;
}

// p(y), without the <eos> of one that was cut off; from scores, in which no policy has a part.
std::vector<double> probabilities(Responder& model, const DrawnResponses& all) {
  std::vector<double> result;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::vector<double> nll = score(model, {all.examples[i]}, 1)[0].nll;
    double log_p = 0;
    for (size_t t = 0; t + (all.finished[i] ? 0 : 1) < nll.size(); ++t) log_p -= nll[t];
    result.push_back(std::exp(log_p));
  }
  return result;
}

// Something that differs from response to response.
double reward_of(const Example& e) {
  double reward = 0.3;
  for (size_t t = 0; t < e.response.size(); ++t) reward += 0.1 * e.response[t] * (t + 1.0);
  return reward;
}
std::vector<double> reward(const std::vector<Example>& examples) {
  std::vector<double> rewards;
  for (const Example& e : examples) rewards.push_back(reward_of(e));
  return rewards;
}

double expected_reward(Responder& model, const DrawnResponses& all) {
  const std::vector<double> p = probabilities(model, all), r = reward(all.examples);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += p[i] * r[i];
  return sum;
}

std::vector<double> gradient(Responder& model, const Var& loss) {
  zero_grad(model);
  loss.backward();
  std::vector<double> all;
  for (const NamedParameter& p : parameters(model)) {
    const Tensor g = p.var.grad();
    const std::vector<double> values =
        g.defined() ? g.to_vector() : std::vector<double>(p.var.value().numel());
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

// -sum_y p(y) R(y) d log p(y), the mean of what REINFORCE draws.
std::vector<double> exact_gradient(Responder& model, const DrawnResponses& all) {
  std::vector<double> weights = probabilities(model, all);
  const std::vector<double> r = reward(all.examples);
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] *= r[i] * static_cast<double>(all.size());
  }
  return gradient(model, weighted_nll(model, all, weights));
}

TEST(Policy, AllResponsesHaveTheProbabilityOne) {
  const auto model = tiny_model();
  const std::vector<double> p = probabilities(*model, all_responses());
  EXPECT_EQ(p.size(), 31u);
  EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
}

// The gradient of the loss over all responses, weighted with their probability, is that of the
// expected reward, by central differences.
TEST(Policy, TheGradientIsThatOfTheExpectedReward) {
  for (const char* structure : {"static", "dynamic", "hred", "lstm", "transformer"}) {
    const auto model = tiny_model(structure);
    const DrawnResponses all = all_responses();
    const std::vector<double> got = exact_gradient(*model, all);
    size_t at = 0;
    for (const NamedParameter& p : parameters(*model)) {
      const int64_t n = p.var.value().numel(), middle = n / 2;
      double* x = p.var.value().data<double>() + middle;
      const double before = *x, h = 1e-5;
      *x = before + h;
      p.var.value().mark_written();
      const double up = expected_reward(*model, all);
      *x = before - h;
      p.var.value().mark_written();
      const double down = expected_reward(*model, all);
      *x = before;
      p.var.value().mark_written();
      EXPECT_NEAR(got[at + static_cast<size_t>(middle)], -(up - down) / (2 * h), 1e-8)
          << structure << " " << p.name;
      at += static_cast<size_t>(n);
    }
  }
}

// Mean and variance, over many draws of `batch` responses, of an estimate of the gradient.
struct Moments {
  std::vector<double> mean;
  double variance = 0;
};
template <class Weights> Moments moments(Responder& model, int draws, Weights weights) {
  const std::vector<Example> examples = all_responses().examples;  // 31 of one context
  Moments m;
  std::vector<double> squares;
  for (int k = 0; k < draws; ++k) {
    const DrawnResponses drawn = draw_responses(model, examples, kLongest, 100 + k);
    const auto g = gradient(model, weighted_nll(model, drawn, weights(reward(drawn.examples))));
    m.mean.resize(g.size());
    squares.resize(g.size());
    for (size_t i = 0; i < g.size(); ++i) m.mean[i] += g[i] / draws, squares[i] += g[i] * g[i];
  }
  for (size_t i = 0; i < squares.size(); ++i) {
    m.variance += squares[i] / draws - m.mean[i] * m.mean[i];
  }
  return m;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(Policy, DrawsHaveTheExactMeanAndTheBaselineLowersTheVariance) {
  constexpr int kDraws = 400;
  const auto model = tiny_model();
  const std::vector<double> exact = exact_gradient(*model, all_responses());
  const Moments plain = moments(*model, kDraws, [](const auto& rewards) { return rewards; });
  const Moments based = moments(*model, kDraws, advantages);
  // the distance of a mean of n draws from the expectation is about sqrt(variance / n)
  EXPECT_LT(distance(plain.mean, exact), 2 * std::sqrt(plain.variance / kDraws));
  EXPECT_LT(distance(based.mean, exact), 2 * std::sqrt(based.variance / kDraws));
  EXPECT_LT(based.variance, 0.5 * plain.variance);
  EXPECT_GT(distance(exact, std::vector<double>(exact.size())), 10 * distance(based.mean, exact));
}

TEST(Policy, AdvantagesLeaveTheOwnRewardOut) {
  EXPECT_EQ(advantages({1, 3, 8}), (std::vector<double>{1 - 5.5, 3 - 4.5, 8 - 2}));
  EXPECT_EQ(advantages({2, 2}), (std::vector<double>{0, 0}));
  EXPECT_EQ(advantages({0.5}), (std::vector<double>{0.5}));
  EXPECT_TRUE(advantages({}).empty());
}

TEST(Policy, DrawsAreOfTheSeedAndTheExampleAlone) {
  const auto model = tiny_model();
  const std::vector<Example> examples = all_responses().examples;
  const DrawnResponses a = draw_responses(*model, examples, kLongest, 7),
                       b = draw_responses(*model, examples, kLongest, 8),
                       alone = draw_responses(*model, {examples[4]}, kLongest, 7);
  EXPECT_EQ(a.examples[4].response, alone.examples[0].response);
  bool differs = false;
  for (size_t i = 0; i < a.size(); ++i) {
    differs |= a.examples[i].response != b.examples[i].response;
    EXPECT_LE(std::ssize(a.examples[i].response), kLongest);
    EXPECT_TRUE(a.finished[i] || std::ssize(a.examples[i].response) == kLongest);
  }
  EXPECT_TRUE(differs);
  EXPECT_EQ(error_of<UsageError>([&] { (void)weighted_nll(*model, a, {1}); }),
            "policy: expected a weight for each of one or more responses, got 1 for 31");
}

// Both halves of a seed are drawn, the high one first.
TEST(Policy, SeedsHave64BitsOfTheSeedThePurposeAndTheNumber) {
  Rng rng(7, "policy", 3);
  const double high = static_cast<double>(rng.next()), low = static_cast<double>(rng.next());
  const uint64_t seed = draw_seed(7, "policy", 3);
  EXPECT_EQ(std::ldexp(high, 32) + low, static_cast<double>(seed >> 32) * 4294967296.0 +
                                            static_cast<double>(seed & 0xffffffff));
  EXPECT_NE(seed >> 32, 0u);
  EXPECT_NE(seed, draw_seed(8, "policy", 3));
  EXPECT_NE(seed, draw_seed(7, "policies", 3));
  EXPECT_NE(seed, draw_seed(7, "policy", 4));
}

// ---- the task

TrainData tiny_data() {
  TrainData data;
  for (int i = 0; i < 6; ++i) {
    Example e = context();
    e.id = e.dialogue_id = "t" + std::to_string(i);
    e.response = {5, 5};
    data.train.push_back(e);
  }
  data.valid = data.train;
  return data;
}
TrainSettings tiny_settings(const Responder& model) {
  TrainSettings settings{.model = model.config(), .attention_weight = 0};
  settings.model.dropout = 0;
  return settings;
}

// loss = policy + teacher_forcing x the loss of the human responses, of the same examples.
TEST(PolicyTask, MixesInTheHumanResponses) {
  const auto model = tiny_model();
  const TrainData data = tiny_data();
  const TrainSettings settings = tiny_settings(*model);
  const StepKey key{3, 1, 2};
  const std::vector<int64_t> all = {0, 1, 2, 3, 4, 5};
  const auto loss = [&](double teacher_forcing) {
    return gradient(*model,
                    policy_task(*model, settings, data,
                                {.max_length = 2, .teacher_forcing = teacher_forcing}, reward)
                        .loss(all, key)
                        .total);
  };
  const auto none = loss(0), one = loss(1), two = loss(2);
  const auto taught = gradient(*model, respond_task(*model, settings, data).loss(all, key).total);
  for (size_t i = 0; i < none.size(); ++i) {
    EXPECT_NEAR(one[i] - none[i], taught[i], 1e-12);
    EXPECT_NEAR(two[i] - none[i], 2 * taught[i], 1e-12);
  }
  EXPECT_GT(distance(none, std::vector<double>(none.size())), 1e-3);
}

TEST(PolicyTask, DrawsAnewInEveryStepAndCountsRewards) {
  const auto model = tiny_model();
  const TrainData data = tiny_data();
  const TrainSettings settings = tiny_settings(*model);
  std::vector<std::vector<Example>> seen;
  const Task task = policy_task(*model, settings, data, {.max_length = 2},
                                [&](const std::vector<Example>& drawn) {
                                  seen.push_back(drawn);
                                  return std::vector<double>(drawn.size(), 0.25);
                                });
  const auto texts = [&](size_t i) {
    std::vector<std::vector<int32_t>> all;
    for (const Example& e : seen[i]) all.push_back(e.response);
    return all;
  };
  const std::vector<int64_t> all = {0, 1, 2, 3, 4, 5};
  const Loss loss = complete(task.loss(all, {3, 1, 2}));
  task.loss(all, {3, 1, 3});
  task.loss(all, {3, 1, 2});
  EXPECT_NE(texts(0), texts(1));
  EXPECT_EQ(texts(0), texts(2));
  EXPECT_EQ(seen[0][1].id, "t1");
  EXPECT_EQ(loss.counts.at("reward"), 1.5);
  EXPECT_EQ(loss.counts.at("drawn"), 6);
  EXPECT_EQ(value_of(task.measure(loss.counts), kTrainReward), 0.25);
  EXPECT_TRUE(task.measure(loss.counts).back().higher_is_better);
  // Those that were taught, and those that were read and drawn.
  int64_t tokens = respond_task(*model, settings, data).loss(all, {3, 1, 2}).tokens;
  for (const Example& e : seen[0]) {
    for (const auto& utterance : e.context) tokens += std::ssize(utterance) + 1;
    tokens += std::ssize(e.response) + 1;
    EXPECT_LE(e.response.size(), 2u);
  }
  EXPECT_EQ(loss.tokens, tokens);
}

// A model that is rewarded for a word says it more and more often.
TEST(PolicyTask, LearnsWhatIsRewarded) {
  const auto model = tiny_model();
  TrainData data = tiny_data();
  while (data.train.size() < 32) {
    Example e = data.train[0];
    e.id += "-" + std::to_string(data.train.size() + 1);
    data.train.push_back(e);
  }
  const TrainSettings settings = tiny_settings(*model);
  const Reward says_it = [](const std::vector<Example>& drawn) {
    std::vector<double> rewards;
    for (const Example& e : drawn) {
      rewards.push_back(e.response == std::vector<int32_t>{5} ? 1.0 : 0.0);
    }
    return rewards;
  };
  const Task task =
      policy_task(*model, settings, data, {.max_length = 2, .teacher_forcing = 0}, says_it);
  std::vector<int64_t> all(data.train.size());
  std::iota(all.begin(), all.end(), 0);
  Adam optimizer(*model, {.rate = 0.03});
  double reward = 0;
  for (int step = 0; step < 120; ++step) {
    zero_grad(*model);
    const Loss loss = task.loss(all, {1, 0, step});
    loss.total.backward();
    optimizer.step();
    reward = loss.counts.at("reward") / loss.counts.at("drawn");
  }
  EXPECT_GT(reward, 0.9);
}

TEST(PolicySettings, RefuseWhatMakesNoTraining) {
  EXPECT_EQ(error_of<UsageError>([] {
              PolicySettings{.max_length = 0}.check();
            }).rfind("max_length: expected a whole number from 1 to 10000", 0),
            0u);
  EXPECT_EQ(error_of<UsageError>([] {
              PolicySettings{.teacher_forcing = -1}.check();
            }).rfind("teacher_forcing: expected a number from 0 on", 0),
            0u);
}

}  // namespace
}  // namespace heed
