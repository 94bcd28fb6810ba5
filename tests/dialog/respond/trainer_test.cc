// Training as a whole: that it learns, and that it is reproducible to the last bit, whatever
// interrupts it.
#include "tensor/async_read.h"
#include "tests/dialog/respond/trainer_helpers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "nn/safetensors.h"

namespace heed {
namespace {

// ---- the same result to the last bit ------------------------------------------------------------

TEST_F(TrainerTest, ThreadsAndRepetitionChangeNothing) {
  run("a");
  run("b");
  set_num_threads(2);
  run("c");
  EXPECT_EQ(result("a"), result("b"));
  EXPECT_EQ(result("a"), result("c"));
  settings.loop.seed = 2;
  run("d");
  EXPECT_NE(result("a")[2], result("d")[2]);
}

TEST_F(TrainerTest, StoppedAfterAnyStepAndResumed) {
  for (const char* structure : {"static-ui", "dynamic", "non-hier"}) {
    settings = small_settings(structure);
    const std::string whole = std::string("whole-") + structure;
    EXPECT_TRUE(run(whole));
    const bool more = settings.model.structure.integration;
    for (const int step : more ? std::vector{1, 4, 5, 6, 10} : std::vector{3}) {
      const std::string name = structure + std::to_string(step);
      StopAfter stop(step);
      EXPECT_FALSE(run(name, stop.hooks)) << step;
      EXPECT_TRUE(run(name)) << step;
      EXPECT_EQ(result(name), result(whole)) << structure << " stopped after step " << step;
    }
  }
}

TEST_F(TrainerTest, StoppedAfterEveryStep) {
  for (const std::string& optimizer : optimizer_names()) {
    settings.loop.optimizer = {.name = optimizer, .weight_decay = 0.01, .warm_up = 7};
    const std::string whole = "whole-" + optimizer, often = "often-" + optimizer;
    run(whole);
    int runs = 0;
    for (bool finished = false; !finished && runs < 100; ++runs) {
      StopAfter stop(1);
      finished = run(often, stop.hooks);
    }
    EXPECT_EQ(runs, 11);  // ten steps, and one that finds all of them done
    EXPECT_EQ(result(often), result(whole)) << optimizer;
  }
}

// Its moments are in the checkpoint, and a checkpoint without them is not gone on with.
TEST_F(TrainerTest, TheOptimiserIsPartOfTheCheckpoint) {
  settings.loop.optimizer.name = "adam";
  StopAfter stop(3);
  run("run", stop.hooks);
  TensorMap saved = load_tensors(path("run/checkpoint-0-3.safetensors"));
  LstmResponder model(settings.model, 1);
  EXPECT_EQ(saved.size(), 3 * parameters(model).size() + 1);
  EXPECT_EQ(saved.at("optimizer.steps").to_vector(),
            std::vector<double>(parameters(model).size(), 3));
  EXPECT_EQ(saved.at("optimizer.m.decoder.output.weight").shape(),
            saved.at("decoder.output.weight").shape());

  settings.loop.optimizer.name = "sgd";
  EXPECT_EQ(error_of<DataError>([&] { run("run"); }),
            path("run/checkpoint-0-3.safetensors") +
                ": the model has no parameter \"optimizer.m.decoder.combine.weight\"");
  settings.loop.optimizer.name = "lbfgs";
  EXPECT_EQ(error_of<UsageError>([&] { run("run"); }),
            "optimizer/name: expected one of sgd, adam, adagrad, got 'lbfgs'");
}

// Settings of before there was a choice.
TEST_F(TrainerTest, SettingsWithoutAnOptimiserMeanSgd) {
  fs::create_directories(path("run"));
  start_run(path("run"), settings, data.vocabulary);
  auto json = nlohmann::json::parse(dir.read("run/settings.json"));
  EXPECT_EQ(json.at("optimizer").at("name"), "sgd");
  json["optimizer"]["name"] = "adam";
  dir.write("run/settings.json", json.dump());
  EXPECT_EQ(load_settings(path("run")).loop.optimizer.name, "adam");
  json.erase("optimizer");
  dir.write("run/settings.json", json.dump());
  EXPECT_EQ(load_settings(path("run")).loop.optimizer.name, "sgd");
}

// The validation can take longer than a batch system waits.
TEST_F(TrainerTest, StoppedInTheValidation) {
  run("whole");
  std::atomic<bool> stop{false};
  int batches = 0;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_validation = [&](int64_t done, size_t examples) {
    EXPECT_EQ(done, 4);  // of 6: the second batch is not begun
    EXPECT_EQ(examples, data.valid.size());
    ++batches;
    stop = true;
  };
  hooks.on_epoch = [](const EpochLog&, bool) { ADD_FAILURE() << "the epoch was finished"; };
  EXPECT_FALSE(run("run", hooks));
  EXPECT_EQ(batches, 1);
  EXPECT_TRUE(fs::exists(path("run/checkpoint-0-5.safetensors")));
  EXPECT_FALSE(fs::exists(path("run/log.jsonl")));
  EXPECT_TRUE(run("run"));
  EXPECT_EQ(result("run"), result("whole"));
}

TEST_F(TrainerTest, CheckpointsBetweenStepsChangeNothing) {
  run("whole");
  TrainHooks hooks;
  hooks.checkpoint_seconds = 0;
  run("saved", hooks);
  EXPECT_EQ(result("saved"), result("whole"));
}

// A kill between the files: each of them may be newer than state.json, which is written last.
TEST_F(TrainerTest, KilledBetweenTwoFiles) {
  run("whole");
  settings.loop.max_epochs = 1;
  run("killed");
  const std::string state = dir.read("killed/state.json");
  const std::string checkpoint = dir.read("killed/checkpoint-1-0.safetensors");
  settings.loop.max_epochs = 2;
  run("killed");
  dir.write("killed/state.json", state);
  dir.write("killed/checkpoint-1-0.safetensors", checkpoint);
  dir.write("killed/state.json.tmp-1", "half a st");
  run("killed");
  EXPECT_EQ(result("killed"), result("whole"));
}

// Killed before the first checkpoint was complete: from the start.
TEST_F(TrainerTest, KilledBeforeTheFirstState) {
  run("whole");
  run("killed");
  fs::remove(path("killed/state.json"));
  run("killed");
  EXPECT_EQ(result("killed"), result("whole"));
}

// ---- learning, and the schedule -----------------------------------------------------------------

// Four dialogues again and again: what is asked first is what is answered. Chance gives 8.
TEST_F(TrainerTest, LearnsToAnswer) {
  data.train = {};
  for (int i = 0; i < 32; ++i) {
    const int32_t word = 6 + i % 4;
    const std::string id = "d" + std::to_string(i);
    data.train.push_back({id, id, {{word}, {10}}, {0, 0}, {word + 5, word + 6}});
  }
  data.valid = data.train;
  settings.insert_prob = 0;
  settings.loop.max_epochs = 60;
  settings.model.num_layers = 1;
  settings.model.dropout = 0;
  settings.model.hidden_size = settings.model.embedding_size = 16;
  settings.loop.schedule = {.rate = 1, .patience = 10};
  for (const char* structure : {"dynamic", "static"}) {
    settings.model.structure = Structure::parse(structure);
    std::vector<EpochLog> log;
    TrainHooks hooks;
    hooks.on_epoch = [&](const EpochLog& e, bool) { log.push_back(e); };
    run(structure, hooks);
    EXPECT_GT(train_perplexity(log.front()), 3);
    EXPECT_LT(train_perplexity(log.back()), 1.2) << structure;
    EXPECT_LT(valid_perplexity(log.back()), 1.2) << structure;
    EXPECT_LT(log.back().loss, log.front().loss / 5) << structure;
  }
}

TEST_F(TrainerTest, AppliesTheSchedule) {
  settings.loop.max_epochs = 6;
  settings.loop.schedule = {.rate = 0.4, .patience = 100, .max_halvings = 3, .halve_after = 2};
  std::vector<EpochLog> log;
  std::vector<char> best;
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochLog& e, bool is_best) {
    log.push_back(e);
    best.push_back(is_best);
  };
  run("run", hooks);
  // Halved after the second epoch and all later ones; a fourth time it would be, and the training
  // ends.
  const std::vector<double> rates = {0.4, 0.4, 0.2, 0.1, 0.05};
  ASSERT_EQ(log.size(), rates.size());
  double lowest = INFINITY;
  for (size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].epoch, static_cast<int>(i) + 1);
    EXPECT_DOUBLE_EQ(log[i].rate, rates[i]);
    EXPECT_EQ(static_cast<bool>(best[i]), valid_perplexity(log[i]) < lowest);
    lowest = std::min(lowest, valid_perplexity(log[i]));
    EXPECT_EQ(log[i].steps, 5);
  }
}

