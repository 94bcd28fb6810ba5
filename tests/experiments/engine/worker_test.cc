// Workers: what they do with runs that fail, that their worker dies of, and that they lose.
#include "experiments/engine/runs/worker.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "experiments/engine/runs/failure.h"
#include "experiments/engine/runs/overview.h"
#include "experiments/engine/runs/times.h"
#include "experiments/engine/runs/workers.h"
#include "tests/file_helpers.h"
#include "tests/train/ranks_helpers.h"
#include "tests/wait.h"

namespace heed {
namespace {

using Kind = WorkerNews::Kind;

// Runs a-seed1, b-seed1 and c-seed1 that train nothing. The trainings append their names to a file.
class WorkerTest : public testing::Test {
 protected:
  WorkerTest() {
    plan.out = dir.path("out");
    plan.runs = select_runs({"a", "b", "c"}, 1, 1, {});
    plan.train = [this](const PlannedRun& run, const std::string&, Device,
                        const TrainHooks& hooks) {
      std::ofstream(dir.path("trained"), std::ios::app) << run.name << "\n";
      return on_train ? on_train(run, hooks) : true;
    };
    plan.measure = [](const PlannedRun&, const std::string& directory, Device,
                      const OnMeasuring& progress) {
      progress("all", 1);
      std::ofstream(directory + "/evaluation.json") << "{}\n";
    };
    plan.train_metric = plan.valid_metric = "loss";
    plan.kind = [](const PlannedRun&) { return "one"; };
    plan.max_epochs = [](const PlannedRun&) { return 1; };
  }
  bool finished(size_t run) const { return plan.is_finished(plan.runs[run]); }
  std::string trained() const {
    return std::filesystem::exists(dir.path("trained")) ? dir.read("trained") : "";
  }
  bool work_once(std::vector<WorkerNews>* told = nullptr) const {
    WorkerOptions options{.lease = {.beat = 0.05, .dead_after = 1.5}};
    options.news = [told](const WorkerNews& news) {
      if (told) told->push_back(news);
    };
    return work(plan, options);
  }

