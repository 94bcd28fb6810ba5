// heed reproduce as a user calls it: killed, shared, resumed, refused.
#include <array>
#include <thread>

#include "dialog/data/corpus.h"
#include "tensor/random.h"
#include "tests/experiments/distraction/reproduce_helpers.h"

namespace heed {
namespace {

TEST_F(Reproduce, OtherDevicesAreRefused) {
  fs::create_directory(dir.path("out"));
  fs::copy(whole() + "/samples.json", dir.path("out"));
  for (const auto& [option, other, here] : std::vector<std::array<std::string, 3>>{
           {"device", "cuda", "cpu"}, {"matmul", "bf16", "f32"}}) {
    Json experiment = Json::parse(shared->read("whole/experiment.json"));
    experiment["settings"][option] = other;
    dir.write("out/experiment.json", experiment.dump());
    expect_failure(
        heed_program(tiny_experiment(dir.path("out"))), 2,
        "holds an experiment with --" + option + " \"" + other + "\", not \"" + here + "\"",
        option);
  }
  const std::string none = dir.path("none");
  expect_failure(heed_program(tiny_experiment(none) + Arguments{"--device", "xyz"}), 2, "xyz",
                 "xyz");
  expect_failure(heed_program(tiny_experiment(none) + Arguments{"--matmul", "tf32"}), 2,
                 "--matmul tf32 only applies with --device cuda", "tf32");
  EXPECT_FALSE(fs::exists(none));
}

TEST_F(Reproduce, FinishedRunsAreNotTrainedAgain) {
  const auto before = results_in(whole());
  const auto written = [&] {
    std::vector<fs::file_time_type> times;
    for (const auto& [name, bytes] : before) {
      if (name.rfind("tables", 0) != 0) times.push_back(fs::last_write_time(whole() + "/" + name));
    }
    return times;
  };
  const auto times = written();
  const Result r = heed_program(tiny_experiment(whole()));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "7 runs, 7 of them done"));
  EXPECT_FALSE(has(r.out, "epoch"));
  EXPECT_EQ(written(), times);
  expect_same(results_in(whole()), before);
}

size_t finished_in(const std::string& out) {
  size_t found = 0;
  if (!fs::exists(out)) return found;  // killed before it began
  for (const auto& entry : fs::directory_iterator(out)) {
    found += fs::exists(entry.path() / "evaluation.json");
  }
  return found;
}

TEST_F(Reproduce, KilledAtAnyInstantItEndsTheSame) {
  Rng rng(7);
  const std::string out = dir.path("killed");
  int in_the_middle = 0;
  for (int i = 0; i < 12; ++i) {
    Running program(tiny_experiment(out), dir, dir.path("out"));
    // soon enough that several find work left: most of the duration goes into the tables at the end
    std::this_thread::sleep_for(duration * (0.005 + 0.0004 * static_cast<double>(rng.below(100))));
    switch (i % 4) {
      case 0: program.send(SIGKILL); break;  // the program alone: its workers notice
      case 1: program.send(SIGTERM); break;
      default: program.send_to_all(SIGKILL); break;  // and its workers with it
    }
    const int code = program.wait();
    EXPECT_TRUE(code == 0 || code == -SIGKILL || code == -SIGTERM) << code << dir.read("stderr");
    in_the_middle += finished_in(out) < 7;
  }
  EXPECT_GE(in_the_middle, 2);
  const Result r = heed_program(tiny_experiment(out));
  EXPECT_EQ(r.code, 0) << r.err << r.out;
  expect_same(results_in(out), results_in(whole()));
}

TEST_F(Reproduce, SeveralProgramsShareAFolder) {
  const std::string out = dir.path("shared");
  const TempDir a_dir, b_dir;
  Running a(tiny_experiment(out), a_dir, a_dir.path("out"));
  Running b(tiny_experiment(out), b_dir, b_dir.path("out"));
  EXPECT_EQ(a.wait(), 0) << a_dir.read("stderr");
  EXPECT_EQ(b.wait(), 0) << b_dir.read("stderr");
  expect_same(results_in(out), results_in(whole()));
  for (const auto& entry : fs::directory_iterator(out)) {
    EXPECT_FALSE(fs::exists(entry.path() / "owner-2")) << entry.path() << " was worked on twice";
  }
}

TEST_F(Reproduce, ShardsShareOutTheRuns) {
  const std::string out = dir.path("shards");
  for (const char* shard : {"1/2", "2/2"}) {
    const Result r = heed_program(tiny_experiment(out) + Arguments{"--shard", shard});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, shard[0] == '1' ? "4 runs, 0 of them" : "3 runs, 0 of them")) << r.out;
  }
  expect_same(results_in(out), results_in(whole()));
}

