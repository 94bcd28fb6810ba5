// heed train hredgan, and the best of several answers by its discriminator.
#include "tests/golden.h"
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
                                      {"--adversary-decay", "0.5"},
                                      {"--initial-weights", "xavier"},
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
    EXPECT_EQ(json["decode"]["method"], "best-of");
    EXPECT_EQ(json["decode"]["noise_variance"], nullptr);  // the usual one
    EXPECT_TRUE(has(r.out, "\nbest-of ")) << r.out;
  }
  // By chance the first of four answers, which is the only one of one, however that is ranked.
  ASSERT_EQ(heed_program(respond("one") + Arguments{"--best-of", "1", "--rank", "logp"}).code, 0);
  EXPECT_EQ(shared->read("random"), shared->read("one"));
  EXPECT_NE(shared->read("logp"), shared->read("one"));
  const Arguments noise = {"--best-of", "4", "--noise-variance", "2.5"};
  ASSERT_EQ(
      heed_program(respond("noise") + noise + Arguments{"--json", shared->path("noise.json")}).code,
      0);
  EXPECT_EQ(nlohmann::json::parse(shared->read("noise.json"))["decode"]["noise_variance"], 2.5);
  EXPECT_NE(shared->read("D"), shared->read("logp"));
  const Result card = heed_program({"info", shared->path("run"), "--card", "-"});
  EXPECT_EQ(card.code, 0) << card.err;
  EXPECT_FALSE(has(card.out, "heed train --data")) << card.out;  // that is not how it was trained
}