  const TempDir dir;
  Plan plan;
  std::function<bool(const PlannedRun&, const TrainHooks&)> on_train;
};

TEST_F(WorkerTest, FinishesAllRuns) {
  EXPECT_TRUE(work_once());
  EXPECT_TRUE(finished(0) && finished(1) && finished(2));
  EXPECT_TRUE(work_once());  // and none twice
  EXPECT_EQ(trained(), "a-seed1\nb-seed1\nc-seed1\n");
}

// By no other worker either, until somebody says that it is to be tried again.
TEST_F(WorkerTest, ARunThatFailsIsTriedOnce) {
  on_train = [](const PlannedRun& run, const TrainHooks&) -> bool {
    if (run.name == "a-seed1") throw Error("the loss is not a number");
    return true;
  };
  std::vector<WorkerNews> told;
  EXPECT_TRUE(work_once(&told));
  EXPECT_EQ(told[0].kind, Kind::kBegun);
  EXPECT_EQ(told[1].kind, Kind::kFailed);
  EXPECT_EQ(told[1].message, "the loss is not a number");
  EXPECT_TRUE(work_once());
  EXPECT_EQ(trained(), "a-seed1\nb-seed1\nc-seed1\n");
  EXPECT_EQ(Overview(plan, 1).failures(),
            std::vector<std::string>{"a-seed1: the loss is not a number"});
  const auto json = nlohmann::json::parse(dir.read("out/a-seed1/failed.json"));
  EXPECT_EQ(json["process"], ::getpid());
  EXPECT_NE(json["host"], "");

  on_train = nullptr;
  clear_failure(plan.directory(plan.runs[0]));
  EXPECT_TRUE(work_once());
  EXPECT_TRUE(finished(0));
}

TEST_F(WorkerTest, AFailureThatCannotBeReadIsOne) {
  dir.write("out/a-seed1/failed.json", "{\"mess");
  EXPECT_TRUE(work_once());
  EXPECT_FALSE(finished(0));
  EXPECT_EQ(load_failure(dir.path("out/a-seed1")),
            dir.path("out/a-seed1/failed.json") + ": not what heed writes there");
}

// A folder that gives errors costs its run, not the worker.
TEST_F(WorkerTest, ADirectoryThatCannotBeUsedIsToldAndLeft) {
  dir.write("out/b-seed1", "a file where a directory should be");
  std::vector<WorkerNews> told;
  EXPECT_TRUE(work_once(&told));
  EXPECT_TRUE(finished(0) && finished(2));
  const auto failed = std::find_if(told.begin(), told.end(),
                                   [](const WorkerNews& n) { return n.kind == Kind::kFailed; });
  ASSERT_NE(failed, told.end());
  EXPECT_EQ(failed->run, "b-seed1");
  EXPECT_NE(failed->message, "");
}

// Whether a training that asks before it writes is ended, which takes a beat of the lease.
std::function<bool()> writes_no_more(const TrainHooks& hooks) {
  return [&hooks] {
    try {
      hooks.before_write();
    } catch (...) {
      return true;
    }
    return false;
  };
}

// Whoever has lost the run writes nothing more: no epoch, no checkpoint, no results.
TEST_F(WorkerTest, ALostRunIsNotWrittenTo) {
  plan.runs.resize(1);
  bool asked = false;
  on_train = [&](const PlannedRun& run, const TrainHooks& hooks) {
    if (asked) return true;
    hooks.before_write();  // nothing is lost yet
    std::ofstream(plan.directory(run) + "/owner-2")
        << "boot x host there process 1\nbeat 1\nheld\n";
    asked = true;
    EXPECT_TRUE(wait_until(writes_no_more(hooks)));
    hooks.before_write();
    return true;
  };
  std::vector<WorkerNews> told;
  EXPECT_TRUE(work_once(&told));  // takes it back when the other one gives no sign of life
  EXPECT_TRUE(asked && finished(0));
  ASSERT_GE(told.size(), 2u);
  EXPECT_EQ(told[1].kind, Kind::kWarning);  // before anything else
  EXPECT_EQ(told[1].run, "a-seed1");
  EXPECT_EQ(told[1].message,
            "this worker gave no sign of life for 1 s (was it suspended?), so another one may have "
            "the run; it is left for now");
  EXPECT_TRUE(std::filesystem::exists(plan.directory(plan.runs[0]) + "/owner-3"));
}

// By another worker, between the look whether it is finished and its lock.
TEST_F(WorkerTest, ARunThatSomebodyJustFinishedIsNotDoneAgain) {
  plan.runs.resize(1);
  const std::string run = plan.directory(plan.runs[0]);
  std::filesystem::create_directories(run);
  // The worker has looked and has the lock when it reads who had the run: out of a pipe.
  const std::string owner = run + "/owner-1";
  ASSERT_EQ(::mkfifo(owner.c_str(), 0600), 0);
  std::thread other([&] {
    std::ofstream pipe(owner);  // waits for the reader
    std::ofstream(run + "/evaluation.json") << "{}\n";
    pipe << "boot x host there process 1\nbeat 1\nreleased\n";
  });
  EXPECT_TRUE(work_once());
  other.join();
  EXPECT_EQ(trained(), "");
}

// Each epoch for itself, and what a run was measured for in all.
TEST_F(WorkerTest, TimesAreThoseOfEachEpochAndOfAllMeasurements) {
  static constexpr double kLeast = 0.1;
  const auto take_a_while = [] {
    std::this_thread::sleep_for(std::chrono::duration<double>(kLeast));
  };
  using Clock = std::chrono::steady_clock;
  plan.runs.resize(1);
  const Clock::time_point begin = Clock::now();
  std::chrono::duration<double> both{};
  on_train = [&](const PlannedRun&, const TrainHooks& hooks) {
    for (int epoch = 1; epoch <= 2; ++epoch) {
      hooks.on_step(
          {.epoch = epoch, .max_epochs = 2, .step = 1, .steps = 1, .metrics = {{"loss", 1}}});
      take_a_while();
      EpochLog log;
      log.epoch = epoch;
      log.metrics = {{"loss", 1}};
      hooks.on_epoch(log, true);
    }
    both = Clock::now() - begin;
    return true;
  };
  plan.measure = [&, measure = plan.measure](const PlannedRun& run, const std::string& directory,
                                             Device device, const OnMeasuring& progress) {
    take_a_while();
    measure(run, directory, device, progress);
  };
  EXPECT_TRUE(work_once());
  const std::string run = plan.directory(plan.runs[0]);
  const RunTimes times = load_times(run);
  ASSERT_EQ(times.epochs.size(), 2u);
  EXPECT_GE(times.epochs[0], kLeast);
  EXPECT_GE(times.epochs[1], kLeast);
  EXPECT_LE(times.epochs[0] + times.epochs[1], both.count());
  EXPECT_GE(times.evaluation, kLeast);
  std::filesystem::remove(run + "/evaluation.json");
  on_train = nullptr;
  EXPECT_TRUE(work_once());
  EXPECT_GE(load_times(run).evaluation, times.evaluation + kLeast);
}

// ---- ranks

// What each rank does is told in a file of its own.
class RanksWork : public WorkerTest {
 protected:
  RanksWork() {
    plan.train = [this](const PlannedRun& run, const std::string&, Device,
                        const TrainHooks& hooks) {
      tell(*hooks.ranks, "trains " + run.name);
      if (on_train) on_train(run, hooks);
      return hooks.ranks->any(0) == 0;
    };
    const auto measure = plan.measure;
    plan.measure = [this, measure](const PlannedRun& run, const std::string& directory,
                                   Device device, const OnMeasuring& progress) {
      tell(progress.ranks(), "measures " + run.name);
      if (plan.shares_measuring) progress.ranks().gather("all of them are here");
      if (progress.ranks().first()) measure(run, directory, device, progress);
    };
  }
  void tell(const Ranks& ranks, const std::string& what) const {
    std::ofstream(dir.path("rank" + std::to_string(ranks.rank())), std::ios::app) << what << "\n";
  }
  void work_on_ranks(int count, const TellNews& news = {}) const {
    on_ranks(count, [&](Ranks& ranks) {
      work(plan, {.lease = {.beat = 0.05, .dead_after = 1.5}, .ranks = &ranks, .news = news});
    });
  }
};

TEST_F(RanksWork, TheyDoEachRunTogether) {
  plan.runs.resize(2);
  work_on_ranks(3);
  const std::string helper = "trains a-seed1\ntrains b-seed1\n";
  EXPECT_EQ(dir.read("rank0"),
            "trains a-seed1\nmeasures a-seed1\ntrains b-seed1\nmeasures b-seed1\n");
  EXPECT_EQ(dir.read("rank1"), helper);
  EXPECT_EQ(dir.read("rank2"), helper);
  EXPECT_TRUE(finished(0) && finished(1));
}

TEST_F(RanksWork, TheyMeasureTogetherWhereThePlanCan) {
  plan.shares_measuring = true;
  work_on_ranks(2);
  EXPECT_EQ(dir.read("rank1"), dir.read("rank0"));
  EXPECT_TRUE(finished(0) && finished(1) && finished(2));
}

// What one of them finds wrong while the others wait for it is why the run fails; the next ones are
// done.
TEST_F(RanksWork, ARunThatFailsOnOneIsLeftByAll) {
  on_train = [](const PlannedRun& run, const TrainHooks& hooks) {
    if (run.name == "a-seed1" && hooks.ranks->rank() == 1) throw Error("no such file");
    return true;
  };
  work_on_ranks(3, [this](const WorkerNews& news) {
    if (news.kind == Kind::kFailed) dir.write("told", news.run + ": " + news.message);
  });
  EXPECT_EQ(dir.read("told"), "a-seed1: no such file");
  EXPECT_EQ(*load_failure(plan.directory(plan.runs[0])), "no such file");
  EXPECT_FALSE(finished(0));
  EXPECT_TRUE(finished(1) && finished(2));
}

TEST_F(RanksWork, ARunThatTheFirstHasLostIsGivenUpByAll) {
  plan.runs.resize(1);
  on_train = [this](const PlannedRun& run, const TrainHooks& hooks) {
    if (!hooks.ranks->first() || std::filesystem::exists(dir.path("asked"))) return true;
    dir.write("asked", "");
    std::ofstream(plan.directory(run) + "/owner-2")
        << "boot x host there process 1\nbeat 1\nheld\n";
    EXPECT_TRUE(wait_until(writes_no_more(hooks)));
    hooks.before_write();
    return true;
  };
  work_on_ranks(2);
  EXPECT_EQ(dir.read("rank1"), "trains a-seed1\ntrains a-seed1\n");
  EXPECT_TRUE(finished(0));
}

// The others may wait for it in the middle of something.
TEST_F(RanksWork, MemoryThatRunsOutEndsAll) {
  on_train = [](const PlannedRun&, const TrainHooks& hooks) -> bool {
    if (hooks.ranks->rank() == 1) throw std::bad_alloc();
    return true;
  };
  EXPECT_EQ(error_of<Error>([&] { work_on_ranks(2); }),
            name_of_rank(1, 2) + ": out of memory; try a smaller --batch, or fewer --jobs");
}

// ---- processes

// What kills a worker does not kill the next one as well, and the others are finished.
TEST_F(WorkerTest, ARunThatItsWorkerDiesOfIsLeft) {
  on_train = [](const PlannedRun& run, const TrainHooks& hooks) {
    TrainProgress progress{.epoch = 1, .max_epochs = 1, .step = 1, .steps = 2};
    progress.metrics = {{"loss", 1}};
    hooks.on_step(progress);
    if (run.name == "a-seed1") ::raise(SIGKILL);
    return true;
  };
  Overview overview(plan, 1);
  int deaths = 0;
  const std::atomic<bool> stop{false};
  const auto problems = run_workers(
      1,
      [&](const TellNews& tell) {
        work(plan, {.lease = {.beat = 0.05, .dead_after = 1.5}, .news = tell});
      },
      {.on_news = [&](const WorkerNews& news) { overview.hear(news); },
       .on_death =
           [&](int process, const std::string& how) {
             ++deaths;
             EXPECT_NE(overview.line([](double) { return ""; }).find("a-seed1"), std::string::npos);
             const bool go_on = overview.mourn(process, how);
             EXPECT_EQ(overview.line([](double) { return ""; }).find("a-seed1"), std::string::npos);
             EXPECT_FALSE(overview.mourn(process, how));  // it had one run only
             return go_on;
           }},
      stop);
  EXPECT_EQ(deaths, 1);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("was ended by signal 9"), std::string::npos);
  EXPECT_FALSE(finished(0));
  EXPECT_TRUE(finished(1) && finished(2));
  EXPECT_EQ(trained(), "a-seed1\nb-seed1\nc-seed1\n");
  EXPECT_EQ(overview.failures(),
            std::vector<std::string>{"a-seed1: its worker process was ended by signal 9"});
}

// Memory runs out in the first step, if it does: its worker has told nothing of the training yet.
TEST_F(WorkerTest, ARunThatItsWorkerDiesOfBeforeTheEndOfAStepIsLeft) {
  on_train = [](const PlannedRun& run, const TrainHooks&) {
    if (run.name == "a-seed1") ::raise(SIGKILL);
    return true;
  };
  Overview overview(plan, 1);
  const std::atomic<bool> stop{false};
  run_workers(
      1,
      [&](const TellNews& tell) {
        work(plan, {.lease = {.beat = 0.05, .dead_after = 1.5}, .news = tell});
      },
      {.on_news = [&](const WorkerNews& news) { overview.hear(news); },
       .on_death = [&](int process,
                       const std::string& how) { return overview.mourn(process, how); }},
      stop);
  EXPECT_FALSE(finished(0));
  EXPECT_TRUE(finished(1) && finished(2));
  EXPECT_EQ(overview.failures(),
            std::vector<std::string>{"a-seed1: its worker process was ended by signal 9"});
}

// News are short, but what is told at the end is whole.
TEST_F(WorkerTest, ALongMessageIsToldWhole) {
  const std::string why(300, 'x');
  on_train = [&](const PlannedRun& run, const TrainHooks&) {
    if (run.name == "a-seed1") throw Error(why);
    return true;
  };
  Overview overview(plan, 1);
  const std::atomic<bool> stop{false};
  run_workers(
      1, [&](const TellNews& tell) { work(plan, {.lease = {}, .news = tell}); },
      {.on_news = [&](const WorkerNews& news) { overview.hear(news); }}, stop);
  EXPECT_EQ(overview.failures(), std::vector<std::string>{"a-seed1: " + why});
}

TEST_F(WorkerTest, AWorkerThatWaitsDoesNotHideOneThatWorks) {
  Overview overview(plan, 2);
  const auto waits = [&] {
    return has(overview.line([](double) { return ""; }),
               "waiting for runs that other workers have");
  };
  overview.hear({.kind = Kind::kMeasuring, .run = "a-seed1", .message = "test", .process = 1});
  overview.hear({.kind = Kind::kWaiting, .process = 2});
  EXPECT_FALSE(waits());
  overview.hear({.kind = Kind::kFinished, .run = "a-seed1", .process = 1});
  overview.hear({.kind = Kind::kWaiting, .process = 1});
  EXPECT_TRUE(waits());
  overview.hear({.kind = Kind::kMeasuring, .run = "b-seed1", .message = "test", .process = 2});
  EXPECT_FALSE(waits());
  overview.hear({.kind = Kind::kWaiting, .process = 2});  // it has lost its run
  EXPECT_TRUE(waits());
  EXPECT_FALSE(overview.mourn(2, "was ended"));
  // One that could not begin has no run.
  overview.hear({.kind = Kind::kFailed, .message = "no such device", .process = 1});
  EXPECT_EQ(overview.failures(), std::vector<std::string>{"no such device"});
}

TEST_F(WorkerTest, AWorkerThatDiesAtOnceIsNotStartedForEver) {
  Overview overview(plan, 2);
  const std::atomic<bool> stop{false};
  const auto problems = run_workers(
      2, [](const TellNews&) { ::raise(SIGKILL); },
      {.on_news = [](const WorkerNews&) {},
       .on_death = [&](int process,
                       const std::string& how) { return overview.mourn(process, how); }},
      stop);
  EXPECT_EQ(problems.size(), 2u);
}

TEST_F(WorkerTest, NewsNameTheirRunWhole) {
  const std::string longest(255, 'r');  // that a directory may be called
  std::vector<std::string> runs;
  const std::atomic<bool> stop{false};
  run_workers(
      1, [&](const TellNews& tell) { tell({.run = longest, .message = "why"}); },
      {.on_news = [&](const WorkerNews& news) { runs.push_back(news.run + " " + news.message); },
       .on_death = [](int, const std::string&) { return false; }},
      stop);
  EXPECT_EQ(runs, std::vector<std::string>{longest + " why"});
}

}  // namespace
}  // namespace heed