TEST_F(Reproduce, TakesOverFromADeadMachine) {
  const std::string out = dir.path("taken"), run = "static-ui-p0.5-seed1";
  dir.write("taken/" + run + "/owner-3",
            "boot of-another-machine host there process 1\nbeat 4\nheld\n");
  const Result r = heed_program(tiny_experiment(out) + Arguments{"--dead-after", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(fs::exists(out + "/" + run + "/owner-4"));
  expect_same(results_in(out), results_in(whole()));
}

TEST_F(Reproduce, SeedsAreRunsOfTheirOwn) {
  const std::string out = dir.path("seeds");
  Arguments command = tiny_experiment(out) + Arguments{"--seeds", "2"};
  *(std::find(command.begin(), command.end(), "--only") + 1) = "static-ui-p0";
  ASSERT_EQ(heed_program(command).code, 0);
  EXPECT_EQ(shared->read("whole/static-ui-p0-seed1/evaluation.json"),
            dir.read("seeds/static-ui-p0-seed1/evaluation.json"));
  EXPECT_NE(dir.read("seeds/static-ui-p0-seed1/log.jsonl"),
            dir.read("seeds/static-ui-p0-seed2/log.jsonl"));
  // the same distractions for all seeds: the same dialogues have none
  const auto without_distraction = [&](const char* run) {
    const Json json = Json::parse(dir.read("seeds/" + std::string(run) + "/evaluation.json"));
    std::vector<bool> none;
    for (const Json& d : json["test_sets"]["random:0.5"]["dialogues_as_distraction"]) {
      none.push_back(d.is_null());
    }
    return none;
  };
  EXPECT_EQ(without_distraction("static-ui-p0-seed1"), without_distraction("static-ui-p0-seed2"));
  EXPECT_TRUE(has(dir.read("seeds/tables/table3.md"), " ± "));
}

TEST_F(Reproduce, OtherSettingsAreRefused) {
  const auto before = results_in(whole());
  expect_failure(heed_program(tiny_experiment(whole()) + Arguments{"--rate", "0.5"}), 2,
                 "holds an experiment with --rate 0.01, not 0.5", "rate");
  expect_failure(heed_program(tiny_experiment(whole()) + Arguments{"--frequent", "hello you"}), 2,
                 "--frequent", "phrases");
  // other data: one test dialogue less
  fs::copy(kSample, dir.path("data"));
  auto test = read_dialogues(kTestPart);
  test.erase(test.begin());
  write_dialogues(dir.path("data/test.jsonl.gz"), test);
  Arguments other = tiny_experiment(whole());
  *std::find(other.begin(), other.end(), kSample) = dir.path("data");
  expect_failure(heed_program(other), 2, "holds an experiment on other data", "data");
  expect_same(results_in(whole()), before);
}

TEST_F(Reproduce, MistakesInOneLine) {
  const auto fails = [&](const Arguments& more, const std::string& says) {
    expect_failure(heed_program(tiny_experiment(dir.path("out")) + more), 2, says, join(more));
  };
  fails({"--shard", "3/2"}, "shard: expected i/n with 1 <= i <= n, got 3/2");
  fails({"--shard", "one"}, "shard: expected i/n, such as 1/2, got 'one'");
  fails({"--jobs", "0"}, "--jobs");
  fails({"--heads", "4"}, "--heads: only applies with --structure transformer");
  fails({"--seeds", "0"}, "--seeds: expected a whole number from 1 to 10000, got '0'");
  Arguments only = tiny_experiment(dir.path("out"));
  *(std::find(only.begin(), only.end(), "--only") + 1) = "statik*";
  expect_failure(heed_program(only), 2, "only: no variant fits 'statik*'", "only");
  EXPECT_FALSE(fs::exists(dir.path("out")));
}

// A training that fails is told, and the others go on.
TEST_F(Reproduce, ARunThatFailsIsTold) {
  const Result r = heed_program(tiny_experiment(dir.path("out")) + Arguments{"--rate", "1e30"});
  expect_failure(without_warnings(r), 1, "is not a finite number", "rate");
  for (const char* p : {"p0", "p0.5", "p1.0-no-loss"}) {
    EXPECT_TRUE(has(r.out, "static-ui-" + std::string(p) + "-seed1")) << r.out;
  }
}

TEST_F(Reproduce, AWarningNamesItsRun) {
  Arguments command = tiny_experiment(dir.path("out")) + Arguments{"--rate", "1e8"};
  *(std::find(command.begin(), command.end(), "--only") + 1) = "static-ui-p0";
  const std::string err = heed_program(command).err;
  EXPECT_TRUE(has(err, "heed: warning: static-ui-p0-seed1: training: epoch 1, step ")) << err;
}

}  // namespace
}  // namespace heed
