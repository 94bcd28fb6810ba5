// Trainings and evaluations on several ranks, as a user starts them.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/heed/program_ranks_helpers.h"
#include "tests/wait.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// All files of a run; of settings.json what decides the training.
std::map<std::string, std::string> files_of(const std::string& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(run)) {
    const std::string name = entry.path().filename();
    if (name == "lock") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    if (name == "settings.json") {
      nlohmann::json json = nlohmann::json::parse(bytes);
      json.erase("heed");
      bytes = json.dump();
    }
    files[name] = std::move(bytes);
  }
  return files;
}

// What must be the same however the run came about.
std::vector<std::string> result_of(const std::string& run) {
  auto files = files_of(run);
  return {files["model.safetensors"], files["log.jsonl"], files["state.json"],
          files["checkpoint-2-0.safetensors"]};
}

Arguments training(const std::string& out) {
  return with(tiny_training(out), "--epochs", "2") + Arguments{"--insert-prob", "0.7"};
}

class OnRanks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(training(whole()) + Arguments{"--ranks", "1"});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find("batches in 8 pieces, on 1 rank\n"), std::string::npos) << r.out;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string whole() { return shared->path("whole"); }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

TEST_F(OnRanks, ATrainingEndsTheSame) {
  for (const std::string ranks : {"2", "3", "4"}) {
    const std::string run = dir.path("run" + ranks);
    const Result r = heed_program(training(run) + Arguments{"--ranks", ranks});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find("batches in 8 pieces, on " + ranks + " ranks\n"), std::string::npos);
    EXPECT_EQ(files_of(run), files_of(whole())) << ranks;
  }
  const std::string uncut = dir.path("uncut"), pieces = dir.path("pieces");
  ASSERT_EQ(heed_program(training(pieces) + Arguments{"--pieces", "8"}).code, 0);
  EXPECT_EQ(files_of(pieces), files_of(whole()));
  ASSERT_EQ(heed_program(training(uncut)).code, 0);
  EXPECT_EQ(files_of(uncut)["settings.json"].find("pieces"), std::string::npos);
  EXPECT_NE(files_of(uncut), files_of(whole()));
}

TEST_F(OnRanks, AnEvaluationHasTheSameNumbers) {
  const auto numbers = [&](const Arguments& more) {
    const Result r = heed_program(Arguments{"evaluate", "--model", whole(), "--data", kTestPart,
                                            "--pool", kSample, "--limit", "20", "--threads", "1",
                                            "--json", "-", "--per-example"} +
                                  more);
    EXPECT_EQ(r.code, 0) << r.err;
    nlohmann::json json = nlohmann::json::parse(r.out, nullptr, false);
    json.erase("heed");
    return json.dump();
  };
  const std::string alone = numbers({});
  EXPECT_NE(alone.find("das_ratio"), std::string::npos);
  EXPECT_EQ(numbers({"--ranks", "3"}), alone);
}

// Of a launcher's ranks only the first reads, and the others' dialogues are never opened.
TEST_F(OnRanks, FeaturesAreTheSame) {
  const std::string run = dir.path("run");
  ASSERT_EQ(heed_program(training(run) + Arguments{"--keep-every", "1"}).code, 0);
  const auto command = [&](const std::string& out) {
    return Arguments{"features", "--model", run,         "--data", kSample,      "--limit",
                     "20",       "--epoch", "best-bleu", "--out",  dir.path(out)};
  };
  const auto features = [&](const std::string& out, const Result& r) {
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err.find("note: best-bleu"), r.err.rfind("note: best-bleu")) << r.err;
    auto files = files_of(dir.path(out));
    auto& told = files["features.json"];
    nlohmann::json json = nlohmann::json::parse(told, nullptr, false);
    json.erase("heed");
    told = json.dump();
    return files;
  };
  const auto alone = features("alone", heed_program(command("alone") + kOneThread));
  EXPECT_EQ(alone.size(), 7u);
  EXPECT_NE(alone.at("features.json").find("\"chosen\""), std::string::npos);
  const auto forked = command("forked") + Arguments{"--ranks", "3"} + kOneThread;
  EXPECT_EQ(features("forked", heed_program(forked)), alone);
  if (!has_mpi()) return;
  const auto mpi = command("mpi") + kOneThread, others = reading(mpi, unreadable(dir));
  EXPECT_EQ(features("mpi", mpirun(3, mpi, others)), alone);
  const Result r = mpirun(2, reading(mpi, dir.path("missing")));
  EXPECT_NE(r.code, 0);
  EXPECT_TRUE(std::regex_search(r.err, std::regex("heed: rank 0 of 2 on [^ ]+: [^ ]*missing: ")))
      << r.err;
  EXPECT_EQ(r.err.find("heed: rank 1"), std::string::npos) << r.err;
}

