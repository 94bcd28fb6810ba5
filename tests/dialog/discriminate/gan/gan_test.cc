// A generator and a discriminator that learn from each other: what each is shown, and the run.
#include "dialog/discriminate/gan/gan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "dialog/discriminate/discriminator.h"
#include "dialog/discriminate/gan/run.h"
#include "dialog/respond/structures.h"
#include "optim/optim.h"
#include "tests/dialog/pretrained/tiny_bert.h"
#include "tests/dialog/respond/model_helpers.h"

namespace heed::gan {
namespace {

namespace fs = std::filesystem;

Vocabulary words_of(int count) {
  TokenCounts counts;
  for (int i = 0; i < count; ++i) counts["w" + std::to_string(i)] = 100 - i;
  return Vocabulary::build(counts);
}

// Examples whose human responses are all "w0 w1".
TrainData tiny_data() {
  TrainData data;
  data.vocabulary = words_of(kTestVocabulary - kSpecialTokens);
  for (Example& e : random_examples(12, 3, false)) {
    e.response = {5, 6};
    data.train.push_back(e);
  }
  data.valid = random_examples(6, 4, false);
  for (const Example e : data.train) data.pool.push_back({e.id, e.context[0]});
  return data;
}

Settings tiny_settings() {
  Settings settings;
  settings.generator.model = small_config(Structure::parse("static"));
  settings.generator.attention_weight = 0;
  settings.generator.loop = {.batch_size = 4,
                             .optimizer = {.name = "adam"},
                             .max_epochs = 2,
                             .schedule = {.rate = 0.01, .min_rate = 0, .patience = 100},
                             .keep_every = 1};
  settings.policy.max_length = 4;
  settings.discriminator_steps = 2;
  settings.measured = 5;
  return settings;
}

struct Adversary : testing::Test {
  Players players() { return {*generator, data.vocabulary, discriminator, data.vocabulary}; }

  // Folders of both, and a run that begins with them.
  std::string start_in(const std::string& name) const {
    save_model(dir.path("g"), *generator, data.vocabulary);
    discriminate::Settings of_discriminator;
    of_discriminator.model = discriminator.config();
    fs::create_directory(dir.path("d"));
    discriminate::Runs::start(dir.path("d"), of_discriminator, {data.vocabulary, {}, {}}, "{}");
    save_parameters(dir.path("d/model.safetensors"), discriminator);
    start(dir.path(name), settings, {dir.path("g"), dir.path("d"), {{"valid_words", 3}}, "{}"});
    return dir.path(name);
  }

