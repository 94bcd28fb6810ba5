// The training loop with tasks that have nothing to do with dialogues.
#include "train/loop.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <thread>

#include "tests/train/loop_helpers.h"
#include "train/checkpoint.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

TEST_F(LoopTest, TrainsATaskAndLogsItsMetrics) {
  Point point;
  EXPECT_TRUE(train(run, settings, {pulling(point, {2, 3, 4, 3})}));
  // Two steps an epoch, of which each goes a fifth of the way to the mean of its examples.
  EXPECT_NEAR(point.value(), 3 * (1 - std::pow(0.8, 6)), 0.5);
  EXPECT_EQ(files(), (std::vector<std::string>{
                         "checkpoint-2-0.safetensors", "checkpoint-3-0.safetensors", "log.jsonl",
                         "model.safetensors", "state.json", "state.previous.json"}));
  const std::vector<EpochLog> log = load_log(run);
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[2].epoch, 3);
  EXPECT_EQ(log[2].steps, 2);
  EXPECT_EQ(log[2].tokens, 4);
  EXPECT_EQ(value_of(log[2].metrics, "seen"), 4);
  // In the first epoch the mean of the norms 2 |x - mean of the examples| of its two steps, of
  // which the first begins at 0: both pairs of examples have means of 2.5 and 3.5, or 3 and 3.
  double nearest = INFINITY;
  for (const double first : {2.5, 3.0, 3.5}) {
    const double x = 0.2 * first, mean = first + (6 - first - x);
    nearest = std::min(nearest, std::abs(log[0].grad_norm - mean));
  }
  EXPECT_LT(nearest, 1e-9) << log[0].grad_norm;
  EXPECT_DOUBLE_EQ(value_of(log[2].metrics, "distance"), 1 + std::abs(point.value() - 3));
  EXPECT_EQ(error_of<DataError>([&] { value_of(log[2].metrics, "perplexity"); }),
            "log.jsonl: no column perplexity");
}

TEST_F(LoopTest, StopsAndGoesOnToTheSameResult) {
  const std::vector<double> to = {1, 2, 3, 4, 5, 6, 7};
  Point straight, broken, resumed;
  settings.optimizer.name = "adam";
  ASSERT_TRUE(train(run, settings, {pulling(straight, to)}));
  fs::create_directory(dir.path("other"));
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress& p) { stop = p.epoch == 2 && p.step == 3; };
  EXPECT_FALSE(train(dir.path("other"), settings, {pulling(broken, to)}, hooks));
  EXPECT_TRUE(train(dir.path("other"), settings, {pulling(resumed, to)}));
  EXPECT_EQ(resumed.value(), straight.value());
  EXPECT_EQ(dir.read("other/log.jsonl"), dir.read("run/log.jsonl"));
}

// The best model and the log stay as they were where an epoch leaves a parameter that is none,
// which a validation need not see.
TEST_F(LoopTest, AnEpochThatBreaksTheModelWritesNothing) {
  Point first, second;
  settings.max_epochs = 1;
  ASSERT_TRUE(train(run, settings, {pulling(first, {3, 3})}));
  const std::string model = dir.read("run/model.safetensors"), log = dir.read("run/log.jsonl");
  settings.max_epochs = 2;
  settings.schedule.rate = 1e308;
  Task task = pulling(second, {3, 3});
  task.validate = [](const OnValidation&) { return Metrics{{"distance", 0.5}}; };
  const std::string error = error_of<Error>([&] { train(run, settings, {task}); });
  EXPECT_EQ(
      error,
      "training: x is not finite any more after epoch 3, step 0; no checkpoint is made of it. "
      "The checkpoint of epoch 2, step 0 stays: go on with --resume and a smaller --rate");
  EXPECT_EQ(dir.read("run/model.safetensors"), model);
  EXPECT_EQ(dir.read("run/log.jsonl"), log);
}

// What a step that found no memory says, before there is a checkpoint and afterwards.
TEST_F(LoopTest, AStepWithoutMemorySaysWhereAndWhatStays) {
  Point point;
  Task task = pulling(point, {3, 3, 3, 3});
  int step = 0, last = 2;
  task.loss = [&, loss = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    if (++step == last) throw std::bad_alloc();
    return loss(examples, key);
  };
  const auto error = [&] { return error_of<DeviceError>([&] { train(run, settings, {task}); }); };
  EXPECT_EQ(error(),
            "training: epoch 1, step 2, 2 examples: out of memory. There is no checkpoint "
            "yet: go on with --resume");
  step = 0, last = 3;
  EXPECT_EQ(error(),
            "training: epoch 2, step 1, 2 examples: out of memory. The checkpoint of epoch "
            "2, step 0 stays: go on with --resume");
  task.loss = [](const auto&, const StepKey&) -> Loss { throw DeviceError("no GPU"); };
  EXPECT_EQ(error(),
            "training: epoch 2, step 1, 2 examples: no GPU. The checkpoint of epoch 2, step 0 "
            "stays: go on with --resume");
}

