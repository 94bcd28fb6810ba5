// steps.jsonl: what it holds, and that a training that was stopped or killed leaves the same lines.
#include "train/step_log.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/file_helpers.h"
#include "tests/train/point_helpers.h"
#include "train/loop.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// An example has three tokens, and the distance stays what it is.
Task counted(Point& point, const std::vector<double>& to, const std::string& name = "") {
  Task task = pulling(point, to, name);
  task.loss = [loss = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    Loss result = loss(examples, key);
    result.tokens *= 3;
    return result;
  };
  task.validate = [](const OnValidation&) { return Metrics{{"distance", 1}}; };
  return task;
}

const std::vector<double> kTargets = {1, 2, 3, 4, 5, 6, 7};  // four steps an epoch

struct StepLogTest : testing::Test {
  StepLogTest() { fs::create_directory(run); }

  bool train_in(const std::string& folder, const TrainHooks& hooks = {}) const {
    Point point;
    return train(folder, settings, {counted(point, kTargets)}, hooks);
  }
  // The lines without what depends on the clock.
  static std::vector<std::string> timeless(const std::string& folder) {
    std::vector<std::string> lines;
    for (const StepRecord& r : load_steps(folder)) {
      std::ostringstream line;
      line.precision(17);
      line << r.step << " " << r.epoch << " " << r.loss << " " << r.rate << " " << r.grad_norm
           << " " << r.tokens;
      for (const Metric& m : r.metrics) line << " " << m.name << " " << m.value;
      lines.push_back(line.str());
    }
    return lines;
  }

  const TempDir dir;
  const std::string run = dir.path("run");
  LoopSettings settings = {
      .batch_size = 2, .max_epochs = 3, .schedule = {.rate = 0.1}, .log_steps = 3};
};

TEST_F(StepLogTest, HasALineForEveryNthStep) {
  ASSERT_TRUE(train_in(run));
  const std::vector<StepRecord> steps = load_steps(run);
  ASSERT_EQ(steps.size(), 4u);  // of 12
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepRecord& r = steps[i];
    EXPECT_EQ(r.step, static_cast<int64_t>(3 * (i + 1)));
    EXPECT_EQ(r.epoch, static_cast<int>((r.step - 1) / 4 + 1));
    EXPECT_EQ(r.tokens, static_cast<int64_t>(3 * value_of(r.metrics, "seen")));
    EXPECT_EQ(r.rate, 0.1 / (1 << (r.epoch > 2)));  // halved once: the distance stays what it is
    EXPECT_GT(r.time, 1.7e9);
    EXPECT_GE(r.tokens_per_s, 1);
    EXPECT_EQ(r.task, "");
  }
  EXPECT_FALSE(has(dir.read("run/steps.jsonl"), "task"));
  // dloss/dx = 2 (x - mean), and of one example loss = (x - target)^2
  const StepRecord& last = steps[3];
  ASSERT_LE(last.tokens, 6);
  if (last.tokens == 3) {
    EXPECT_NEAR(last.grad_norm, 2 * std::sqrt(last.loss), 1e-12);
  }
}

