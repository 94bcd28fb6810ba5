// Experiments on several ranks, as a user starts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/heed/program_ranks_helpers.h"
#include "tests/heed/program_small_data.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct ExperimentsOnRanks : testing::Test {
  const TempDir dir;
};

// Of the runs, and of the tables: all but what tells times.
std::map<std::string, std::string> experiment_in(const std::string& out) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    const std::string name = entry.path().lexically_relative(out).generic_string();
    const std::string file = entry.path().filename();
    if (entry.is_directory() || file == "lock" || file == "times.json" ||
        file.starts_with("owner-") || file.starts_with("runs.")) {
      continue;
    }
    std::ifstream bytes(entry.path(), std::ios::binary);
    files[name] = std::string((std::istreambuf_iterator<char>(bytes)), {});
  }
  return files;
}

// Two variants, of which one draws distractions.
Arguments experiment(const std::string& out) {
  return {"reproduce",
          "--data",
          kSample,
          "--out",
          out,
          "--limit",
          "30",
          "--preset",
          "smoke",
          "--vocab",
          "120",
          "--hidden",
          "8",
          "--epochs",
          "2",
          "--batch",
          "8",
          "--max-turns",
          "4",
          "--max-utterance",
          "10",
          "--threads",
          "1",
          "--max-length",
          "6",
          "--only",
          "static-p[01]*"};
}

TEST_F(ExperimentsOnRanks, AnExperimentHasTheSameFiles) {
  const auto files = [&](const std::string& name, const Arguments& more) {
    const Result r = heed_program(experiment(dir.path(name)) + more);
    EXPECT_EQ(r.code, 0) << r.err << r.out;
    return experiment_in(dir.path(name));
  };
  const auto one = files("one", {"--ranks", "1"});
  EXPECT_TRUE(one.contains("static-p1.0-seed1/evaluation.json"));
  EXPECT_TRUE(one.contains("static-p1.0-seed1/responses.jsonl"));
  const auto two = files("two", {"--ranks", "2", "--jobs", "2"});
  for (const auto& [name, bytes] : one) EXPECT_TRUE(two.at(name) == bytes) << name;
  EXPECT_EQ(two.size(), one.size());
  expect_failure(heed_program(experiment(dir.path("one"))), 2,
                 dir.path("one") +
                     ": holds an experiment with --pieces 8, not 1; take the same "
                     "settings or another --out",
                 "");
  expect_failure(heed_program(experiment(dir.path("none")) + Arguments{"--ranks", "9"}), 2,
                 "ranks: 9 share out the pieces of a batch, and this training cuts it into 8", "");
  EXPECT_FALSE(fs::exists(dir.path("none")));
  if (!has_mpi()) return;
  const auto mpi = experiment(dir.path("mpi"));
  const Result r = mpirun(2, mpi, reading(mpi, unreadable(dir)));  // only the first one reads
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(experiment_in(dir.path("mpi")), one);
  const Result jobs = mpirun(2, experiment(dir.path("jobs")) + Arguments{"--jobs", "2"});
  EXPECT_EQ(jobs.code, 2);
  EXPECT_NE(jobs.err.find("--jobs 2: the processes of a launcher do one run together"),
            std::string::npos)
      << jobs.err;
  EXPECT_FALSE(fs::exists(dir.path("jobs")));
}

// Those on probes and on adversarial evaluation train on ranks, and the first one measures.
TEST_F(ExperimentsOnRanks, OtherExperimentsHaveTheSameFiles) {
  const std::map<std::string, Arguments> commands = {
      {"probes",
       {"--preset", "probe-smoke", "--only", "lstm", "--hidden", "8", "--epochs", "2", "--limit",
        "30", "--max-iter", "20", "--responses", "4", "--max-length", "4"}},
      {"adversarial",
       {"--preset", "smoke", "--hidden", "8", "--vocab", "150", "--epochs", "2", "--limit", "40",
        "--only", "*-response-only"}}};
  for (const auto& pair : commands) {
    const auto& command = pair.first;
    const auto& options = pair.second;
    const auto arguments = [&](const std::string& out) {
      return Arguments{"reproduce", command, "--data", kSample, "--out", dir.path(command + out)} +
             kOneThread + options;
    };
    const auto files = [&](const std::string& out, const Result& r) {
      EXPECT_EQ(r.code, 0) << r.err << r.out;
      return experiment_in(dir.path(command + out));
    };
    const auto forked = [&](const std::string& ranks) {
      return files(ranks, heed_program(arguments(ranks) + Arguments{"--ranks", ranks}));
    };
    const auto one = forked("1"), two = forked("2");
    EXPECT_GT(one.size(), 10u);
    for (const auto& [name, bytes] : one) EXPECT_TRUE(two.at(name) == bytes) << name;
    EXPECT_EQ(two.size(), one.size());
    if (!has_mpi()) continue;
    const auto mpi = arguments("mpi");
    EXPECT_EQ(files("mpi", mpirun(2, mpi, reading(mpi, unreadable(dir)))), one) << command;
  }
}

// The first epoch is the last: there is no older model that the second rank could open while the
// first one still writes.
TEST_F(ExperimentsOnRanks, OneEpochIsMeasuredToo) {
  auto once = experiment(dir.path("once"));
  *(std::find(once.begin(), once.end(), "--epochs") + 1) = "1";
  const Result r = heed_program(once + Arguments{"--ranks", "2"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(fs::exists(dir.path("once/static-p0-seed1/evaluation.json")));
}

TEST_F(ExperimentsOnRanks, RanksWithOtherSettingsAreRefused) {
  if (!has_mpi()) return;
  const auto mpi = experiment(dir.path("mpi"));
  const Result r = mpirun(2, mpi, mpi + Arguments{"--dropout", "0.5"});
  EXPECT_NE(r.code, 0);
  EXPECT_TRUE(has(r.err, "ranks differ in --dropout: 0.5 on rank 1 of 2")) << r.err;
  EXPECT_FALSE(fs::exists(dir.path("mpi")));
}

// As on two machines: each rank of this experiment reads for itself.
TEST_F(ExperimentsOnRanks, RanksWithOtherDataAreRefused) {
  if (!has_mpi()) return;
  const Arguments mpi =
      Arguments{"reproduce", "retrieval", "--data", kSample,   "--out", dir.path("mpi"), "--limit",
                "60",        "--only",    "base",   "--width", "8",     "--epochs",      "1"} +
      kOneThread;
  const std::string other = labelled_data(dir, "retrieval");
  const Result r = mpirun(2, mpi, reading(mpi, other));
  EXPECT_NE(r.code, 0);
  EXPECT_TRUE(has(r.err, "ranks differ in the data: " + other + " (")) << r.err;
  EXPECT_FALSE(fs::exists(dir.path("mpi")));
}

}  // namespace
}  // namespace heed