// Who may have lost the run to somebody else, as after a sleep, is asked before every write: after
// the last step and the validation of an epoch, and before a checkpoint.
TEST_F(LoopTest, WhoHasLostTheRunWritesNothing) {
  Point first, second;
  settings.max_epochs = 1;
  ASSERT_TRUE(train(run, settings, {pulling(first, {2, 3, 4, 3})}));
  const auto contents = [&] {
    std::map<std::string, std::string> all;
    for (const std::string& name : files()) all[name] = dir.read("run/" + name);
    return all;
  };
  const auto before = contents();
  settings.max_epochs = 2;
  struct Lost {};
  TrainHooks hooks;
  hooks.before_write = [] { throw Lost{}; };
  EXPECT_THROW(train(run, settings, {pulling(second, {2, 3, 4, 3})}, hooks), Lost);
  EXPECT_EQ(contents(), before);
  hooks.checkpoint_seconds = 0;  // after every step
  EXPECT_THROW(train(run, settings, {pulling(second, {2, 3, 4, 3})}, hooks), Lost);
  EXPECT_EQ(contents(), before);
}

// What is drawn in a step is a function of the seed, the epoch and the step of the task.
TEST_F(LoopTest, EveryStepHasAKeyOfItsOwn) {
  Point point;
  Task task = pulling(point, {3, 3, 3, 3});
  std::vector<std::string> keys;
  task.loss = [&, loss = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    keys.push_back(std::to_string(key.seed) + " " + std::to_string(key.epoch) + " " +
                   std::to_string(key.step));
    return loss(examples, key);
  };
  settings.seed = 7;
  ASSERT_TRUE(train(run, settings, {task}));
  EXPECT_EQ(keys, (std::vector<std::string>{"7 0 0", "7 0 1", "7 1 0", "7 1 1", "7 2 0", "7 2 1"}));
}

// The loss that is told after a step is the mean of the epoch's steps so far, and metrics are
// theirs.
TEST_F(LoopTest, TellsTheMeanLossOfTheEpoch) {
  Point point;
  Task task = pulling(point, {1, 2, 3, 4, 5, 6, 7});
  std::vector<double> losses;
  size_t seen = 0;  // in the epoch
  task.loss = [&, loss = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    Loss result = loss(examples, key);
    losses.push_back(result.total.value().item());
    seen = (key.step == 0 ? 0 : seen) + examples.size();
    return result;
  };
  int told = 0;
  TrainHooks hooks;
  hooks.on_step = [&](const TrainProgress& p) {
    ++told;
    const auto first = losses.end() - p.step;
    const double mean = std::accumulate(first, losses.end(), 0.0) / static_cast<double>(p.step);
    EXPECT_NEAR(p.loss, mean, 1e-12) << p.epoch << " " << p.step;
    EXPECT_EQ(value_of(p.metrics, "seen"), static_cast<double>(seen)) << p.epoch << " " << p.step;
  };
  ASSERT_TRUE(train(run, settings, {task}, hooks));
  EXPECT_EQ(told, 3 * 4);
}

// A task whose steps take so long at least.
Task slow(Task task, std::chrono::milliseconds time) {
  task.loss = [loss = task.loss, time](const std::vector<int64_t>& examples, const StepKey& key) {
    std::this_thread::sleep_for(time);
    return loss(examples, key);
  };
  return task;
}

// Seconds and tokens are those since it went on, not the steps before.
TEST_F(LoopTest, TimesOnlyTheStepsSinceItWentOn) {
  const std::vector<double> to(10, 3);  // five steps of two examples
  Point first, second;
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress& p) { stop = p.step == 3; };
  settings.max_epochs = 1;
  EXPECT_FALSE(train(run, settings, {pulling(first, to)}, hooks));
  stop = false;
  double left = 0, rate = 0;
  hooks.on_step = [&](const TrainProgress& p) {
    if (p.step == 4) left = p.seconds_left, rate = p.tokens_per_s;
  };
  EXPECT_TRUE(
      train(run, settings, {slow(pulling(second, to), std::chrono::milliseconds(20))}, hooks));
  EXPECT_GE(left, 0.02);              // one step, as the one that was measured
  EXPECT_NEAR(rate * left, 2, 1e-9);  // whose two tokens these are
}