// Who looks at a training that takes hours sees its steps: none waits for longer than a second.
TEST_F(StepLogTest, LinesWaitForASecond) {
  StepLog log(run, 1, 0, nullptr);
  log.start_clock();
  EXPECT_FALSE(log.due());  // there is none
  log.add({.step = 1, .epoch = 1});
  const auto begin = std::chrono::steady_clock::now();
  log.write(false);
  log.add({.step = 2, .epoch = 1});
  const bool due = log.due();
  EXPECT_FALSE(due && std::chrono::steady_clock::now() - begin < std::chrono::seconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  EXPECT_TRUE(log.due());
  EXPECT_EQ(load_steps(run).size(), 1u);
  log.write(false);
  EXPECT_FALSE(log.due());  // there is none
  EXPECT_EQ(load_steps(run).size(), 2u);
}

TEST_F(StepLogTest, IsThereOnlyWhereItIsAskedFor) {
  settings.log_steps = 0;
  ASSERT_TRUE(train_in(run));
  EXPECT_FALSE(fs::exists(run + "/steps.jsonl"));
  EXPECT_TRUE(load_steps(run).empty());
  settings.log_steps = -1;
  EXPECT_EQ(error_of<UsageError>([&] { settings.check(); }),
            "log_steps: expected a whole number from 0 on, got -1");
}

TEST_F(StepLogTest, NamesTheTaskWhereThereAreSeveral) {
  settings.log_steps = 1;
  settings.max_epochs = 1;
  Point first, second;
  ASSERT_TRUE(train(run, settings, {counted(first, kTargets, "one"), counted(second, {5}, "two")},
                    {}, {1, 1}));
  std::string order;
  for (const StepRecord& r : load_steps(run)) order += r.task + " ";
  EXPECT_EQ(order, "one two one two one two one two ");
}

TEST_F(StepLogTest, AValidationIsNotInTheTokensASecond) {
  settings.log_steps = 1;
  settings.max_epochs = 2;
  Point point;
  Task task = counted(point, kTargets);
  task.validate = [](const OnValidation&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return Metrics{{"distance", 1}};
  };
  ASSERT_TRUE(train(run, settings, {task}));
  const StepRecord fifth = load_steps(run)[4];  // the first one after a validation
  EXPECT_GT(fifth.tokens_per_s, static_cast<double>(fifth.tokens) / 0.3);
}

// Those of its own steps: each takes 20 ms at least.
TEST_F(StepLogTest, TokensASecondAreThoseSinceTheLineBefore) {
  settings.log_steps = 2;
  settings.max_epochs = 2;
  Point point;
  Task task = counted(point, std::vector<double>(16, 1));  // eight steps of 6 tokens
  task.loss = [loss = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return loss(examples, key);
  };
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(train(run, settings, {task}));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const std::vector<StepRecord> steps = load_steps(run);
  ASSERT_EQ(steps.size(), 8u);
  double seconds = 0;  // of all lines: not more than there were
  for (const StepRecord& r : steps) {
    EXPECT_LE(r.tokens_per_s, 6 / 0.02) << r.step;
    seconds += 2 * 6 / r.tokens_per_s;
  }
  EXPECT_LT(seconds, 1.1 * took.count());
}

// Lines that cannot be written are lines that a checkpoint would do without: there is none then.
TEST_F(StepLogTest, ACheckpointWaitsForItsLines) {
  settings.log_steps = 1;
  settings.max_epochs = 1;
  settings.batch_size = 1;
  const std::vector<double> many(200, 1);
  Point point;
  ASSERT_TRUE(train(run, settings, {counted(point, many)}));
  const std::string state = dir.read("run/state.json");
  const auto size = fs::file_size(run + "/steps.jsonl");
  for (const auto& entry : fs::directory_iterator(run)) {
    if (entry.path().filename() != "steps.jsonl") {
      ASSERT_LT(2 * entry.file_size(), size) << entry.path();
    }
  }
  settings.max_epochs = 2;
  {
    const FilesUpTo bytes(size);
    EXPECT_TRUE(has(error_of<Error>([&] { train(run, settings, {counted(point, many)}); }),
                    "steps.jsonl: cannot write"));
  }
  EXPECT_EQ(dir.read("run/state.json"), state);
}

// A checkpoint in the middle of an epoch; then lines of later steps, which a kill leaves behind.
TEST_F(StepLogTest, AfterAKillTheLinesAreThoseOfAnUnbrokenRun) {
  ASSERT_TRUE(train_in(run));
  const std::string broken = dir.path("broken");
  fs::create_directory(broken);
  struct Killed {};
  std::vector<std::string> warnings;  // none, also between two lines
  TrainHooks to_the_end;
  to_the_end.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  for (const int at : {2, 7, 9, 10}) {  // steps of the training
    for (const char* half : {"", "{\"step\": 11, \"epo"}) {
      TrainHooks hooks = to_the_end;
      hooks.checkpoint_seconds = 0;
      hooks.on_step = [&](const TrainProgress& p) {
        if (int64_t{4} * (p.epoch - 1) + p.step != at) return;
        std::ofstream(broken + "/steps.jsonl", std::ios::app)
            << R"({"step": 300, "epoch": 9, "loss": 1, "rate": 1, "grad_norm": 1, "tokens": 1, )"
            << R"("time": 1, "tokens_per_s": 1})"
            << "\n"
            << half;
        throw Killed{};
      };
      EXPECT_THROW(train_in(broken, hooks), Killed) << at;
    }
  }
  ASSERT_TRUE(train_in(broken, to_the_end));
  EXPECT_EQ(timeless(broken), timeless(run));
  EXPECT_EQ(dir.read("broken/log.jsonl"), dir.read("run/log.jsonl"));
  EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST_F(StepLogTest, SaysThatLinesAreMissing) {
  settings.max_epochs = 2;
  ASSERT_TRUE(train_in(run));
  const std::vector<std::string> lines = timeless(run);
  dir.write("run/steps.jsonl", "not ours\n" + dir.read("run/steps.jsonl"));
  settings.max_epochs = 3;
  std::vector<std::string> warnings;
  TrainHooks hooks;
  hooks.on_warning = [&](const std::string& text) { warnings.push_back(text); };
  ASSERT_TRUE(train_in(run, hooks));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], run +
                             "/steps.jsonl: the lines after step 0 are missing or damaged; it "
                             "goes on at step 9");
  ASSERT_EQ(load_steps(run).size(), 2u);
  EXPECT_EQ(load_steps(run)[0].step, 9);
}