TEST_F(TrainerTest, ARateOfTheScheduleIsTheStepsSize) {
  settings.loop.max_epochs = 1;
  settings.model.dropout = 0;
  const auto change = [&](double rate) {
    settings.loop.schedule.rate = rate;
    const std::string name = "rate" + std::to_string(rate);
    StopAfter stop(1);
    run(name, stop.hooks);
    LstmResponder before(settings.model, settings.loop.seed);
    const TensorMap after = load_tensors(path(name + "/checkpoint-0-1.safetensors"));
    double sum = 0;
    for (const NamedParameter& p : parameters(before)) {
      const auto x = p.var.value().to_vector(), y = after.at(p.name).to_vector();
      for (size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return std::sqrt(sum);
  };
  const double one = change(0.01), ten = change(0.1);
  EXPECT_GT(one, 1e-7);
  EXPECT_NEAR(ten / one, 10, 0.01);
  settings.loop.optimizer.warm_up = 4;  // the first step has a quarter of the rate
  EXPECT_NEAR(change(0.2) / ten, 0.5, 0.001);
}

TEST_F(TrainerTest, TheModelIsTheBestOneAndTheLogHasEveryEpoch) {
  settings.loop.max_epochs = 4;
  settings.loop.schedule.rate = 3;  // restless: the last epoch is seldom the best
  int best_epoch = 0;
  std::string best_model;
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochLog& e, bool best) {
    if (best) best_model = dir.read("run/model.safetensors"), best_epoch = e.epoch;
  };
  run("run", hooks);
  EXPECT_GT(best_epoch, 0);
  EXPECT_EQ(dir.read("run/model.safetensors"), best_model);
  const std::string log = dir.read("run/log.jsonl");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 4);
}