TEST_F(LoopTest, ACheckpointBeginsTheIntervalAnew) {
  Point point;
  settings.max_epochs = 1;
  settings.batch_size = 1;
  TrainHooks hooks;
  hooks.checkpoint_seconds = 0.1;
  int checkpoints = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::duration<double> took{};
  hooks.on_step = [&](const TrainProgress& p) {  // before the step's own checkpoint
    const std::string last = "checkpoint-0-" + std::to_string(p.step - 1) + ".safetensors";
    checkpoints += fs::exists(fs::path(run) / last);
    took = std::chrono::steady_clock::now() - begin;
  };
  const Task task = slow(pulling(point, std::vector<double>(150, 3)), std::chrono::milliseconds(2));
  EXPECT_TRUE(train(run, settings, {task}, hooks));
  EXPECT_GE(checkpoints, 1);
  EXPECT_LE(checkpoints, took.count() / 0.1);
}

// The loss that Task::guess is compared with: 100 nats a token where a guess costs 1, but in one
// step of 20; then always.
TEST_F(LoopTest, ALossThatRunsAwayIsSaidOnce) {
  Point point;
  Task task = pulling(point, std::vector<double>(80, 3));
  task.guess = 1;
  int step = 0;
  int far_from = 1000;
  task.loss = [&, loss = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    Loss result = loss(examples, key);
    result.nll = ++step == 20 ? 4 : step >= far_from ? 100 : 1;
    return result;
  };
  std::vector<std::string> warnings;
  TrainHooks hooks;
  hooks.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  settings.max_epochs = 1;
  ASSERT_TRUE(train(run, settings, {task}, hooks));
  EXPECT_TRUE(warnings.empty()) << warnings[0];  // one bad batch is none
  step = 0, far_from = 30;
  fs::create_directory(dir.path("far"));
  ASSERT_TRUE(train(dir.path("far"), settings, {task}, hooks));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0],
      "training: epoch 1, step 30: the loss runs away: 13.5 nats a token where a uniform guess "
      "costs 1; the learning rate 0.1 seems too large. Stop with Ctrl-C and try a smaller --rate");
}

TEST_F(LoopTest, KeepsModelsOfEpochs) {
  Point point;
  settings.keep_every = 2;
  settings.max_epochs = 5;
  settings.schedule.max_halvings = 100;
  ASSERT_TRUE(train(run, settings, {pulling(point, {3, 3})}));
  EXPECT_FALSE(fs::exists(run + "/epoch-1.safetensors"));
  EXPECT_TRUE(fs::exists(run + "/epoch-2.safetensors"));
  EXPECT_TRUE(fs::exists(run + "/epoch-4.safetensors"));
  EXPECT_FALSE(fs::exists(run + "/epoch-5.safetensors"));
}

TEST_F(LoopTest, AMetricMayRise) {
  Point point;
  Task task = pulling(point, {3, 3});
  double recall = 0.1;
  task.validate = [&](const OnValidation&) {
    recall += 0.1;
    return Metrics{{"recall", recall, /*higher_is_better=*/true}};
  };
  std::vector<bool> best;
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochLog&, bool is_best) { best.push_back(is_best); };
  ASSERT_TRUE(train(run, settings, {task}, hooks));
  EXPECT_EQ(best, (std::vector<bool>{true, true, true}));
}

// Zero and numbers below it are values as all others, and the first epoch may be the worst one.
TEST_F(LoopTest, AnyNumberCanBeTheBestOne) {
  struct Row {
    std::vector<double> values;
    bool higher_is_better;
    std::vector<bool> best;
  };
  for (const Row& row :
       {Row{{0, 0.2, 0.1}, true, {true, true, false}}, Row{{-3, -1, -2}, true, {true, true, false}},
        Row{{1, 0, 0.5}, false, {true, true, false}},
        Row{{0, 0, -1}, false, {true, false, true}}}) {
    const TempDir fresh;
    Point point;
    Task task = pulling(point, {3, 3});
    size_t epoch = 0;
    task.validate = [&](const OnValidation&) {
      return Metrics{{"score", row.values[epoch++], row.higher_is_better}};
    };
    std::vector<bool> best;
    TrainHooks hooks;
    hooks.on_epoch = [&](const EpochLog&, bool is_best) { best.push_back(is_best); };
    settings.max_epochs = 2;  // and goes on with what state.json says
    ASSERT_TRUE(train(fresh.path(""), settings, {task}, hooks));
    settings.max_epochs = 3;
    ASSERT_TRUE(train(fresh.path(""), settings, {task}, hooks));
    EXPECT_EQ(best, row.best) << row.values[0];
    EXPECT_EQ(higher_is_better(load_log(fresh.path(""))[2].metrics, "score"), row.higher_is_better);
  }
}