// Who may have lost the run to somebody else is asked before every write.
TEST_F(StepLogTest, WhoHasLostTheRunWritesNoStep) {
  struct Lost {};
  TrainHooks hooks;
  hooks.before_write = [] { throw Lost{}; };
  EXPECT_THROW(train_in(run, hooks), Lost);
  EXPECT_EQ(dir.read("run/steps.jsonl"), "");
}

std::string line(int64_t step) {
  return R"({"step":)" + std::to_string(step) +
         R"(,"epoch":1,"loss":2.5,"x":0.5,"rate":0.1,"grad_norm":3,"tokens":7,"time":1,)"
         R"("tokens_per_s":9,"note":"of somebody"})"
         "\n";
}

TEST_F(StepLogTest, IsReadWhileItGrows) {
  dir.write("run/steps.jsonl", line(1) + line(2).substr(0, 20));
  StepReader reader(run);
  ASSERT_EQ(reader.next()->step, 1);
  EXPECT_FALSE(reader.next());
  std::ofstream(run + "/steps.jsonl", std::ios::app) << line(2).substr(20) << line(3);
  const auto second = reader.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->step, 2);
  EXPECT_EQ(second->loss, 2.5);
  ASSERT_EQ(second->metrics.size(), 1u);
  EXPECT_EQ(second->metrics[0].name, "x");
  EXPECT_EQ(reader.next()->step, 3);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.bytes(), fs::file_size(run + "/steps.jsonl"));
}

TEST_F(StepLogTest, RefusesWhatIsNotItsOwn) {
  const auto fails = [&](const std::string& text, const std::string& says) {
    const std::string path = dir.write("run/steps.jsonl", text);
    const std::string error = error_of<DataError>([&] { load_steps(run); });
    EXPECT_EQ(error.rfind(path + says, 0), 0u) << error;
  };
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = line(5);
    return text.replace(text.find(from), from.size(), to);
  };
  fails("no\n", ":1: not what heed writes there");
  fails(line(1) + "[1]\n", ":2: not a JSON object");
  fails(with("\"loss\":2.5,", ""), ":1: 'loss' is missing");
  fails(with("\"step\":5", "\"step\":1e300"), ":1: 'step' has the wrong type");
  fails(with("\"step\":5", "\"step\":0"), ":1: step or epoch is out of range");
  for (const char* epoch : {"0", "4294967297"}) {
    fails(with("\"epoch\":1", std::string("\"epoch\":") + epoch),
          ":1: step or epoch is out of range");
  }
  fails(with("\"rate\":0.1", "\"rate\":null"), ":1: 'rate' has the wrong type");
  fails(std::string(200000, ' '), ":1: a line is longer than 65536 bytes");
  fails(std::string(60000, '[') + "\n", ":1: not what heed writes there");
  fs::remove(run + "/steps.jsonl");
  ASSERT_EQ(mkfifo((run + "/steps.jsonl").c_str(), 0600), 0);
  EXPECT_EQ(error_of<DataError>([&] { load_steps(run); }),
            run + "/steps.jsonl: is not a regular file");
}

}  // namespace
}  // namespace heed
