// A training of several tasks, which take turns.
#include <atomic>
#include <filesystem>
#include <set>

#include "tests/train/loop_helpers.h"
#include "train/step_log.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Two steps of the first task and one of the second in a round; the second, with three batches, is
// gone through round and round, shuffled anew.
TEST_F(LoopTest, TasksTakeTurns) {
  Point first, second;
  Steps steps;
  settings.max_epochs = 1;
  const std::vector<Task> tasks = {
      pulling(first, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "writer", &steps),
      pulling(second, {1, 2, 3, 4, 5, 6}, "judge", &steps)};
  ASSERT_TRUE(train(run, settings, tasks, {}, {2, 1}));
  std::string order;
  std::vector<std::vector<int64_t>> of_judge;
  for (const auto& [name, examples] : steps) {
    order += name[0];
    if (name == "judge") of_judge.push_back(examples);
  }
  EXPECT_EQ(order, "wwjwwjwwjwwj");
  const auto all = [&](size_t from, size_t to) {
    std::vector<int64_t> seen;
    for (size_t i = from; i < to; ++i)
      seen.insert(seen.end(), of_judge[i].begin(), of_judge[i].end());
    std::sort(seen.begin(), seen.end());
    return seen;
  };
  EXPECT_EQ(all(0, 3), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(all(3, 4).size(), 2u);
  EXPECT_GT(second.value(), 0);
  EXPECT_TRUE(fs::exists(run + "/model.safetensors"));
  EXPECT_TRUE(fs::exists(run + "/judge.safetensors"));
  const EpochLog log = load_log(run).at(0);
  EXPECT_EQ(log.steps, 12);
  EXPECT_GT(value_of(log.metrics, "judgedistance"), 0);
}

TEST_F(LoopTest, SeveralTasksResumeToo) {
  const std::vector<double> to = {1, 2, 3, 4, 5};
  Point a, b, c, d, e, f;
  settings.optimizer.name = "adam";
  ASSERT_TRUE(train(run, settings, {pulling(a, to), pulling(b, to, "judge")}, {}, {1, 3}));
  fs::create_directory(dir.path("other"));
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress& p) { stop = p.epoch == 1 && p.step == 6; };
  EXPECT_FALSE(
      train(dir.path("other"), settings, {pulling(c, to), pulling(d, to, "judge")}, hooks, {1, 3}));
  EXPECT_TRUE(
      train(dir.path("other"), settings, {pulling(e, to), pulling(f, to, "judge")}, {}, {1, 3}));
  EXPECT_EQ(e.value(), a.value());
  EXPECT_EQ(f.value(), b.value());
}

// Two tasks with counts of the same name, their own optimisers, and a gate.
TEST_F(LoopTest, TasksKeepTheirCountsOptimisersAndGatesApart) {
  Point first, second;
  settings.max_epochs = 2;
  settings.max_norm = 100;
  Task one = pulling(first, {3, 3}), other = pulling(second, {5, 5});
  one.name = "one", other.name = "other";
  for (auto& [task, right] : {std::pair<Task&, double>{one, 1}, {other, 10}}) {
    task.loss = [loss = task.loss, right = right](const auto& examples, const StepKey& key) {
      Loss result = loss(examples, key);
      result.counts = {{"right", right}};
      return result;
    };
    task.measure = [&name = task.name](const Counts& counts) {
      return Metrics{{name + "_right", counts.at("right")}};
    };
  }
  other.validate = [](const OnValidation&) { return Metrics{{"other_loss", 1}}; };
  other.optimizer = OptimizerSettings{.name = "adam"};
  other.schedule = HalvingSchedule::Options{.rate = 0.5, .patience = 1};
  ASSERT_TRUE(train(run, settings, {one, other}, {}, {1, 1}));
  const Metrics metrics = load_log(run)[1].metrics;
  const double steps = value_of(metrics, "one_right");
  EXPECT_EQ(value_of(metrics, "other_right"), 10 * steps);
  // Adam's first steps are as long as its rate; the second epoch has it whole, the third half.
  EXPECT_NEAR(second.value(), 0.5 * 2 * steps, 0.2);

  for (const double right : {9, 10}) {
    Point waiting;
    const TempDir fresh;
    Task gated = pulling(waiting, {5, 5});
    gated.name = "gated";
    gated.loss = [loss = gated.loss, right](const auto& examples, const StepKey& key) {
      Loss result = loss(examples, key);
      result.counts = {{"right", right}};
      return result;
    };
    gated.measure = {};
    gated.gate = [](const Counts& counts) { return counts.at("right") < 10; };
    ASSERT_TRUE(train(fresh.path(""), settings, {one, gated}, {}, {1, 1}));
    EXPECT_EQ(waiting.value() > 0, right == 9) << waiting.value();
  }
}