  const TempDir dir;
  const TrainData data = tiny_data();
  const Settings settings = tiny_settings();
  std::unique_ptr<Responder> generator = make_responder(settings.generator.model, 3);
  mutable Discriminator discriminator{
      {.vocab_size = kTestVocabulary, .embedding_size = 6, .hidden_size = 5}, 4};
};

// The last utterances, in the words of the discriminator, none longer than its own passages.
TEST_F(Adversary, ADiscriminatorReadsItsOwnWords) {
  TokenCounts counts = {{"w1", 3}, {"w0", 2}};
  const Vocabulary others = Vocabulary::build(counts);  // w1 is 5, w0 is 6
  const Players both{*generator, data.vocabulary, discriminator, others};
  Example e{"d#3", "d", {{5}, {5, 6, 7}, std::vector<int32_t>(30, 6)}, {0, 0, 0}, {6, 9, kUnk}};
  const Passage p = passages_of({e}, both).at(0);
  EXPECT_EQ(p.context,
            (std::vector<discriminate::TokenIds>{{6, 5, kUnk}, std::vector<int32_t>(25, 5)}));
  EXPECT_EQ(p.response, (discriminate::TokenIds{5, kUnk, kUnk}));
  EXPECT_EQ(p.id, "d#3");
  e.context.resize(1);  // there are no two
  EXPECT_EQ(passages_of({e}, both)[0].context.size(), 1u);
}

// A word of several pieces is one word to who reads words, and is looked up as one.
TEST_F(Adversary, ADiscriminatorReadsWordsOfPieces) {
  const Vocabulary pieces =
      Vocabulary::build({}, {.max_size = kSmallestOfPieces, .kind = TokenKind::kPieces});
  const Vocabulary words = Vocabulary::build({{"hello", 2}, {"you", 1}});
  const std::vector<std::string> text = {"hello", "there", "you"};
  const std::vector<int32_t> said = pieces.encode(text);
  ASSERT_GT(said.size(), 10u);  // bytes
  const Example e{"d#1", "d", {said}, {0}, said};
  const Passage p = passages_of({e}, {*generator, pieces, discriminator, words}).at(0);
  EXPECT_EQ(p.context.at(0), (discriminate::TokenIds{5, kUnk, 6}));
  EXPECT_EQ(p.response, (discriminate::TokenIds{5, kUnk, 6}));
}

TEST_F(Adversary, TheRewardIsTheProbabilityOfReal) {
  std::vector<Example> examples = data.train.to_vector();
  examples[2].response.clear();
  const auto rewards = rewards_of(examples, players(), 5);
  const auto verdicts =
      discriminate::verdicts_on(discriminator, passages_of(examples, players()), 3);
  for (size_t i = 0; i < examples.size(); ++i) {
    EXPECT_NEAR(rewards[i], i == 2 ? 0 : verdicts[i].p_real, 1e-6) << i;
  }
}

// The human responses are all alike, those of a generator that knows nothing are not.
TEST_F(Adversary, TheDiscriminatorLearnsToTell) {
  const Players both = players();
  const Task task = adversary_tasks(both, settings, data)[1];
  EXPECT_EQ(task.name, "discriminator");
  EXPECT_TRUE(task.measure({}).empty());
  std::vector<int64_t> all(data.train.size());
  std::iota(all.begin(), all.end(), 0);
  Adam optimizer(discriminator, {.rate = 0.02});
  Loss loss;
  const auto before = parameters(*generator)[0].var.value().to_vector();
  for (int step = 0; step < 60; ++step) {
    zero_grad(discriminator);
    loss = task.loss(all, {1, 0, step});
    loss.total.backward();
    optimizer.step();
  }
  EXPECT_GT(value_of(task.measure(loss.counts), kTrainTold), 0.9);
  EXPECT_EQ(loss.counts.at("shown"), 24);
  const auto mean_reward = [&](const std::vector<Example>& examples) {
    const auto rewards = rewards_of(examples, both, 12);
    return std::accumulate(rewards.begin(), rewards.end(), 0.0) / 12;
  };
  EXPECT_GT(mean_reward(data.train.to_vector()), 0.7);
  EXPECT_LT(mean_reward(draw_responses(*generator, data.train.to_vector(), 4, 9).examples), 0.3);
  EXPECT_EQ(parameters(*generator)[0].var.value().to_vector(), before);
}

TEST_F(Adversary, MeasuresTheSameTwice) {
  const Metrics a = measure_players(players(), settings, data),
                b = measure_players(players(), settings, data);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].value, b[i].value) << a[i].name;
  std::vector<Example> first = data.valid.to_vector();
  first.resize(5);
  double right = 0;
  for (const double r : rewards_of(first, players(), 5)) right += r >= 0.5;
  EXPECT_NEAR(value_of(a, kTold), (right / 5 + 1 - value_of(a, kPassed)) / 2, 1e-12);
  EXPECT_GT(value_of(a, kWords), 0);
}

// In batches of any size: one of them, several, with a rest and without.
TEST_F(Adversary, MeasuresTheSameInAnyBatches) {
  const auto measured = [&](int64_t batch_size) {
    Settings s = settings;
    s.generator.loop.batch_size = batch_size;
    return measure_players(players(), s, data);
  };
  const Metrics one = measured(5);
  EXPECT_GT(value_of(one, kDistinct1), 0.2);  // responses differ
  for (const int64_t batch_size : {1, 2, 3}) {
    const Metrics others = measured(batch_size);
    ASSERT_EQ(others.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_NEAR(others[i].value, one[i].value, 1e-5) << one[i].name << batch_size;
    }
  }
}