// Each would do its share with its own, and the numbers be those of neither.
TEST_F(OnRanks, ThatDifferAreRefused) {
  if (!has_mpi()) return;
  const auto evaluate = [&](const std::string& model, const Arguments& more) {
    return Arguments{"evaluate", "--model", model, "--pool", kSample, "--json", "-"} + kOneThread +
           more;
  };
  const auto expect_refused = [](const Result& r, const std::string& why) {
    EXPECT_NE(r.code, 0);
    EXPECT_TRUE(std::regex_search(
        r.err, std::regex("heed: rank 0 of 2 on [^ ]+: ranks differ in " + why +
                          " on rank 1 of 2 on [^ ]+, .* on rank 0 of 2 on [^ ]+; give all of them "
                          "the same\n")))
        << why << "\n"
        << r.err;
    EXPECT_EQ(r.out, "") << why;
  };
  const std::string other = dir.path("other"), lines = dir.path("lines.jsonl"),
                    turned = dir.path("turned.jsonl");
  ASSERT_EQ(heed_program(with(training(other), "--epochs", "1")).code, 0);
  const std::string a = R"({"id": "a", "turns": [{"text": "x y"}, {"text": "z"}, {"text": "x"}]})",
                    b = R"({"id": "b", "turns": [{"text": "z y"}, {"text": "x"}, {"text": "z"}]})";
  dir.write("lines.jsonl", a + "\n" + b + "\n");
  dir.write("turned.jsonl", b + "\n" + a + "\n");
  const Arguments mine = evaluate(whole(), {"--data", lines, "--test", "random:0.5"});
  EXPECT_EQ(mpirun(2, mine).code, 0);
  expect_refused(mpirun(2, mine, evaluate(other, {"--data", lines, "--test", "random:0.5"})),
                 "the weights: [^ ]*other \\([0-9]+\\)");
  expect_refused(mpirun(2, mine, evaluate(whole(), {"--data", turned, "--test", "random:0.5"})),
                 "the dialogues: [^ ]*turned.jsonl \\([0-9]+\\)");
  expect_refused(mpirun(2, mine, mine + Arguments{"--seed", "2"}), "--seed: 2");
  expect_refused(mpirun(2, mine, mine + Arguments{"--max-turns", "3"}), "--max-turns: 3");
  expect_refused(mpirun(2, mine, mine + Arguments{"--limit", "1"}), "--limit: 1");

  const auto features = [&](const std::string& model) {
    return Arguments{"features", "--model",           model, "--data", kSample, "--limit", "5",
                     "--out",    dir.path("features")} +
           kOneThread;
  };
  expect_refused(mpirun(2, features(whole()), features(other)), "the weights: [^ ]*other .*");
  EXPECT_FALSE(fs::exists(dir.path("features")));

  const std::string run = dir.path("run");
  expect_refused(mpirun(2, training(run), training(run) + Arguments{"--dropout", "0.4"}),
                 "--dropout: 0.4");
  EXPECT_FALSE(fs::exists(run));
}

TEST_F(OnRanks, NeedPieces) {
  const std::string run = dir.path("run");
  expect_failure(heed_program(training(run) + Arguments{"--ranks", "16"}), 2,
                 "ranks: 16 share out the pieces of a batch, and this training cuts it into 8; "
                 "take fewer ranks, or more --pieces for a new run",
                 "");
  EXPECT_FALSE(fs::exists(run));
  expect_failure(heed_program(training(run) + Arguments{"--pieces", "6"}), 2,
                 "pieces: expected a power of two, 1 to 1024, got 6", "");
  expect_failure(heed_program(training(run) + Arguments{"--ranks", "0"}), 2, "--ranks: ", "");
  expect_failure(heed_program(training(run) + Arguments{"--ranks", "2", "--device", "cuda"}), 2,
                 "--ranks: only applies with --device cpu; for several GPUs start heed with mpirun",
                 "");
  expect_failure(heed_program(training(whole()) + Arguments{"--resume", "--pieces", "4"}), 2,
                 "--pieces 4: the run " + whole() + " was started with 8", "");
}

