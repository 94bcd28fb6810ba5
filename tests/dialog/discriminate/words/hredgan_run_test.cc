// A generator and its discriminator of words in a run: what each learns, stopped and resumed, and
// what the discriminator then ranks.
#include <gtest/gtest.h>

#include "dialog/discriminate/words/hredgan.h"
#include "dialog/parts/nbest.h"
#include "dialog/respond/structures.h"
#include "nn/init.h"
#include "optim/optim.h"
#include "tests/dialog/respond/trainer_helpers.h"
#include "train/step_log.h"

namespace heed::words {
namespace {

class HredganTest : public TrainerTest {
 protected:
  HredganTest() {
    settings = small_settings("hred-attention");
    settings.model.noise = Noise::kUtterance;
    settings.insert_prob = 0;
    settings.loop.schedule.rate = 0.1;
  }
  bool train_both(const std::string& name, const TrainHooks& hooks = {}) {
    fs::create_directories(path(name));
    if (!fs::exists(path(name + "/discriminator.json"))) {
      save_settings(path(name), players);
      start_run(path(name), settings, data.vocabulary);
    }
    return words::train(path(name), load_settings(path(name)), load_settings_of(path(name)), data,
                        Device(), hooks);
  }
  std::vector<std::string> files(const std::string& name) const {
    std::vector<std::string> all = result(name);
    all.push_back(dir.read(name + "/discriminator.safetensors"));
    return all;
  }
  Settings players;
};

TEST_F(HredganTest, StoppedAndResumed) {
  for (const std::string mode : {kRanker, kStraightThrough}) {
    players.mode = mode;
    players.generator_from = 0.3;
    players.discriminator_until = 0.7;
    const std::string whole = "whole-" + mode, parts = "parts-" + mode;
    EXPECT_TRUE(train_both(whole));
    StopAfter stop(3);
    EXPECT_FALSE(train_both(parts, stop.hooks));
    EXPECT_TRUE(train_both(parts));
    EXPECT_EQ(files(parts), files(whole));
  }
}

// A generator never hears of a ranker: it is as if trained alone.
TEST_F(HredganTest, ARankerLeavesTheGeneratorAlone) {
  settings.loop.optimizer.warm_up = 15;  // of its own steps
  EXPECT_TRUE(train_both("both"));
  EXPECT_TRUE(run("alone"));
  EXPECT_EQ(dir.read("both/model.safetensors"), dir.read("alone/model.safetensors"));
}

TEST_F(HredganTest, AShutGateLeavesTheDiscriminatorAsItWas) {
  players.discriminator_until = 0;
  EXPECT_TRUE(train_both("run"));
  WordDiscriminator first(settings.model), last(settings.model);
  init(first, settings.loop.seed);
  load_parameters(path("run/discriminator.safetensors"), last);
  for (size_t i = 0; i < parameters(first).size(); ++i) {
    EXPECT_EQ(parameters(first)[i].var.value().to_vector(),
              parameters(last)[i].var.value().to_vector());
  }
}

// Both players begin by xavier_uniform where it is chosen; only matrices do.
TEST_F(HredganTest, BeginsByXavier) {
  settings.loop.schedule = {.rate = 1e-30, .min_rate = 0};
  players.discriminator_until = 0;
  EXPECT_TRUE(train_both("usual"));
  settings.xavier = true;
  EXPECT_TRUE(train_both("xavier"));
  int matrices = 0;
  const auto expect_begins = [&](const Module& usual, const Module& xavier) {
    for (size_t i = 0; i < parameters(usual).size(); ++i) {
      const NamedParameter before = parameters(usual)[i], p = parameters(xavier)[i];
      const Shape shape = p.var.shape();
      matrices += shape.rank() == 2;
      EXPECT_EQ(p.var.value().to_vector(),
                (shape.rank() == 2 ? xavier_uniform(shape, init_key(settings.loop.seed, p.name))
                                   : before.var.value())
                    .to_vector())
          << p.name;
    }
  };
  const LoadedModel usual = load_model(path("usual")), xavier = load_model(path("xavier"));
  expect_begins(*usual.model, *xavier.model);
  WordDiscriminator first(settings.model), second(settings.model);
  load_parameters(path("usual/discriminator.safetensors"), first);
  load_parameters(path("xavier/discriminator.safetensors"), second);
  expect_begins(first, second);
  EXPECT_GT(matrices, 15);
}

// The rate after epochs with these losses of D: it falls where one has risen twice in a row.
TEST(RateFactor, FallsWhereTheLossHasRisenTwiceInARow) {
  const auto factor = [](const std::vector<double>& losses) {
    std::vector<EpochLog> log;
    for (const double loss : losses) log.push_back({.metrics = {{kAdversarialLoss, loss}}});
    return rate_factor(log, 0.5);
  };
  EXPECT_EQ(factor({}), 1);
  EXPECT_EQ(factor({1, 2}), 1);
  EXPECT_EQ(factor({1, 2, 3}), 0.5);
  EXPECT_EQ(factor({1, 2, 2}), 1);
  EXPECT_EQ(factor({2, 2, 3}), 1);
  EXPECT_EQ(factor({1, 2, 3, 4}), 0.25);
  EXPECT_EQ(factor({1, 2, 3, 1, 2, 3, 2}), 0.25);
  EXPECT_EQ(factor({3, 1, 2, 1, 2}), 1);
}

// The logged rate is the rule's, also of a run that was stopped, and D's steps have it, too.
TEST_F(HredganTest, TheRateFollowsTheLossOfD) {
  settings.loop.max_epochs = 8;
  settings.loop.optimizer.name = "adam";  // with the sign of a gradient, so that the loss wavers
  settings.loop.schedule = {.rate = 0.2, .patience = 0};
  settings.loop.log_steps = 1;
  players.adversary_decay = 0.9;
  EXPECT_TRUE(train_both("whole"));
  const std::vector<EpochLog> log = load_log(path("whole"));
  ASSERT_EQ(log.size(), 8u);
  for (size_t e = 0; e < 8; ++e) {
    EXPECT_DOUBLE_EQ(log[e].rate, 0.2 * rate_factor({log.begin(), log.begin() + e}, 0.9));
  }
  EXPECT_LT(log[7].rate, 0.2);
  for (const StepRecord& step : load_steps(path("whole"))) {
    EXPECT_DOUBLE_EQ(step.rate, log[step.epoch - 1].rate) << step.task;
  }
  StopAfter stop(65);
  EXPECT_FALSE(train_both("parts", stop.hooks));
  EXPECT_TRUE(train_both("parts"));
  EXPECT_EQ(files("parts"), files("whole"));
}

// A finished generator gets a discriminator, which decides by itself which epoch is its best.
TEST_F(HredganTest, TheDiscriminatorLearnsAlone) {
  EXPECT_TRUE(run("finished"));
  settings.init = path("finished");
  settings.loop.max_epochs = 8;
  settings.loop.schedule.rate = 0.5;
  players.generator_steps = 0;
  players.discriminator_steps = 2;
  double highest = 0;
  int best_epochs = 0;
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochLog& e, bool best) {
    EXPECT_EQ(best, value_of(e.metrics, kAucTaught) > highest);
    highest = std::max(highest, value_of(e.metrics, kAucTaught));
    best_epochs += best;
  };
  EXPECT_TRUE(train_both("run", hooks));
  EXPECT_GT(best_epochs, 1);
  EXPECT_EQ(dir.read("run/model.safetensors"), dir.read("finished/model.safetensors"));
  WordDiscriminator first(settings.model), last(settings.model);
  init(first, settings.loop.seed);
  load_parameters(path("run/discriminator.safetensors"), last);
  for (size_t i = 0; i < parameters(first).size(); ++i) {
    EXPECT_NE(parameters(first)[i].var.value().to_vector(),
              parameters(last)[i].var.value().to_vector())
        << parameters(first)[i].name;
  }
  const std::vector<EpochLog> log = load_log(path("run"));
  ASSERT_GE(log.size(), 3u);
  for (const EpochLog& e : log) {
    EXPECT_EQ(e.steps, 5);  // a pass of D through the 20 examples
    EXPECT_EQ(valid_perplexity(e), valid_perplexity(log[0]));
  }
  EXPECT_NE(value_of(log[0].metrics, kTrainTold), value_of(log[2].metrics, kTrainTold));