TEST_F(LoopTest, DoesNotBeginAnewWhereCheckpointsAreLost) {
  Point point;
  ASSERT_TRUE(train(run, settings, {pulling(point, {1, 2})}));
  const std::string model = dir.read("run/model.safetensors");
  for (const char* file : {"/state.json", "/state.previous.json"}) fs::remove(run + file);
  EXPECT_EQ(error_of<DataError>([&] {
              train(run, settings, {pulling(point, {1, 2})});
            }),
            run +
                "/state.json: is missing, as is state.previous.json: the training of 3 epochs "
                "cannot go on; take another --out");
  EXPECT_EQ(dir.read("run/model.safetensors"), model);
}

TEST_F(LoopTest, RefusesACheckpointBehindTheEndOfAnEpoch) {
  Point point;
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress& p) { stop = p.step == 3; };
  EXPECT_FALSE(train(run, settings, {pulling(point, {1, 2, 3, 4, 5, 6, 7})}, hooks));
  EXPECT_EQ(error_of<DataError>([&] {
              train(run, settings, {pulling(point, {1, 2, 3, 4})});
            }),
            run + "/state.json: more steps than an epoch of these examples has");
}

// A square root has no slope at 0, where the point begins.
TEST_F(LoopTest, SaysWhichGradientIsNotFinite) {
  Point point;
  Task task = pulling(point, {3, 3});
  task.loss = [&](const std::vector<int64_t>&, const StepKey&) {
    return Loss{sum(sqrt(point.x)), 1};
  };
  const auto error = [&](bool detect) {
    TrainHooks hooks;
    hooks.detect_anomaly = detect;
    return error_of<Error>([&] { train(run, settings, {task}, hooks); });
  };
  EXPECT_TRUE(has(error(false),
                  "training: the gradient of x is not a finite number in epoch 1, step 1; the step "
                  "was not applied. There is no checkpoint yet"))
      << error(false);
  EXPECT_TRUE(error(true).starts_with("training: epoch 1, step 1: ")) << error(true);
  EXPECT_TRUE(has(error(true), "sqrt")) << error(true);
  task.loss = [&](const std::vector<int64_t>&, const StepKey&) {
    return Loss{sum(point.x) + INFINITY, 1};
  };
  EXPECT_TRUE(error(false).starts_with("training: the loss is not a finite number in "))
      << error(false);
  EXPECT_EQ(point.value(), 0);
}

TEST_F(LoopTest, RefusesANewerFormat) {
  Point point;
  ASSERT_TRUE(train(run, settings, {pulling(point, {1, 2})}));
  std::string state = dir.read("run/state.json");
  const size_t at = state.find("\"format\": 2");
  ASSERT_NE(at, std::string::npos);
  state.replace(at, 11, "\"format\": 3");
  dir.write("run/state.json", state);
  fs::remove(run + "/state.previous.json");
  settings.max_epochs = 4;
  EXPECT_EQ(error_of<DataError>([&] {
              train(run, settings, {pulling(point, {1, 2})});
            }),
            run + "/state.json: has format 3; this program reads up to 2, a newer one wrote it");
}

// What edits them while it trains is noticed by who goes on with it.
TEST_F(LoopTest, GoesOnOnlyWithTheSettingsThatItBeganWith) {
  dir.write("run/config.json", "{}");
  dir.write("run/settings.json", R"({"seed": 1})");
  Point point;
  const std::vector<Task> tasks = {pulling(point, {3, 3})};
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochLog& e, bool) {
    if (e.epoch == 1) dir.write("run/settings.json", R"({"seed": 2})");
  };
  ASSERT_TRUE(train(run, settings, tasks, hooks));
  EXPECT_TRUE(has(error_of<Error>([&] { train(run, settings, tasks); }),
                  run + "/state.json: belongs to other settings than those in settings.json"));
  dir.write("run/settings.json", R"({"seed": 1})");
  EXPECT_TRUE(train(run, settings, tasks));
}

}  // namespace
}  // namespace heed