// In one step the two draw responses of their own.
TEST_F(Adversary, TheDiscriminatorIsNotShownWhatTheGeneratorLearnsFrom) {
  discriminate::Config config = discriminator.config();
  config.dropout = 0;
  Discriminator sure(config, 4);
  const Players both{*generator, data.vocabulary, sure, data.vocabulary};
  std::vector<Example> of_policy;
  const Reward notes = [&](const std::vector<Example>& drawn) {
    of_policy = drawn;
    return std::vector<double>(drawn.size());
  };
  const StepKey key{1, 0, 3};
  const std::vector<int64_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  policy_task(*generator, settings.generator, data, settings.policy, notes).loss(all, key);
  const auto nll_if_shown = [&](const std::vector<Example>& drawn) {
    double sum = 0;
    for (const double p : rewards_of(data.train.to_vector(), both, 12)) sum -= std::log(p);
    const auto verdicts = discriminate::verdicts_on(sure, passages_of(drawn, both), 12);
    for (const auto& verdict : verdicts) sum -= std::log(1 - verdict.p_real);
    return sum / 24;
  };
  const double shown = adversary_tasks(both, settings, data)[1].loss(all, key).nll;
  const uint64_t own = draw_seed(key.seed, "adversary.discriminator", key.number());
  const auto of_discriminator = draw_responses(*generator, data.train.to_vector(), 4, own).examples;
  EXPECT_NEAR(shown, nll_if_shown(of_discriminator), 1e-5);
  EXPECT_GT(std::abs(shown - nll_if_shown(of_policy)), 1e-4);
}

TEST_F(Adversary, GoesOnToTheSameResult) {
  const std::string whole = start_in("whole"), parts = start_in("parts");
  EXPECT_TRUE(train_players(whole, settings, data, Device()));
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  int steps = 0;
  hooks.on_step = [&](const TrainProgress&) { stop = ++steps % 4 == 0; };
  const auto go_on = [&] {
    stop = false;
    return train_players(parts, load_settings_of(parts), data, Device(), hooks);
  };
  for (int i = 0; i < 20 && !go_on(); ++i) {
  }
  for (const char* file : {"log.jsonl", "model.safetensors", "discriminator.safetensors",
                           "epoch-2.safetensors", "epoch-2-discriminator.safetensors"}) {
    EXPECT_EQ(dir.read("whole/" + std::string(file)), dir.read("parts/" + std::string(file)))
        << file;
  }
  const std::vector<EpochLog> log = load_log(whole);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].steps, 3 * (1 + 2));  // 3 batches of contexts
  for (const char* column : {kTrainPerplexity, kTrainReward, kTrainTold, kValidPerplexity, kPassed,
                             kTold, kReward, kDistinct1, kDistinct2, kWords, kDas}) {
    EXPECT_TRUE(std::isfinite(value_of(log[1].metrics, column))) << column;
  }
  // what it began with stays beside what it has become
  EXPECT_EQ(dir.read("whole/generator/model.safetensors"), dir.read("g/model.safetensors"));
  EXPECT_NE(dir.read("whole/model.safetensors"), dir.read("g/model.safetensors"));
  EXPECT_EQ(load_model(whole).model->config().structure.name, "static");
  const auto weights = [&](const char* epoch) {
    return parameters(*load_epoch(whole, epoch).model)[0].var.value().to_vector();
  };
  EXPECT_EQ(weights("last"), weights("2"));  // of the generator, from the checkpoint of both
}

// The encoder is one of the files of the discriminator that the run begins with.
TEST_F(Adversary, ADiscriminatorMayHaveAPretrainedEncoder) {
  discriminate::Settings s = discriminate::Runs::preset("pretrained");
  s.init = imported_tiny_bert(dir);
  s.model.hidden_size = 4;
  s.model.embedding_size = 1;
  s.model.vocab_size = kTestVocabulary;
  s.model.passages = {.context = 1, .min_tokens = 1, .max_tokens = 2};
  fs::create_directory(dir.path("judge"));
  discriminate::Runs::start(dir.path("judge"), s, {data.vocabulary, {}, {}}, "{}");
  save_parameters(dir.path("judge/model.safetensors"),
                  discriminate::Runs::first(dir.path("judge")).model);
  save_model(dir.path("g"), *generator, data.vocabulary);
  fs::create_directory(dir.path("run"));
  start(dir.path("run"), settings, {dir.path("g"), dir.path("judge"), {}, "{}"});
  EXPECT_TRUE(train_players(dir.path("run"), settings, data, Device()));
}