// `heed generate` takes the same answers as `heed respond`, and D ranks lists of other models.
TEST_F(HredganProgram, RanksWhatIsGenerated) {
  const auto texts = [&](const std::string& file) {
    std::vector<std::string> all;
    std::istringstream in(file);
    for (std::string line; std::getline(in, line);) {
      const auto json = nlohmann::json::parse(line);
      all.push_back(json.contains("turns") ? json["turns"].back()["text"] : json["response"]);
    }
    std::erase(all, "");  // heed generate leaves them out
    return all;
  };
  const Arguments ranked = {"--best-of", "4", "--rank", "logp", "--examples", "all"};
  ASSERT_EQ(heed_program(respond("answers") + ranked).code, 0);
  Arguments generate = respond("generated") + ranked;
  generate[0] = "generate";
  ASSERT_EQ(heed_program(generate + Arguments{"--json", shared->path("generated.json")}).code, 0);
  EXPECT_EQ(texts(shared->read("generated")), texts(shared->read("answers")));
  EXPECT_EQ(nlohmann::json::parse(shared->read("generated.json"))["decode"]["rank"], "logp");
  // The discriminator ranks where nobody says what does.
  const Arguments best = {"--best-of", "4", "--examples", "all"};
  ASSERT_EQ(heed_program(respond("judged") + best + Arguments{"--rank", "D"}).code, 0);
  Arguments unsaid = respond("unsaid") + best + Arguments{"--json", shared->path("unsaid.json")};
  unsaid[0] = "generate";
  ASSERT_EQ(heed_program(unsaid).code, 0);
  EXPECT_EQ(texts(shared->read("unsaid")), texts(shared->read("judged")));
  EXPECT_NE(texts(shared->read("unsaid")), texts(shared->read("answers")));
  EXPECT_EQ(nlohmann::json::parse(shared->read("unsaid.json"))["decode"]["rank"], "D");
  expect_failure(heed_program(with(generate, "--rank", "D,logp")), 2,
                 "--rank: with --best-of one of D, logp and random", "two");
  expect_failure(heed_program(generate + Arguments{"--n-best", "3"}), 2, "without --best-of",
                 "both");
  expect_failure(heed_program(with(generate, "--rank", "mmi:x")), 2,
                 "--rank: with --best-of expected D, logp or random, got 'mmi:x'", "mmi");

  const std::string run = shared->path("run"), ranker = source_dir() + "/data/models/ranker";
  const Result r = heed_program({"generate", "--model", kModel, "--data", kSample, "--limit", "8",
                                 "--n-best", "4", "--max-length", "6", "--threads", "1", "--rank",
                                 "D:" + run + ",model:" + run + ",model:" + ranker +
                                     ",dual-encoder:" + ranker + ",pretrained:" + ranker,
                                 "--out", dir.path("n.jsonl"), "--json", dir.path("n.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, run + ": its generator ranks, by ln P(R|C); D:" + run)) << r.err;
  auto rows = nlohmann::json::parse(dir.read("n.json"))["reranked"]["rows"];
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[1]["name"], "D");
  EXPECT_EQ(rows[2]["name"], "run");
  EXPECT_NE(rows[1]["changed"], rows[2]["changed"]);
  EXPECT_EQ(rows[3]["name"], "model:" + ranker);  // of three that would be "ranker"
  EXPECT_EQ(rows[5]["name"], "pretrained:" + ranker);
  for (auto& row : rows) row.erase("name");
  EXPECT_EQ(rows[4], rows[3]);
  EXPECT_EQ(rows[5], rows[3]);
  const Arguments own = {"generate", "--model", run,        "--data", kSample,
                         "--limit",  "4",       "--n-best", "2",      "--max-length",
                         "4",        "--rank",  "D",        "--out",  dir.path("own.jsonl")};
  EXPECT_EQ(heed_program(own).code, 0);
  const auto refused = [&](const std::string& run, const std::string& why) {
    const Result r = heed_program(with(own, "--rank", "D:" + run));
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_TRUE(has(r.err, why)) << r.err;  // behind notes on what was cut
  };
  refused(kModel, "has no discriminator of words");
  refused(ranker, "which cannot respond");
}

TEST_F(HredganProgram, TheDiscriminatorLearnsAlone) {
  const Arguments alone = command(dir.path("alone")) + Arguments{"--generator-steps", "0"};
  expect_failure(heed_program(alone), 2, "--generator-steps 0: needs --init RUN", "no generator");
  const Arguments words = {"train",
                           "hredgan",
                           "--data",
                           kSample,
                           "--out",
                           dir.path("alone"),
                           "--noise",
                           "word",
                           "--preset",
                           "smoke",
                           "--limit",
                           "30",
                           "--hidden",
                           "6",
                           "--epochs",
                           "2",
                           "--batch",
                           "8",
                           "--threads",
                           "1",
                           "--init",
                           shared->path("run"),
                           "--generator-steps",
                           "0"};
  const Result r = heed_program(words);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "AUC")) << r.out;
  EXPECT_FALSE(has(r.out, "perplexity")) << r.out;
  EXPECT_EQ(dir.read("alone/model.safetensors"), shared->read("run/model.safetensors"));
}

TEST_F(HredganProgram, ResponsesWithoutAWordCannotBeTold) {
  std::filesystem::create_directory(dir.path("data"));
  dir.write("data/train.jsonl",
            dialogue("a", {"hi", "which ?", "this"}) + dialogue("b", {"hi", "when ?", "now"}));
  dir.write("data/valid.jsonl", dialogue("c", {"hi", "which ?", ""}));
  const Arguments train = with(command(dir.path("run")), "--data", dir.path("data"));
  expect_failure(heed_program(train), 1, "validation part: no response has a word", "no words");
  EXPECT_FALSE(std::filesystem::exists(dir.path("run/config.json")));
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
  const auto evaluation = nlohmann::json::parse(first);  // three ways to choose one of three
  EXPECT_NE(evaluation["best_d"], evaluation["best_logp"]);
  EXPECT_NE(evaluation["best_d"], evaluation["random"]);
  EXPECT_NE(evaluation["best_logp"], evaluation["random"]);
  Golden golden;
  golden.add_runs(out);
  golden.expect("hredgan");
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
