// The program end to end, as a user calls it.
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// One trained model for all tests that only read it.
class Program : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(tiny_training(run()) + Arguments{"--insert-prob", "0.7"});
    ASSERT_EQ(r.code, 0) << r.err;
    training_output = r.out;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string run() { return shared->path("run"); }

  static TempDir* shared;
  static std::string training_output;
  const TempDir dir;
};
TempDir* Program::shared = nullptr;
std::string Program::training_output;

std::set<std::string> keys(const Json& object) {
  std::set<std::string> result;
  for (const auto& [key, value] : object.items()) result.insert(key);
  return result;
}

// ---- train, evaluate, score, verify -------------------------------------------------------------

TEST_F(Program, TrainTellsWhatItDoesAndLeavesAModel) {
  EXPECT_TRUE(has(training_output, "static-ui, 1 layer x 8, vocabulary 150: ")) << training_output;
  EXPECT_TRUE(has(training_output, "60 training and 60 validation examples, 0 dialogues left out"));
  EXPECT_TRUE(has(training_output, "epoch  1  loss "));
  EXPECT_TRUE(has(training_output, "done: the best model is in " + run()));
  for (const char* file : {"config.json", "vocab.txt", "model.safetensors", "settings.json",
                           "state.json", "log.jsonl"}) {
    EXPECT_TRUE(fs::exists(run() + "/" + file)) << file;
  }
  const Json settings = Json::parse(shared->read("run/settings.json"));
  EXPECT_EQ(settings["preset"], "smoke");
  expect_made_with(settings["heed"], "train");
  const Json log = Json::parse(shared->read("run/log.jsonl"));
  EXPECT_EQ(log["epoch"], 1);
  EXPECT_GT(log["valid_perplexity"], 1.0);
  EXPECT_LT(log["valid_perplexity"], 151.0);
}

TEST_F(Program, EvaluateOnAllTestSets) {
  const std::string json = dir.path("results.json");
  const Arguments command = {"evaluate", "--model", run(), "--data", kTestPart, "--limit",
                             "20",       "--json",  json,  "--pool", kSample};
  const Result r = heed_program(command);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 11) << r.out;
  const Json results = Json::parse(dir.read("results.json"));
  ASSERT_EQ(results["test_sets"].size(), 10u);
  for (const auto& [name, set] : results["test_sets"].items()) {
    EXPECT_TRUE(has(r.out, name));
    EXPECT_EQ(set["dialogues"], 20);
    EXPECT_GT(set["perplexity"], 1.0);
    for (const char* key : {"das_ratio", "mean_das_ratio", "median_das_ratio", "as_distraction"}) {
      EXPECT_EQ(set[key].is_null(), name == "none") << key;
    }
    EXPECT_EQ(set["distracted"] == 0, name == "none");
    if (name == "none") continue;
    EXPECT_DOUBLE_EQ(set["das_ratio"],
                     set["as_distraction"].get<double>() / set["as_history"].get<double>());
  }
  EXPECT_EQ(heed_program(command + Arguments{"--threads", "1"}).out, r.out);
  EXPECT_EQ(Json::parse(dir.read("results.json"))["test_sets"], results["test_sets"]);
  const Result one = heed_program({"evaluate", "--model", run(), "--data", kTestPart, "--limit",
                                   "20", "--test", "frequent:end", "--json", "-"});
  EXPECT_EQ(Json::parse(one.out)["test_sets"]["frequent:end"],
            results["test_sets"]["frequent:end"]);
}

TEST_F(Program, ScoreHasTheKeysAndNumbersOfTheReference) {
  for (const std::string structure : {"non-hier", "dynamic-ui"}) {
    const std::string json = dir.path(structure + ".json"), place = kReference + structure;
    const Result r = heed_program({"score", "--model", place, "--data", place + "/dialogs.jsonl",
                                   "--json", json, "--dtype", "f64"});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "DAS ratio"));
    const Json scores = Json::parse(dir.read(structure + ".json"));
    std::ifstream file(place + "/expected.json");
    const Json expected = Json::parse(file);
    for (const char* key :
         {"perplexity", "das_ratio", "mean_das_ratio", "as_distraction", "as_history"}) {
      EXPECT_NEAR(scores[key], expected[key], 1e-9 * expected[key].get<double>()) << key;
    }
    ASSERT_EQ(scores["per_example"].size(), expected["dialogs"].size());
    for (size_t i = 0; i < expected["dialogs"].size(); ++i) {
      const Json &got = scores["per_example"][i], &want = expected["dialogs"][i];
      for (const std::string& key : keys(want)) EXPECT_TRUE(got.contains(key)) << key;
      EXPECT_EQ(got["id"], want["id"]);
      EXPECT_EQ(got["nll"].size(), want["nll"].size());
      EXPECT_NEAR(got["nll"][0], want["nll"][0], 1e-9);
      EXPECT_EQ(got["das_ratio"].is_null(), want["das_ratio"].is_null());
    }
  }
}