// The rate of a task with a schedule of its own follows the first metric of its validation, and the
// task learns no more when that schedule has ended. Adam's first steps are as long as the rate:
// 0.5 and 0.5, half of it after the second epoch, a quarter, and nothing.
TEST_F(LoopTest, ATasksOwnScheduleHalvesItsRateAndEndsIt) {
  Point first, second;
  Task one = pulling(first, {3, 3}, "one"), other = pulling(second, {100, 100}, "other");
  int epochs = 0;
  other.validate = [&](const OnValidation&) {
    return Metrics{{"stays", 1}, {"falls", 1.0 / ++epochs}};
  };
  other.optimizer = OptimizerSettings{.name = "adam"};
  other.schedule = HalvingSchedule::Options{.rate = 0.5, .patience = 1, .stop_after = 3};
  settings.max_epochs = 3;
  ASSERT_TRUE(train(run, settings, {one, other}, {}, {1, 1}));
  settings.max_epochs = 7;  // and goes on with the schedule that it had
  ASSERT_TRUE(train(run, settings, {one, other}, {}, {1, 1}));
  EXPECT_EQ(epochs, 7);
  EXPECT_NEAR(second.value(), 0.5 + 0.5 + 0.25 + 0.125, 0.01);
}

// A task's own factor is that of the epochs before. Adam's first steps are as long as the rate.
TEST_F(LoopTest, ATasksOwnFactorFollowsTheLog) {
  std::vector<size_t> seen;
  const auto rates = [&](const std::string& name, const TrainHooks& hooks) {
    Point point;
    Task task = pulling(point, std::vector<double>(4, 100.0));
    task.rate_factor = [&](const std::vector<EpochLog>& log) {
      seen.push_back(log.size());
      return 1 / static_cast<double>(1 + log.size());
    };
    fs::create_directories(dir.path(name));
    train(dir.path(name), settings, {task}, hooks);
    std::vector<double> found;
    for (const EpochLog& e : load_log(dir.path(name))) found.push_back(e.rate);
    found.push_back(point.value());
    return found;
  };
  settings.max_epochs = 3;
  settings.optimizer.name = "adam";
  settings.schedule = {.rate = 0.6, .patience = 0};
  settings.log_steps = 1;
  const std::vector<double> whole = rates("whole", {});
  EXPECT_EQ(std::set<size_t>(seen.begin(), seen.end()), (std::set<size_t>{0, 1, 2}));
  ASSERT_EQ(whole.size(), 4u);
  for (int e = 0; e < 3; ++e) EXPECT_DOUBLE_EQ(whole[e], 0.6 / (1 + e));
  const std::vector<StepRecord> steps = load_steps(dir.path("whole"));
  for (const StepRecord& step : steps) EXPECT_DOUBLE_EQ(step.rate, 0.6 / step.epoch);
  EXPECT_EQ(std::ssize(steps) % 3, 0);
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress& p) { stop = p.epoch == 3; };
  rates("parts", hooks);
  EXPECT_EQ(rates("parts", {}), whole);
}

