// heed train hredgan, and the best of several answers by its discriminator.
#include "tests/heed/program_data.h"
#include "train/run_directory.h"

namespace heed {
namespace {

class HredganProgram : public testing::Test {
 protected:
  static Arguments command(const std::string& out) {
    return {"train",    "hredgan", "--data",  kSample, "--out",     out,   "--noise",  "word",
            "--preset", "smoke",   "--limit", "30",    "--vocab",   "100", "--hidden", "6",
            "--epochs", "2",       "--batch", "8",     "--threads", "1"};
  }
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(command(shared->path("run")));
    ASSERT_EQ(r.code, 0) << r.err;
    ASSERT_NE(r.out.find("AUC"), std::string::npos) << r.out;
  }
  static void TearDownTestSuite() { delete shared; }
  static Arguments respond(const std::string& out) {
    return {"respond", "--model", shared->path("run"), "--data",    kSample, "--limit",
            "5",       "--out",   shared->path(out),   "--threads", "1"};
  }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

TEST_F(HredganProgram, GoesOnWhereItWas) {
  const std::string run = dir.path("run");
  ASSERT_EQ(heed_program(with(command(run), "--epochs", "1")).code, 0);
  const Arguments more = {"train",    "hredgan",  "--data", kSample,     "--out", run,
                          "--resume", "--epochs", "2",      "--threads", "1"};
  const Result r = heed_program(more);
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* file : {"log.jsonl", "model.safetensors", "discriminator.safetensors"}) {
    EXPECT_EQ(dir.read(std::string("run/") + file), shared->read(std::string("run/") + file));
  }
  for (const auto& [option, value] : {std::pair("--mode", "soft"),
                                      {"--fake-loss", "word"},
                                      {"--discriminator-until", "0.5"},
                                      {"--generator-steps", "4"},
                                      {"--noise", "none"},
                                      {"--seed", "5"}}) {
    expect_failure(heed_program(more + Arguments{option, value}), 2, "was started with ", option);
  }
}

TEST_F(HredganProgram, RanksAnswers) {
  for (const std::string rank : {"D", "logp", "random"}) {
    const Result r =
        heed_program(respond(rank) + Arguments{"--best-of", "4", "--rank", rank, "--json",
                                               shared->path(rank + ".json")});
    ASSERT_EQ(r.code, 0) << r.err;
    const auto json = nlohmann::json::parse(shared->read(rank + ".json"));
    EXPECT_EQ(json["decode"]["best_of"], 4);
    EXPECT_EQ(json["decode"]["rank"], rank);
  }
  EXPECT_NE(shared->read("D"), shared->read("logp"));
  EXPECT_EQ(heed_program({"info", shared->path("run")}).code, 0);
}

// Of one seed with few dialogues; the same command then has nothing to do.
TEST_F(HredganProgram, AnExperimentOfAPaper) {
  const std::string out = dir.path("experiment");
  const Arguments reproduce = {"reproduce", "hredgan",   "--data",  kSample,     "--out",
                               out,         "--limit",   "40",      "--epochs",  "1",
                               "--hidden",  "6",         "--vocab", "100",       "--test-limit",
                               "12",        "--best-of", "3",       "--threads", "1"};
  const Result r = heed_program(reproduce);
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* table : {"answers", "best", "words", "changes", "runs", "claims"}) {
    EXPECT_NE(dir.read("experiment/tables/" + std::string(table) + ".md"), "") << table;
  }
  const std::string first = dir.read("experiment/gan-w-seed1/evaluation.json");
  EXPECT_NE(first.find("\"best_d\""), std::string::npos);
  EXPECT_EQ(heed_program(reproduce).code, 0);
  EXPECT_EQ(dir.read("experiment/gan-w-seed1/evaluation.json"), first);
  EXPECT_EQ(heed_program({"report", out, "--html", dir.path("page.html")}).code, 0);
  EXPECT_NE(dir.read("page.html").find("What the discriminator tells"), std::string::npos);
  expect_failure(
      heed_program({"reproduce", "expressive", "--data", kSample, "--out", dir.path("expressive")}),
      2, "--lexicon FILE is required", "no lexicon");
}

TEST_F(HredganProgram, RefusesWhatThereIsNot) {
  expect_failure(heed_program(respond("x") + Arguments{"--rank", "D"}), 2,
                 "--rank: only applies with --best-of", "rank");
  expect_failure(heed_program(respond("x") + Arguments{"--best-of", "4", "--decode", "beam"}), 2,
                 "--decode: only applies without --best-of", "decode");
  expect_failure(heed_program(with(respond("x"), "--model", kModel) + Arguments{"--best-of", "4"}),
                 2, "not static-ui", "another structure");
  expect_failure(heed_program(command(dir.path("run")) + Arguments{"--generator-from", "2"}), 2,
                 "--generator-from", "range");
  std::filesystem::remove(shared->path("run/discriminator.safetensors"));
  expect_failure(heed_program(respond("x") + Arguments{"--best-of", "4"}), 1,
                 "discriminator.safetensors", "no discriminator");
}

}  // namespace
}  // namespace heed