TEST_F(Program, ScoreOfATrainedModel) {
  const Result r = heed_program({"score", "--model", run(), "--data", kTestPart, "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json scores = Json::parse(r.out);
  EXPECT_EQ(scores["per_example"].size(), 830u);
  EXPECT_TRUE(scores["das_ratio"].is_null());
}

TEST(Verify, TheReferenceAndADamagedOne) {
  Arguments command = {"verify"};
  for (const char* s : {"non-hier", "static", "static-ui", "dynamic", "dynamic-ui"}) {
    command.push_back(kReference + s);
  }
  const Result r = heed_program(command);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_FALSE(has(r.out, "WRONG"));
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), 5 * 2 * 15);

  const TempDir dir;
  const Json both = Json::parse(
      heed_program({"verify", kReference + "static", "--json", "-", "--threads", "1"}).out);
  expect_made_with(both["heed"], "verify");
  EXPECT_EQ(both["heed"]["dtype"], "both");
  fs::copy(kReference + "static", dir.path("case"));
  Json expected = Json::parse(dir.read("case/expected.json"));
  expected["loss"] = expected["loss"].get<double>() * 1.01;
  dir.write("case/expected.json", expected.dump());
  // Wrong stays wrong, though the last case is right.
  const Result wrong =
      heed_program({"verify", dir.path("case"), kReference + "static", "--dtype", "f32"});
  expect_failure(wrong, 1, "verify: some numbers are outside of the tolerance", "verify");
  EXPECT_TRUE(has(wrong.out, "WRONG: loss: expected "));
}

