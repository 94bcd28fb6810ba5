// What a worker tells of a training, and that it waits for the runs that another one has.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "experiments/engine/runs/failure.h"
#include "experiments/engine/runs/overview.h"
#include "experiments/engine/runs/times.h"
#include "experiments/engine/runs/worker.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Kind = WorkerNews::Kind;

// Runs a-seed1 and b-seed1, of three epochs each.
class WorkerTells : public testing::Test {
 protected:
  WorkerTells() {
    plan.out = dir.path("out");
    plan.runs = select_runs({"a", "b"}, 1, 1, {});
    plan.train = [](const PlannedRun&, const std::string&, Device, const TrainHooks&) {
      return true;
    };
    plan.measure = [](const PlannedRun&, const std::string& directory, Device, const OnMeasuring&) {
      std::ofstream(directory + "/evaluation.json") << "{}\n";
    };
    plan.train_metric = plan.valid_metric = "loss";
    plan.kind = [](const PlannedRun&) { return "one"; };
    plan.max_epochs = [](const PlannedRun&) { return 3; };
  }
  std::vector<WorkerNews> work_once(double checkpoint_seconds = 300) {
    std::vector<WorkerNews> told;
    const bool done = work(plan, {.lease = {.beat = 0.05, .dead_after = 60},
                                  .checkpoint_seconds = checkpoint_seconds,
                                  .news = [&](const WorkerNews& n) {
                                    told.push_back(n);
                                    if (n.kind == Kind::kWaiting) waits = true;
                                  }});
    EXPECT_TRUE(done);
    return told;
  }
  const TempDir dir;
  Plan plan;
  std::atomic<bool> waits = false;
};

// A quarter of an epoch is done and 30 seconds of it are left: it takes 40.
TEST_F(WorkerTells, HowFarATrainingIs) {
  plan.runs.resize(1);
  plan.train = [](const PlannedRun&, const std::string&, Device, const TrainHooks& hooks) {
    EXPECT_EQ(hooks.checkpoint_seconds, 7);
    TrainProgress step{.epoch = 1, .max_epochs = 3, .step = 1, .steps = 4};
    step.seconds_left = 30;
    step.metrics = {{"loss", 0.5}};
    hooks.on_step(step);
    step.step = 4;
    hooks.on_step(step);
    EpochLog log;
    log.epoch = 1;
    log.metrics = {{"loss", 0.25}};
    hooks.on_epoch(log, true);
    return true;
  };
  const std::vector<WorkerNews> told = work_once(7);
  ASSERT_GE(told.size(), 4u);
  EXPECT_EQ(told[1].kind, Kind::kTraining);
  EXPECT_EQ(told[1].part, 0.25);
  EXPECT_EQ(told[1].metric, 0.5);
  EXPECT_DOUBLE_EQ(told[1].seconds, 40);
  EXPECT_EQ(told[2].seconds, 0);  // of a whole epoch its own time is told
  EXPECT_EQ(told[3].kind, Kind::kEpoch);
  EXPECT_TRUE(told[3].epoch == 1 && told[3].max_epochs == 3);
  EXPECT_EQ(told[3].metric, 0.25);
}

// One that goes on from a checkpoint takes less than a whole one.
TEST_F(WorkerTells, TimesOfWholeEpochsAlone) {
  plan.runs.resize(1);
  plan.train = [](const PlannedRun&, const std::string&, Device, const TrainHooks& hooks) {
    EpochLog log;
    log.metrics = {{"loss", 0.25}};
    for (const int64_t first : {3, 1, 2}) {
      TrainProgress step{.epoch = 1, .max_epochs = 3, .step = first, .steps = 4};
      step.metrics = log.metrics;
      for (; step.step <= step.steps; ++step.step) hooks.on_step(step);
      hooks.on_epoch(log, true);
    }
    return true;
  };
  work_once();
  EXPECT_EQ(load_times(plan.directory(plan.runs[0])).epochs.size(), 1u);
}

TEST_F(WorkerTells, TheSecondsOfAMeasurement) {
  plan.measure = [](const PlannedRun&, const std::string& directory, Device, const OnMeasuring&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::ofstream(directory + "/evaluation.json") << "{}\n";
  };
  work_once();
  for (const PlannedRun& one : plan.runs) {
    const double seconds = load_times(plan.directory(one)).evaluation;
    EXPECT_TRUE(seconds >= 0.02 && seconds < 100) << seconds;
  }
}

// It goes on later, so it is neither finished nor failed.
TEST_F(WorkerTells, AMeasurementIsGivenUpWhereItTellsHowFarItIs) {
  plan.runs.resize(1);
  std::atomic<bool> stop = false;
  plan.measure = [&](const PlannedRun&, const std::string&, Device, const OnMeasuring& progress) {
    stop = true;
    progress("none", 0.5);
    ADD_FAILURE() << "goes on";
  };
  EXPECT_FALSE(work(plan, {.lease = {.beat = 0.05, .dead_after = 60}, .stop = &stop}));
  EXPECT_FALSE(plan.is_finished(plan.runs[0]));
  EXPECT_FALSE(load_failure(plan.directory(plan.runs[0])));
}

TEST_F(WorkerTells, ThatItWaitsForAnother) {
  const std::string first = plan.directory(plan.runs[0]);
  std::filesystem::create_directories(first);
  LeaseOffice office({.beat = 0.05, .dead_after = 60});
  std::unique_ptr<Lease> lease = office.take(first);
  ASSERT_TRUE(lease);
  bool was_told = false;
  std::thread other([&] {
    for (int i = 0; i < 3000 && !waits; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    was_told = waits;
    lease.reset();
  });
  work_once();
  other.join();
  EXPECT_TRUE(was_told);
  for (const PlannedRun& one : plan.runs) EXPECT_TRUE(plan.is_finished(one));
}

// As where another worker finished it all the same.
TEST_F(WorkerTells, NoFailureOfAFinishedRun) {
  work_once();
  save_failure(plan.directory(plan.runs[0]), "the disk was full");
  EXPECT_TRUE(Overview(plan, 1).failures().empty());
  std::filesystem::remove(plan.directory(plan.runs[0]) + "/evaluation.json");
  EXPECT_EQ(Overview(plan, 1).failures(), std::vector<std::string>{"a-seed1: the disk was full"});
}

}  // namespace
}  // namespace heed
