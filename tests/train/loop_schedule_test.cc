// When a training stops, and the rates that its steps have: warm-up, decay, and those of groups.
#include <atomic>
#include <cmath>
#include <filesystem>

#include "tests/train/loop_helpers.h"

namespace heed {
namespace {

TEST_F(LoopTest, StopsAfterEpochsWithoutABetterOne) {
  settings.max_epochs = 20;
  settings.schedule.stop_after = 3;
  settings.schedule.patience = 100;
  Point point;
  Task task = pulling(point, {3, 3});
  int epoch = 0;
  task.validate = [&](const OnValidation&) {
    return Metrics{{"loss", ++epoch == 4 ? 1.0 : 2.0 + epoch}};
  };
  ASSERT_TRUE(train(run, settings, {task}));
  EXPECT_EQ(load_log(run).size(), 7u);  // the fourth was the best one
}

// A warm-up is that of the training, over all epochs: rates of 1/8, 2/8, ..., then the whole.
TEST_F(LoopTest, WarmsUpOnce) {
  Point point;
  settings.optimizer.warm_up = 8;
  settings.max_norm = 100;
  settings.schedule.patience = 100;
  Task task = pulling(point, std::vector<double>(10, 3));
  std::vector<double> values = {0};
  TrainHooks hooks;
  hooks.on_step = [&](const TrainProgress&) { values.push_back(point.value()); };
  ASSERT_TRUE(train(run, settings, {task}, hooks));
  ASSERT_EQ(values.size(), 16u);
  for (size_t i = 1; i < values.size(); ++i) {  // x += 0.1 2 (3 - x) of the rate
    const double part = (values[i] - values[i - 1]) / (0.2 * (3 - values[i - 1]));
    EXPECT_NEAR(part, std::min(1.0, static_cast<double>(i) / 8), 1e-9) << i;
  }
}

// Five steps an epoch, three epochs. A training that its schedule ends early is told from one that
// was planned too short.
TEST_F(LoopTest, SaysThatATrainingEndsInItsWarmUp) {
  const auto warnings_of = [&](const std::string& name, int warm_up) {
    Point point;
    settings.optimizer.warm_up = warm_up;
    std::vector<std::string> warnings;
    TrainHooks hooks;
    hooks.on_warning = [&](const std::string& text) { warnings.push_back(text); };
    std::filesystem::create_directory(dir.path(name));
    Task task = pulling(point, std::vector<double>(10, 3));
    int epoch = 0;
    task.validate = [&](const OnValidation&) { return Metrics{{"loss", 1.0 + epoch++}}; };
    EXPECT_TRUE(train(dir.path(name), settings, {task}, hooks));
    return warnings;
  };
  const auto says = [](int steps, int warm_up) {
    return "training: ends within its warm-up, after " + std::to_string(steps) + " of " +
           std::to_string(warm_up) +
           " steps: the learning rate never grows to its size. Take a smaller --warm-up, or more "
           "--epochs";
  };
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(warnings_of("a", 15), Warnings());
  EXPECT_EQ(warnings_of("b", 16), Warnings{says(15, 16)});
  settings.max_epochs = 100;
  settings.schedule.patience = 100;
  settings.schedule.stop_after = 2;
  EXPECT_EQ(warnings_of("c", 16), Warnings{says(15, 16)});
  EXPECT_EQ(warnings_of("d", 15), Warnings());
  EXPECT_EQ(warnings_of("e", 501), Warnings{says(500, 501)});  // and not once more, for 15 steps
}

// And so is a decay: 1/4, 2/4, ... 1, then sqrt(4 / step). A training that stops goes on with it.
TEST_F(LoopTest, DecaysAfterTheWarmUpAlsoWhenResumed) {
  Point point;
  settings.optimizer.warm_up = 4;
  settings.optimizer.rate_decay = "inverse-sqrt";
  settings.max_norm = 100;
  settings.schedule.patience = 100;
  std::vector<double> values = {0};
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress&) {
    values.push_back(point.value());
    stop = values.size() == 8;
  };
  EXPECT_FALSE(train(run, settings, {pulling(point, std::vector<double>(10, 3))}, hooks));
  ASSERT_TRUE(train(run, settings, {pulling(point, std::vector<double>(10, 3))}, hooks));
  ASSERT_EQ(values.size(), 16u);
  for (size_t i = 1; i < values.size(); ++i) {  // x += 0.1 2 (3 - x) of the rate
    const double part = (values[i] - values[i - 1]) / (0.2 * (3 - values[i - 1]));
    const double step = static_cast<double>(i);
    EXPECT_NEAR(part, std::min(step / 4, std::sqrt(4 / step)), 1e-9) << i;
  }
}

TEST_F(LoopTest, RefusesADecayWithoutAWarmUp) {
  OptimizerSettings optimizer{.rate_decay = "inverse-sqrt"};
  EXPECT_EQ(error_of<UsageError>([&] { optimizer.check(); }),
            "rate_decay: inverse-sqrt needs a warm-up of 1 step or more");
  optimizer.rate_decay = "fast";
  EXPECT_EQ(error_of<UsageError>([&] { optimizer.check(); }),
            "optimizer/rate_decay: expected one of none, inverse-sqrt, got 'fast'");
}

TEST_F(LoopTest, RefusesAHalvingThatWouldEndTheTraining) {
  settings.schedule.halve_after = 2;
  settings.check();
  settings.schedule.max_halvings = 0;
  EXPECT_EQ(error_of<UsageError>([&] { settings.check(); }),
            "halve_after: this training ends where it would halve its rate");
}

// A rate may be as low as the lowest one, and where nothing halves it also lower.
TEST_F(LoopTest, RefusesALowestRateAboveTheRate) {
  HalvingSchedule::Options& schedule = settings.schedule;
  const auto refused = [&](double lowest) {
    schedule.min_rate = lowest;
    return error_of<UsageError>([&] { settings.check(); });
  };
  const std::string why =
      "min_rate: is above the rate, so that training would end instead of halving it";
  for (const auto& [patience, halve_after] : {std::pair(2, 0), {0, 2}}) {
    schedule.patience = patience, schedule.halve_after = halve_after;
    schedule.min_rate = 0.1;  // the rate
    EXPECT_NO_THROW(settings.check());
    EXPECT_EQ(refused(0.11), why);
  }
  schedule.patience = schedule.halve_after = 0;
  EXPECT_NO_THROW(settings.check());
}

TEST_F(LoopTest, GroupsHaveRatesOfTheirOwn) {
  for (const char* optimizer : {"sgd", "adam"}) {
    Point point;
    settings.optimizer = {.name = optimizer, .groups = {{.name = "x", .rate = 0}}};
    std::filesystem::create_directory(dir.path(optimizer));
    ASSERT_TRUE(train(dir.path(optimizer), settings, {pulling(point, {3, 3})}));
    EXPECT_EQ(point.value(), 0) << optimizer;
  }
}

}  // namespace
}  // namespace heed