// The processes that a process has started.
std::vector<pid_t> children_of(pid_t id) {
  std::ifstream list("/proc/" + std::to_string(id) + "/task/" + std::to_string(id) + "/children");
  std::vector<pid_t> children;
  for (pid_t child; list >> child;) children.push_back(child);
  return children;
}

TEST_F(OnRanks, OneThatIsKilledEndsAllAndTheRunGoesOn) {
  const std::string run = dir.path("run");
  const Arguments command =
      with(training(run), "--epochs", "500") + Arguments{"--ranks", "3", "--checkpoint-every", "0"};
  Running program(command, dir, dir.path("stdout"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(run + "/state.json"); }));
  const std::vector<pid_t> heed = children_of(getpid());
  ASSERT_EQ(heed.size(), 1u);
  const std::vector<pid_t> ranks = children_of(heed[0]);
  ASSERT_EQ(ranks.size(), 3u);
  const auto begin = std::chrono::steady_clock::now();
  kill(ranks[1], SIGKILL);
  EXPECT_EQ(program.wait(), 1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_TRUE(std::regex_search(
      dir.read("stderr"),
      std::regex(
          "heed: rank 1 of 3 on [^ ]+: was ended by signal 9 \\(Killed\\); the others were ended "
          "too; a training goes on with --resume\n")))
      << dir.read("stderr");
  for (const pid_t id : ranks) EXPECT_NE(kill(id, 0), 0);
  const Arguments on = training(run) + Arguments{"--resume", "--ranks", "2"};
  ASSERT_EQ(heed_program(on).code, 0);
  EXPECT_EQ(result_of(run), result_of(whole()));
}

TEST_F(OnRanks, AStopIsOneOfAll) {
  const std::string run = dir.path("run");
  Running program(with(training(run), "--epochs", "500") + Arguments{"--ranks", "2"}, dir,
                  dir.path("stdout"));
  ASSERT_TRUE(wait_until([&] { return fs::exists(run + "/log.jsonl"); }));
  program.send(SIGTERM);  // to the parent only
  EXPECT_EQ(program.wait(), -SIGTERM);
  EXPECT_NE(dir.read("stdout").find("stopped: the same command with --resume continues from here"),
            std::string::npos);
  EXPECT_EQ(dir.read("stderr").find("heed: "), std::string::npos) << dir.read("stderr");
}

// ---- with a launcher ----------------------------------------------------------------------------

TEST_F(OnRanks, OfMpiEndTheSame) {
  if (!has_mpi()) GTEST_SKIP() << "this heed has no MPI, or there is no mpirun";
  for (const int ranks : {1, 2, 4}) {
    const std::string run = dir.path("run" + std::to_string(ranks));
    const Result r = mpirun(ranks, training(run));
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(files_of(run), files_of(whole())) << ranks;
  }
}

TEST_F(OnRanks, OfMpiFailTogether) {
  if (!has_mpi()) GTEST_SKIP() << "this heed has no MPI, or there is no mpirun";
  const Result r = mpirun(3, training(whole()));  // which is there already
  EXPECT_EQ(r.code, 2) << r.err;
  EXPECT_TRUE(std::regex_search(
      r.err, std::regex("heed: rank 0 of 3 on [^ ]+: [^ ]*whole: already holds a run")))
      << r.err;
  EXPECT_EQ(r.err.find("heed: rank 1"), std::string::npos) << r.err;
}

TEST_F(OnRanks, ALauncherWithoutMpiIsRefused) {
  if (heed_program({"--version"}).out.find("no MPI") == std::string::npos) {
    GTEST_SKIP() << "this heed has MPI";
  }
  const Environment size("OMPI_COMM_WORLD_SIZE", "4");
  expect_failure(heed_program(training(dir.path("run"))), 2,
                 "a launcher has started 4 processes, but this heed was built without MPI", "");
}

}  // namespace
}  // namespace heed