// What runs away is the loss of a whole batch, in however many pieces; the rate that is told is
// that of the task.
TEST_F(LoopTest, ARunawayLossIsToldWithTheRateOfItsTask) {
  Point first, second;
  const std::vector<double> forty(40, 3);
  settings.max_epochs = 1;
  settings.pieces = 2;
  Task one = pulling(first, forty, "one"), other = pulling(second, forty, "other");
  one.guess = 0;  // nothing to compare its loss with
  other.guess = 1;
  other.schedule = HalvingSchedule::Options{.rate = 0.5};
  double nll = 1.4;
  for (Task* task : {&one, &other}) {
    task->loss = [&nll, loss = task->loss](const auto& examples, const StepKey& key) {
      Loss result = loss(examples, key);
      result.nll = nll;
      return result;
    };
  }
  std::vector<std::string> warnings;
  TrainHooks hooks;
  hooks.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  ASSERT_TRUE(train(run, settings, {one, other}, hooks, {1, 1}));
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  nll = 100;
  fs::create_directory(dir.path("far"));
  ASSERT_TRUE(train(dir.path("far"), settings, {one, other}, hooks, {1, 1}));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(has(warnings[0], ": 13.4 nats a token")) << warnings[0];  // 1 + 99 / 8
  EXPECT_TRUE(has(warnings[0], "the learning rate 0.5 seems")) << warnings[0];
}

// A task has the rates that it has alone, whatever the others do: its warm-up and its decay count
// its own steps.
TEST_F(LoopTest, AWarmUpIsOfTheTasksOwnSteps) {
  settings.optimizer.warm_up = 5;
  settings.optimizer.rate_decay = "inverse-sqrt";
  settings.log_steps = 1;
  const auto rates = [&](const std::string& name, const std::vector<int>& turns) {
    Point first, second;
    std::vector<Task> tasks = {pulling(first, {3, 3, 3, 3, 3, 3}, "one")};
    if (turns.size() > 1) tasks.push_back(pulling(second, {5, 5}, "other"));
    fs::create_directory(dir.path(name));
    EXPECT_TRUE(train(dir.path(name), settings, tasks, {}, turns));
    std::vector<double> found;
    for (const StepRecord& step : load_steps(dir.path(name))) {
      if (step.task != "other") found.push_back(step.rate);
    }
    return found;
  };
  const std::vector<double> alone = rates("alone", {1});
  ASSERT_EQ(alone.size(), 9u);
  EXPECT_EQ(rates("in turn", {1, 1}), alone);
  EXPECT_EQ(rates("two and three", {2, 3}), alone);
}

TEST_F(LoopTest, AnyTaskMayEndInItsWarmUp) {
  for (const char* slow : {"one", "other"}) {
    Point first, second;
    Task one = pulling(first, {3, 3}, "one"), other = pulling(second, {5, 5}, "other");
    (one.name == slow ? one : other).optimizer = OptimizerSettings{.warm_up = 100};
    std::vector<std::string> warnings;
    TrainHooks hooks;
    hooks.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    const TempDir fresh;
    ASSERT_TRUE(train(fresh.path(""), settings, {one, other}, hooks, {1, 1}));
    ASSERT_EQ(warnings.size(), 1u) << slow;
    EXPECT_TRUE(has(warnings[0], "after 3 of 100 steps")) << warnings[0];
  }
}

TEST_F(LoopTest, NeedsATurnForEachTask) {
  Point point;
  const std::string expected = "training: expected a number of steps for each task, not all 0";
  for (const std::vector<int>& turns : {std::vector<int>{}, {0}, {-1}, {1, 1}}) {
    EXPECT_EQ(error_of<UsageError>([&] { train(run, settings, {pulling(point, {1})}, {}, turns); }),
              expected);
  }
  EXPECT_EQ(error_of<UsageError>([&] { train(run, settings, {pulling(point, {})}); }),
            "training: a task has no examples");
}

}  // namespace
}  // namespace heed