// The loss of the log is that of the responses and `attention_weight` times that of attention,
// which is measured here on the same dialogues with the same model.
TEST_F(TrainerTest, TheAttentionLossCountsByItsWeight) {
  settings.model.dropout = settings.insert_prob = 0;
  settings.loop = {.batch_size = 20, .max_epochs = 1, .schedule = {.rate = 1e-9, .min_rate = 0}};
  edit(data.train, [](std::vector<Example>& examples) {
    for (Example& e : examples) e.distraction[0] = 1;
  });
  LstmResponder model(settings.model, settings.loop.seed);
  double attention = 0, nll = 0;
  for (const DialogueScore& s : score(model, data.train.to_vector(), 20)) {
    attention = std::accumulate(s.attention_loss.begin(), s.attention_loss.end(), attention);
    nll = std::accumulate(s.nll.begin(), s.nll.end(), nll);
  }
  EXPECT_GT(attention, 1);
  for (const double weight : {0.0, 0.5, 3.0}) {
    settings.attention_weight = weight;
    const std::string name = "weight" + std::to_string(weight);
    run(name);
    EXPECT_NEAR(load_log(path(name))[0].loss, (nll + weight * attention) / 20, 1e-4) << weight;
  }
}

// ---- what a step draws --------------------------------------------------------------------------

// A model of strong opinions, whose loss hears every word and every mask.
class RespondTask : public TrainerTest {
 protected:
  RespondTask() {
    settings.insert_prob = 0;
    settings.model.dropout = 0;
    // Utterances of one word, so that nobody has more tokens by other distractions.
    edit(data.pool, [](std::vector<PoolUtterance>& pool) {
      for (PoolUtterance& utterance : pool) utterance.said.tokens.resize(1);
    });
  }
  Loss loss(const StepKey& key, const std::vector<int64_t>& examples = {0, 1, 2, 3, 4, 5}) {
    return respond_task(model, settings, data).loss(examples, key);
  }
  double value(const StepKey& key) { return loss(key).total.value().item(); }
  LstmResponder model = small_model(Structure::parse("static-ui"), DType::f64);
};

TEST_F(RespondTask, DrawsNothingWithoutDistractionsAndDropout) {
  EXPECT_EQ(value({.seed = 1, .epoch = 0, .step = 0}), value({.seed = 2, .epoch = 3, .step = 4}));
}