  StopAfter stop(7);
  EXPECT_FALSE(train_both("parts", stop.hooks));
  EXPECT_TRUE(train_both("parts"));
  for (const char* file : {"model.safetensors", "discriminator.safetensors", "log.jsonl"}) {
    EXPECT_EQ(dir.read(std::string("parts/") + file), dir.read(std::string("run/") + file));
  }
}

// A discriminator of words has nothing to say of a response without one.
TEST_F(HredganTest, SomeResponsesHaveNoWords) {
  double said = 0;
  edit(data.train, [&](auto& all) {
    all[3].response.clear();
    for (const Example& e : all) said += !e.response.empty();
  });
  edit(data.valid, [](auto& all) { all[5].response.clear(); });
  settings.loop.batch_size = 1;
  for (const char* mode : {kRanker, kSoft}) {
    players.mode = mode;
    players.generator_from = 0;
    EXPECT_TRUE(train_both(mode));
  }
  const EpochLog log = load_log(path("soft")).at(0);
  EXPECT_DOUBLE_EQ(value_of(log.metrics, kTrainHeard), said / 20);
}

TEST_F(HredganTest, AGroupMayBeOfTheGeneratorAlone) {
  settings.loop.optimizer.groups = {{.name = "decoder", .rate = 0.5}};
  EXPECT_TRUE(train_both("run"));
}

// Texts get the scores of load_judge(), in any batch.
TEST_F(HredganTest, RanksTexts) {
  EXPECT_TRUE(train_both("run"));
  EXPECT_TRUE(has_discriminator(path("run")));
  EXPECT_FALSE(has_discriminator(dir.path("")));
  const LoadedModel loaded = load_model(path("run"));
  const Judge judge = load_judge(path("run"), *loaded.model);
  const std::vector<NBest> lists = {{{"w5 w6", "w7"}, {"w8 w9 w10", "", "w11"}},
                                    {{"w12"}, {"w8 w9", "w13 w6 w6 w6"}}};
  const auto scores = score(*load_ranker(path("run"), Device()), lists, 2);
  for (size_t i = 0; i < lists.size(); ++i) {
    for (size_t k = 0; k < lists[i].responses.size(); ++k) {
      Dialogue d{"d", {}};
      for (const std::string& text : lists[i].context) d.turns.push_back({"", text});
      d.turns.push_back({"", lists[i].responses[k]});
      const std::vector<Example> one = make_examples({d}, loaded.vocabulary, {.min_turns = 2});
      const Batch batch = make_batch(pointers(one), loaded.model->parts());
      EXPECT_NEAR(scores[i][k], judge(batch, {{0, one[0].response}})[0], 1e-5) << i << k;
    }
  }
  EXPECT_EQ(scores[0][1], kWorst);
  EXPECT_NE(scores[0][0], scores[0][2]);
}

TEST_F(HredganTest, RefusesWhatIsNotThere) {
  players.mode = "rank";
  EXPECT_EQ(error_of<UsageError>([&] { players.check(); }),
            "mode: expected one of ranker, soft, straight-through, got 'rank'");
  players.mode = kRanker;
  players.generator_from = 2;
  EXPECT_EQ(error_of<UsageError>([&] { players.check(); }),
            "generator_from: expected a number from 0 to 1, got 2");
  const auto model = make_responder(small_config(Structure::parse("dynamic")), 1);
  EXPECT_NE(error_of<UsageError>([&] { load_judge(dir.path(""), *model); }).find("not dynamic"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::words