TEST(Bench, PrintsOneLineOfJson) {
  const Result r =
      heed_program({"bench", "--structure", "static", "--batch", "2", "--embed", "8", "--hidden",
                    "8", "--layers", "1", "--vocab", "50", "--steps", "2"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(r.out);
  for (const char* key : {"tokens_per_s", "median_step_s", "loss", "share_of_peak"}) {
    EXPECT_GT(json.at(key), 0.0) << key;
  }
  EXPECT_EQ(json.at("bf16_tile"), nullptr);
}

TEST(Bench, OfBf16SaysWhatMultiplies) {
  const Result result =
      heed_program({"bench", "--structure", "static", "--batch", "2", "--embed", "8", "--hidden",
                    "8", "--layers", "1", "--vocab", "50", "--steps", "1", "--matmul", "bf16"});
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json.at("heed").at("matmul"), "bf16");
  EXPECT_EQ(json.at("bf16_tile") == "plain",
            result.err.find("has no instructions for it") != result.err.npos);
  EXPECT_GT(json.at("share_of_peak"), 0.0);
}

// Written into what they make; other numbers than those of f32, which are not taken for one
// another.
TEST_F(Program, CommandsMultiplyInBf16) {
  const std::string run = dir.path("run");
  const Arguments training = tiny_training(run), bf16 = {"--matmul", "bf16"};
  const Result trained = heed_program(training + bf16);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(Json::parse(dir.read("run/settings.json"))["heed"]["matmul"], "bf16");
  const Arguments score = {
      "score",  "--model", kReference + "dynamic", "--data", kReference + "dynamic/dialogs.jsonl",
      "--json", "-"};
  const Json exact = Json::parse(heed_program(score).out),
             rounded = Json::parse(heed_program(score + bf16).out);
  EXPECT_EQ(rounded["heed"]["matmul"], "bf16");
  const double f32 = exact["perplexity"], other = rounded["perplexity"];
  EXPECT_NE(other, f32);
  EXPECT_NEAR(other / f32, 1, 0.02);
  EXPECT_EQ(
      Json::parse(heed_program(score + bf16 + Arguments{"--threads", "3"}).out)["per_example"],
      rounded["per_example"]);
}

// Adam needs steps; SGD and who says --batch keep theirs.
TEST_F(Program, FewDialoguesAreTrainedInSmallBatches) {
  const std::string says = "batches of 4 instead of 32, as these are few";
  const auto batch_size = [&](const TempDir& where, const std::string& name) {
    return Json::parse(where.read(name + "/settings.json"))["batch_size"].get<int>();
  };
  EXPECT_TRUE(has(training_output, says)) << training_output;
  EXPECT_EQ(batch_size(*shared, "run"), 4);
  const Result sgd = heed_program(tiny_training(dir.path("sgd")) + Arguments{"--optimizer", "sgd"});
  EXPECT_FALSE(has(sgd.out, "batches of ")) << sgd.out;
  EXPECT_EQ(batch_size(dir, "sgd"), 32);
  const Result given = heed_program(tiny_training(dir.path("given")) + Arguments{"--batch", "16"});
  EXPECT_FALSE(has(given.out, "batches of ")) << given.out;
  EXPECT_EQ(batch_size(dir, "given"), 16);
}

// ---- options from a file ------------------------------------------------------------------------

TEST_F(Program, OptionsFromAFile) {
  const std::string config = dir.write(
      "my.toml", "[train]\ndata = \"" + kSample +
                     "\"\nlimit = 60\npreset = \"smoke\"\nvocab = 150\n"
                     "hidden = 8\nepochs = 1\nmax-turns = 4\nmax-utterance = 10\nthreads = 1\n"
                     "examples = \"last\"\ninsert-prob = 0.7\n");
  const Result r = heed_program({"train", "--config", config, "--out", dir.path("run")});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto settings = [](const TempDir& where) {
    Json json = Json::parse(where.read("run/settings.json"));
    json.erase("heed");  // when it began
    return json;
  };
  EXPECT_EQ(settings(dir), settings(*shared));
  EXPECT_EQ(dir.read("run/model.safetensors"), shared->read("run/model.safetensors"));
  // what stands on the command line counts
  const Result other = heed_program(
      {"train", "--config", config, "--out", dir.path("other"), "--insert-prob", "0.25"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(Json::parse(dir.read("other/settings.json"))["insert_prob"], 0.25);
}

TEST_F(Program, FilesOfOptionsThatAreWrong) {
  const std::string config = dir.write("my.toml", "[train]\nrate = \"fast\"\n");
  expect_failure(heed_program(tiny_training(dir.path("out")) + Arguments{"--config", config}), 2,
                 "--rate: expected a number above 0, got 'fast'", "no number");
  expect_failure(heed_program(tiny_training(dir.path("out")) + Arguments{"--config", "missing"}), 2,
                 "missing", "missing file");
  EXPECT_FALSE(fs::exists(dir.path("out")));
}

// ---- runs that are interrupted ------------------------------------------------------------------

// Half a second of steps, to be interrupted somewhere.
Arguments longer_training(const std::string& out) {
  return with(tiny_training(out), "--examples", "all") + Arguments{"--batch", "2", "--resume"};
}

void expect_equal_runs(const TempDir& dir, const std::string& a, const std::string& b) {
  for (const char* file : {"/model.safetensors", "/log.jsonl", "/state.json", "/vocab.txt"}) {
    EXPECT_EQ(dir.read(a + file), dir.read(b + file)) << file;
    EXPECT_FALSE(dir.read(a + file).empty()) << file;
  }
}

TEST_F(Program, InterruptedOrKilledRunsEndTheSame) {
  ASSERT_EQ(heed_program(longer_training(dir.path("whole"))).code, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const std::string name = "signal" + std::to_string(signal);
    for (const int milliseconds : {5, 40, 90}) {
      Running program(longer_training(dir.path(name)), dir, dir.path("out"));
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      program.send(signal);
      const int code = program.wait();
      EXPECT_TRUE(code == 0 || code == -signal) << code << dir.read("stderr");
    }
    const Result r = heed_program(longer_training(dir.path(name)));
    EXPECT_EQ(r.code, 0) << r.err;
    expect_equal_runs(dir, name, "whole");
  }
}

TEST_F(Program, AFinishedRunGoesOnWithMoreEpochs) {
  const std::string out = dir.path("run");
  ASSERT_EQ(heed_program(tiny_training(out)).code, 0);
  ASSERT_EQ(heed_program(tiny_training(dir.path("whole")) + Arguments{"--resume"}).code, 0);
  Arguments more = {"train", "--data", kSample, "--limit", "60", "--epochs", "2", "--resume"};
  for (const std::string name : {"run", "whole"}) {
    const Result r = heed_program(more + Arguments{"--out", dir.path(name)});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "continuing " + dir.path(name)));
    EXPECT_FALSE(has(r.out, "epoch  1  loss"));
    EXPECT_TRUE(has(r.out, "epoch  2  loss"));
  }
  expect_equal_runs(dir, "run", "whole");  // --resume on nothing had started a new run
}

// After a rate that was too large: a smaller one holds from then on, and is not asked for again.
TEST_F(Program, ARunGoesOnWithAnotherRate) {
  const std::string out = dir.path("run");
  ASSERT_EQ(heed_program(tiny_training(out) + Arguments{"--rate", "1", "--halve-after", "0"}).code,
            0);
  const Arguments more = {"train", "--data", kSample,    "--limit", "60",
                          "--out", out,      "--resume", "--epochs"};
  ASSERT_EQ(heed_program(more + Arguments{"2", "--rate", "0.25", "--max-norm", "2"}).code, 0);
  ASSERT_EQ(heed_program(more + Arguments{"3"}).code, 0);
  std::istringstream log(dir.read("run/log.jsonl"));
  std::vector<double> rates;
  for (std::string line; std::getline(log, line);) rates.push_back(Json::parse(line)["rate"]);
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_EQ(rates[0], 1);
  EXPECT_EQ(rates[1], 0.25);
  EXPECT_LE(rates[2], 0.25);
  const Json settings = Json::parse(dir.read("run/settings.json"));
  EXPECT_EQ(settings["max_norm"], 2);
  EXPECT_EQ(settings["max_epochs"], 3);
}

TEST_F(Program, DetectAnomalyNamesTheOp) {
  const Result r = heed_program(tiny_training(dir.path("run")) +
                                Arguments{"--rate", "1e300", "--detect-anomaly"});
  expect_failure(r, 1, "training: epoch 1, step 2: anomaly: gather_rows was given a number",
                 "rate 1e300");
  EXPECT_TRUE(has(r.err, "; the step was not applied. There is no checkpoint yet")) << r.err;
}

}  // namespace
}  // namespace heed