TEST_F(Adversary, ARunSaysWhatItIs) {
  const std::string run = start_in("run");
  EXPECT_TRUE(is_adversary(run));
  const Settings there = load_settings_of(run);
  EXPECT_EQ(there.discriminator_steps, 2);
  EXPECT_EQ(there.policy.max_length, 4);
  EXPECT_EQ(there.measured, 5);
  EXPECT_EQ(there.generator.loop.batch_size, 4);
  EXPECT_EQ(error_of<DataError>([&] { load_settings_of(dir.path("g")); }),
            dir.path("g") + ": not a run of heed adversary (no adversary.json)");
  EXPECT_TRUE(began_with(run, "generator", dir.path("g")));
  EXPECT_TRUE(began_with(run, "discriminator", dir.path("d")));
  // Others of the same sizes are others.
  save_model(dir.path("g"), *make_responder(settings.generator.model, 4), data.vocabulary);
  Discriminator another(discriminator.config(), 5);
  save_parameters(dir.path("d/model.safetensors"), another);
  EXPECT_FALSE(began_with(run, "generator", dir.path("g")));
  EXPECT_FALSE(began_with(run, "discriminator", dir.path("d")));
  const std::string json = dir.read("run/adversary.json");
  EXPECT_NE(json.find("\"valid_words\": 3"), std::string::npos) << json;
  dir.write("run/adversary.json", R"({"generator_steps": 0, "discriminator_steps": 1,
      "teacher_forcing": 1, "max_length": 4, "measured": 5})");
  EXPECT_EQ(
      error_of<DataError>([&] {
        load_settings_of(run);
      }).rfind(run + "/adversary.json: generator_steps: expected a whole number from 1 to 1000", 0),
      0u);
  dir.write("run/adversary.json", "{}");
  error_of<DataError>([&] { load_settings_of(run); });
  fs::remove(run + "/discriminator/vocab.txt");
  error_of<DataError>([&] { train_players(run, settings, data, Device()); });
}

TEST_F(Adversary, AMeasurementSaysHowFarItIs) {
  std::vector<std::pair<int64_t, int64_t>> told;
  const auto on_batch = [&](int64_t done, int64_t of) { told.emplace_back(done, of); };
  measure_players(players(), settings, data, on_batch);  // of five examples, four at once
  EXPECT_EQ(told, (std::vector<std::pair<int64_t, int64_t>>{{4, 5}, {5, 5}}));
}

TEST_F(Adversary, ATrainingBeginsWithTheGeneratorsSettings) {
  save_model(dir.path("g"), *generator, data.vocabulary);
  EXPECT_EQ(settings_to_start_from(dir.path("g")).attention_weight, 0);
  TrainSettings own = settings.generator;
  own.examples.max_turns = 2;
  start_run(dir.path("g"), own, data.vocabulary);
  EXPECT_EQ(settings_to_start_from(dir.path("g")).examples.max_turns, 2);
  // What that one began with may be gone.
  own.init = own.word_vectors = dir.path("gone");
  save_settings(dir.path("g"), own);
  const TrainSettings later = settings_to_start_from(dir.path("g"));
  fs::create_directory(dir.path("run"));
  start_run(dir.path("run"), later, data.vocabulary);
  EXPECT_EQ(parameters(*first_model(dir.path("run"), later))[0].var.value().to_vector(),
            parameters(*generator)[0].var.value().to_vector());
  error_of<DataError>([&] { settings_to_start_from(dir.path("none")); });
}

}  // namespace
}  // namespace heed::gan