TEST_F(RespondTask, DrawsDistractionsAnewInEveryEpoch) {
  settings.insert_prob = 1;
  const Loss first = loss({.seed = 1, .epoch = 0}), second = loss({.seed = 1, .epoch = 1});
  EXPECT_EQ(first.tokens, second.tokens);
  EXPECT_GT(std::abs(first.total.value().item() - second.total.value().item()), 1e-3);
  EXPECT_EQ(value({.seed = 1, .epoch = 1}), second.total.value().item());
  EXPECT_EQ(value({.seed = 1, .epoch = 1, .step = 3}), second.total.value().item());
  EXPECT_GT(std::abs(value({.seed = 2, .epoch = 1}) - second.total.value().item()), 1e-3);
  int64_t plain = 0;
  for (int64_t i = 0; i < 6; ++i) plain += example_tokens(data.train[i]);
  EXPECT_EQ(first.tokens, plain + 6 * 2 * 2);  // two of a word and <eou> each
}

TEST_F(RespondTask, DrawsMasksAnewInEveryStepOfEveryEpoch) {
  settings.model.dropout = 0.3;
  const double first = value({.seed = 1, .epoch = 0, .step = 0});
  EXPECT_EQ(value({.seed = 1, .epoch = 0, .step = 0}), first);
  for (const StepKey& other : {StepKey{1, 1, 0}, StepKey{1, 0, 1}, StepKey{2, 0, 0}}) {
    EXPECT_GT(std::abs(value(other) - first), 1e-3);
  }
}

// Of "a a b <eos>" and "a <eos>" by hand; and each word's -ln p by its weight, of which the
// perplexity knows nothing.
TEST_F(RespondTask, RareWordsWeighMore) {
  std::vector<Example> two(2);
  two[0].response = {7, 7, 8};
  two[1].response = {7};
  const PackedList<Example> packed(two);
  const std::vector<double> w = inverse_frequency_weights(packed, 10, 0.5).to_vector();
  const double c = 6 / (std::sqrt(3.0) + 1 + std::sqrt(2.0));
  EXPECT_NEAR(w[7], c / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(w[8], c, 1e-6);
  EXPECT_NEAR(w[kEos], c / std::sqrt(2.0), 1e-6);
  EXPECT_EQ(w[9], 0);

  const double plain = value({.seed = 1});
  const std::vector<DialogueScore> scores = score(model, first(data.train, 6), 3);
  for (const double exponent : {0.4, 1.0}) {
    settings.inverse_frequency = exponent;
    const std::vector<double> weights =
        inverse_frequency_weights(data.train, kTestVocabulary, exponent).to_vector();
    double weighted = 0, nll = 0;
    for (int64_t i = 0; i < 6; ++i) {
      std::vector<int32_t> predicted = data.train[i].response;
      predicted.push_back(kEos);
      ASSERT_EQ(scores[i].nll.size(), predicted.size());
      for (size_t t = 0; t < predicted.size(); ++t) {
        weighted += weights[predicted[t]] * scores[i].nll[t];
        nll += scores[i].nll[t];
      }
    }
    EXPECT_NEAR(plain, nll / 6, 1e-6);
    EXPECT_NEAR(value({.seed = 1}), weighted / 6, 1e-5) << exponent;
    EXPECT_GT(std::abs(weighted - nll), 1) << exponent;
    Loss late = loss({.seed = 1});
    late.late.complete(late, AsyncRead(late.late.tensors).get());
    EXPECT_NEAR(late.counts.at("nll"), nll, 1e-6);
  }
}

// Of all tokens of the epoch so far, and of the dialogues that are not learned from.
TEST_F(RespondTask, MeasuresTheSamePerplexitiesAsScore) {
  const Task task = respond_task(model, settings, data);
  Loss late = loss({}, {0, 1, 2, 3, 4, 5});
  late.late.complete(late, AsyncRead(late.late.tensors).get());
  const Counts counts = late.counts;
  const double train = summarize(score(model, first(data.train, 6), 3)).perplexity,
               valid = summarize(score(model, data.valid.to_vector(), 3)).perplexity;
  EXPECT_NEAR(value_of(task.measure(counts), kTrainPerplexity), train, 1e-9 * train);
  EXPECT_NEAR(value_of(task.validate([](int64_t, int64_t) {}), kValidPerplexity), valid,
              1e-9 * valid);
  EXPECT_GT(std::abs(train - valid), 0.1);
}

}  // namespace
}  // namespace heed
