// heed adversary: from a generator and a discriminator to a run with a row an epoch.
#include "tests/heed/program_data.h"
#include "train/run_directory.h"

namespace heed {
namespace {

class AdversaryProgram : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    ASSERT_EQ(heed_program(tiny_training(shared->path("g"))).code, 0);
    const Result r =
        heed_program({"discriminate", "train", "--data", kSample, "--out", shared->path("d"),
                      "--preset", "smoke", "--limit", "40", "--vocab", "100", "--hidden", "6",
                      "--epochs", "1", "--threads", "1"});
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  Arguments command(const std::string& out) const {
    return {"adversary",
            "--model",
            shared->path("g"),
            "--discriminator",
            shared->path("d"),
            "--data",
            kSample,
            "--limit",
            "40",
            "--epochs",
            "2",
            "--batch",
            "8",
            "--max-length",
            "5",
            "--threads",
            "1",
            "--out",
            dir.path(out)};
  }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

TEST_F(AdversaryProgram, TrainsAndTellsWhatBecameOfThem) {
  const Result r = heed_program(command("run"));
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* row : {"\nbefore ", "\nepoch 1 ", "\nepoch 2 ", "\ndone: "}) {
    EXPECT_NE(r.out.find(row), std::string::npos) << row << r.out;
  }
  const auto log = load_log(dir.path("run"));
  ASSERT_EQ(log.size(), 2u);
  const auto settings = nlohmann::json::parse(dir.read("run/adversary.json"));
  EXPECT_EQ(settings["before"].size(), log[0].metrics.size() - 3);  // all but what training counts
  // and every command reads it
  EXPECT_EQ(heed_program({"generate", "--model", dir.path("run"), "--data", kSample, "--limit",
                          "30", "--decode", "sample", "--epoch", "1", "--out", dir.path("fakes")})
                .code,
            0);
  EXPECT_EQ(heed_program({"info", dir.path("run")}).code, 0);
}

TEST_F(AdversaryProgram, GoesOnWhereItWas) {
  const Arguments one = with(command("run"), "--epochs", "1");
  ASSERT_EQ(heed_program(one).code, 0);
  ASSERT_EQ(heed_program(command("whole")).code, 0);
  expect_failure(heed_program(one), 2, "--resume continues it", "again");
  const Arguments more = {"adversary", "--data",   kSample, "--out",     dir.path("run"),
                          "--resume",  "--epochs", "2",     "--threads", "1"};
  const Result r = heed_program(more);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(dir.read("run/log.jsonl"), dir.read("whole/log.jsonl"));
  EXPECT_EQ(dir.read("run/epoch-2.safetensors"), dir.read("whole/epoch-2.safetensors"));
  const Arguments players = {"--model", shared->path("g"), "--discriminator", shared->path("d")};
  EXPECT_EQ(heed_program(more + players).code, 0);
  const std::string other = source_dir() + "/data/models/trained";
  for (const auto& [option, value] : {std::pair("--limit", "7"),
                                      {"--batch", "3"},
                                      {"--generator-steps", "4"},
                                      {"--discriminator-steps", "4"},
                                      {"--teacher-forcing", "2.5"},
                                      {"--max-length", "9"},
                                      {"--model", other.c_str()},
                                      {"--discriminator", other.c_str()},
                                      {"--seed", "5"}}) {
    expect_failure(
        heed_program(more + Arguments{option, value}), 2,
        std::string(option) + " " + value + ": the run " + dir.path("run") + " was started with ",
        option);
  }
  expect_failure(heed_program(with(more, "--data", source_dir() + "/tests")), 1, "tests", "data");
}

// Each model has curves of its own; the one that writes has no "train_told".
TEST_F(AdversaryProgram, DrawsTheStepsOfEachModel) {
  ASSERT_EQ(
      heed_program(with(command("run"), "--epochs", "1") + Arguments{"--log-steps", "1"}).code, 0);
  const Arguments plot = {"plot", dir.path("run"), "--steps"};
  const Result losses = heed_program(plot);
  EXPECT_TRUE(has(losses.out, "\na run generator: lowest ")) << losses.out << losses.err;
  EXPECT_TRUE(has(losses.out, "\nb run discriminator: lowest ")) << losses.out;
  const Result told = heed_program(plot + Arguments{"--metric", "train_told"});
  EXPECT_TRUE(has(told.out, "run discriminator: lowest ")) << told.out << told.err;
  EXPECT_FALSE(has(told.out, "run generator")) << told.out;
}

// Of version 0.1.0, stopped after its first epoch.
TEST_F(AdversaryProgram, AKeptRunGoesOn) {
  expect_kept_run_goes_on("adversary-run", {"adversary", "--epochs", "2", "--max-length", "4"});
}

TEST_F(AdversaryProgram, RefusesWhatIsNoPlayer) {
  const std::string out = dir.path("run");
  expect_failure(heed_program({"adversary", "--data", kSample, "--out", out}), 2,
                 "--model is required to begin a run", "model");
  expect_failure(heed_program(with(command("run"), "--model", shared->path("d"))), 1,
                 "does not write responses", "a discriminator as generator");
  expect_failure(heed_program(with(command("run"), "--discriminator", shared->path("g"))), 1,
                 "not a discriminator", "a generator as discriminator");
  expect_failure(heed_program(command("run") + Arguments{"--rate", "0"}), 2, "--rate", "rate");
  EXPECT_FALSE(std::filesystem::exists(out + "/settings.json"));
  // --max-norm, --checkpoint-every and the others change what is learned, not what is refused
  EXPECT_EQ(heed_program(command("norm") + Arguments{"--max-norm", "0.5", "--rate", "0.01",
                                                     "--checkpoint-every", "0"})
                .code,
            0);
}

}  // namespace
}  // namespace heed
