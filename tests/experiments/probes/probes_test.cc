// heed reproduce probes as a user calls it: results, resumption, shards, the page, mistakes.
#include <cmath>
#include <nlohmann/json.hpp>

#include "dialog/respond/choose_epoch.h"
#include "dialog/stats/principal_components.h"
#include "experiments/engine/report/page.h"
#include "experiments/probes/measurement_json.h"
#include "nn/safetensors.h"
#include "tests/dialog/pretrained/tiny_bert.h"
#include "tests/golden.h"
#include "tests/heed/chromium.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Arguments probes_command(const std::string& out, const std::string& only = "*lstm") {
  return {"reproduce",       "probes",      "--data",       kSample, "--out",      out,
          "--preset",        "probe-smoke", "--only",       only,    "--limit",    "30",
          "--vocab",         "150",         "--hidden",     "8",     "--layers",   "1",
          "--max-turns",     "4",           "--batch",      "16",    "--max-iter", "30",
          "--max-utterance", "10",          "--jobs",       "2",     "--threads",  "1",
          "--responses",     "10",          "--max-length", "8"};
}

// One finished experiment for all tests that only read it: two models, two seeds.
class ProbesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = without_warnings(
        heed_program(probes_command(whole(), "[lt]*[mr]") + Arguments{"--seeds", "2"}));
    ASSERT_EQ(r.code, 0) << r.err;
    output = r.out;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string whole() { return shared->path("whole"); }
  static Json json(const std::string& file) { return Json::parse(shared->read("whole/" + file)); }

  static TempDir* shared;
  static std::string output;
  const TempDir dir;
};
TempDir* ProbesTest::shared = nullptr;
std::string ProbesTest::output;

TEST_F(ProbesTest, HasTheNumbersThatWereLookedAt) {
  Golden golden;
  golden.add_runs(whole());
  golden.expect("probes");
}

TEST_F(ProbesTest, MeasuresEveryEpochOfEveryRun) {
  EXPECT_TRUE(has(output, "4 runs, 0 of them done; 3 tasks, ")) << output;
  EXPECT_TRUE(has(output, "done: 4 of 4")) << output;
  EXPECT_EQ(json("probes.json")["data"]["tasks"], "ResponseLength,UtteranceLoc,WordCont");
  for (const char* run : {"lstm-seed1", "transformer-seed2"}) {
    const Json result = json(std::string(run) + "/evaluation.json");
    EXPECT_EQ(result["run"], run);
    for (const char* reading : {"raw", "standardised"}) {
      const Json& best = result["checkpoints"]["best"][reading]["UtteranceLoc"];
      double hits = 0, counted = 0;
      for (const Json& h : best["hits"]) hits += h.get<double>();
      for (const Json& c : best["counted"]) counted += c.get<double>();
      EXPECT_NEAR(best["f1"].get<double>(), counted > 0 ? hits / counted : 0, 1e-12);
      const Json& curve = result["by_epoch"][reading]["UtteranceLoc"];
      ASSERT_EQ(curve.size(), 3u);
      EXPECT_EQ(curve[0], result["checkpoints"]["untrained"][reading]["UtteranceLoc"]["f1"]);
      EXPECT_EQ(curve[2], result["checkpoints"]["last"][reading]["UtteranceLoc"]["f1"]);
      EXPECT_EQ(curve[result["best_epoch"].get<size_t>()], best["f1"]);
      EXPECT_TRUE(result["baselines"]["length"][reading].contains("WordCont"));
    }
    EXPECT_EQ(result["dialogues"].size(), json("probes.json")["data"]["probe_test_examples"]);
    EXPECT_EQ(result["selectivity"].size(), 3u);
    EXPECT_GT(result["checkpoints"]["untrained"]["length"], 0);
  }
}

// A run is one that heed probe sees the same of.
TEST_F(ProbesTest, AgreesWithHeedProbe) {
  const Result r = heed_program({"probe", "--model", whole() + "/lstm-seed1", "--data", kSample,
                                 "--limit", "30", "--max-iter", "30", "--epoch", "last", "--json",
                                 dir.path("probe.json"), "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json probe = Json::parse(dir.read("probe.json"));
  const Json ours = json("lstm-seed1/evaluation.json")["checkpoints"];
  for (const auto& [task, score] : probe["tasks"].items()) {
    EXPECT_EQ(score["f1"], ours["last"]["raw"][task]["f1"]) << task;
    EXPECT_EQ(probe["baselines"]["untrained"][task]["f1"], ours["untrained"]["raw"][task]["f1"]);
  }
  // Selectivity is that of the best epoch and the last reading.
  const Result best =
      heed_program({"probe", "--model", whole() + "/lstm-seed1", "--data", kSample, "--limit", "30",
                    "--max-iter", "30", "--standardise", "--controls", "--json",
                    dir.path("best.json"), "--threads", "1"});
  ASSERT_EQ(best.code, 0) << best.err;
  const Json selectivity = json("lstm-seed1/evaluation.json")["selectivity"];
  const Json written = Json::parse(dir.read("best.json"));
  for (const auto& [task, score] : written["tasks"].items()) {
    EXPECT_EQ(selectivity[task], score["selectivity"]) << task;
    EXPECT_DOUBLE_EQ(selectivity[task],
                     score["f1"].get<double>() - score["control_f1"].get<double>());
  }
}

// Where all that they are fitted to is drawn, the points spread as the shares of the components
// say.
TEST_F(ProbesTest, ThePointsSpreadByTheSharesOfTheirComponents) {
  const Json components = json("lstm-seed1/components.json");
  for (const char* checkpoint : {"untrained", "best", "last"}) {
    const Json& of = components[checkpoint];
    ASSERT_EQ(of["x"].size(), components["examples"]) << checkpoint;
    ASSERT_EQ(of["y"].size(), of["x"].size());
    double x = 0, y = 0;
    for (size_t i = 0; i < of["x"].size(); ++i) {
      x += std::pow(of["x"][i].get<double>(), 2);
      y += std::pow(of["y"][i].get<double>(), 2);
    }
    EXPECT_GT(of["share"][0], of["share"][1]) << checkpoint;
    EXPECT_NEAR(x / y, of["share"][0].get<double>() / of["share"][1].get<double>(), 1e-3 * x / y)
        << checkpoint;
  }
}

// Components are those of what heed features writes of the same epoch, and points have its labels,
// the most frequent ones first.
TEST_F(ProbesTest, ComponentsAreThoseOfTheFeatures) {
  const Json components = json("transformer-seed1/components.json");
  EXPECT_EQ(components["task"], "UtteranceLoc");
  for (const char* epoch : {"untrained", "last"}) {
    const Result r = heed_program({"features", "--model", whole() + "/transformer-seed1", "--data",
                                   kSample, "--limit", "30", "--epoch", epoch, "--out",
                                   dir.path(epoch), "--threads", "1"});
    ASSERT_EQ(r.code, 0) << r.err;
    const Tensor x = load_tensors(dir.path(epoch) + "/train.safetensors").at("x");
    const PrincipalComponents found = principal_components(x, 2);
    const Tensor at = found.coordinates(x);
    const Json& ours = components[epoch];
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(ours["share"][k].get<double>(), found.variance[k] / found.total, 1e-5) << epoch;
    }
    ASSERT_EQ(std::ssize(ours["x"]), x.shape()[0]);
    for (int64_t i = 0; i < x.shape()[0]; ++i) {
      EXPECT_NEAR(ours["x"][i].get<double>(), at(i, 0), 1e-3 * (1 + std::abs(at(i, 0)))) << i;
    }
  }
  std::istringstream lines(dir.read("last/train.jsonl"));
  std::vector<int> counts(components["labels"].size());
  size_t i = 0;
  for (std::string line; std::getline(lines, line); ++i) {
    const size_t label = components["label"].at(i);
    ASSERT_LT(label, counts.size());
    ++counts[label];
    EXPECT_EQ(Json::parse(line)["labels"]["UtteranceLoc"][0], components["labels"][label]) << i;
  }
  EXPECT_EQ(i, components["examples"]);
  EXPECT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()));
  EXPECT_GT(counts.front(), counts.back());
}

TEST_F(ProbesTest, TablesAndPage) {
  const Json table = json("tables/raw.json");
  ASSERT_EQ(table["rows"].size(), 2 * 3 + 3u);  // models x checkpoints, baselines
  const Json doubts = json("tables/doubts.json"), paper = json("tables/paper6.json");
  EXPECT_EQ(doubts["rows"].size(), 6u);
  EXPECT_EQ(paper["rows"].size(), 15u);
  EXPECT_EQ(json("tables/claims.json").size(), 15u);
  const Result r = heed_program({"report", "--runs", whole(), "--html", dir.path("page.html"),
                                 "--tables", dir.path("tables")});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = dir.read("page.html");
  for (const char* part : {"What do dialogue encoders know?", "Figures 5 to 7", "Table 8",
                           "9 of the 11 models are not finished", "12.2 points"}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  std::vector<double> f1;
  for (const char* run : {"lstm-seed1", "lstm-seed2", "transformer-seed1", "transformer-seed2"}) {
    const Json best = json(std::string(run) + "/evaluation.json")["checkpoints"]["best"]["raw"];
    for (const auto& [task, score] : best.items()) f1.push_back(100 * score["f1"].get<double>());
  }
  EXPECT_GT(*std::max_element(f1.begin(), f1.end()), 1);
  EXPECT_TRUE(has(page, range_text(f1, 1))) << range_text(f1, 1);
  EXPECT_EQ(page_problems(page), "");
  EXPECT_EQ(dir.read("tables/raw.csv"), shared->read("whole/tables/raw.csv"));
  const Result info = heed_program({"info", whole()});
  EXPECT_EQ(info.code, 0) << info.err;
}

TEST_F(ProbesTest, GoesOnByShardsToTheSameNumbers) {
  const std::string out = dir.path("out");
  const Arguments both = probes_command(out, "[lt]*[mr]") + Arguments{"--seeds", "2"};
  for (const char* shard : {"1/4", "3/4"}) {
    ASSERT_EQ(without_warnings(heed_program(both + Arguments{"--shard", shard})).code, 0);
  }
  for (const char* run : {"lstm-seed1", "lstm-seed2"}) {
    const std::string file = std::string(run) + "/evaluation.json";
    EXPECT_EQ(dir.read("out/" + file), shared->read("whole/" + file));
  }
  const Result again =
      without_warnings(heed_program(probes_command(out, "lstm") + Arguments{"--seeds", "2"}));
  EXPECT_TRUE(has(again.out, "2 runs, 2 of them done")) << again.out;
}

// A folder that a version made which knew evaluation.json only: its tables are made, and the same
// probes_command completes it without training or probing anything again.
TEST_F(ProbesTest, CompletesAFolderOfAnOlderVersion) {
  const std::string out = dir.path("old");
  fs::copy(source_dir() + "/tests/experiments/probes/run-folder-1", out,
           fs::copy_options::recursive);
  const auto bytes = [&](const std::string& file) {
    return dir.read("old/lstm-attention-seed1/" + file);
  };
  const std::string evaluation = bytes("evaluation.json"), model = bytes("model.safetensors"),
                    log = bytes("log.jsonl");
  const Arguments report = {"report", "--runs", out, "--html", dir.path("page.html")};
  ASSERT_EQ(heed_program(report).code, 0);
  EXPECT_TRUE(has(dir.read("page.html"), "Where models look: not measured yet"));

  const Arguments same =
      with(with(with(probes_command(out, "lstm-attention"), "--vocab", "40"), "--hidden", "4"),
           "--jobs", "1") +
      Arguments{"--embed", "4", "--readings", "raw"};
  const Arguments judged = {"--choose", "3", "--judge-encoder", imported_tiny_bert(dir, 40)};
  const Result r = without_warnings(heed_program(same + judged));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "1 run, 0 of them done")) << r.out;
  EXPECT_EQ(bytes("evaluation.json"), evaluation);
  EXPECT_EQ(bytes("model.safetensors"), model);
  EXPECT_EQ(bytes("log.jsonl"), log);
  const Json attention = Json::parse(bytes("attention.json")),
             components = Json::parse(bytes("components.json")),
             chosen = Json::parse(bytes("chosen.json")), taught = Json::parse(bytes("taught.json"));
  EXPECT_EQ(attention["test_sets"].size(), 9u);
  EXPECT_EQ(components["untrained"]["x"].size(), components["label"].size());
  EXPECT_EQ(taught["decode"], "taught");
  EXPECT_EQ(chosen["valid_dialogues"], 3);
  EXPECT_TRUE(chosen["best-meteor"]["raw"]["UtteranceLoc"]["f1"].is_number());
  const Json by_bert = Json::parse(bytes("judged.json"));
  const Json& best = by_bert["best-bert"];
  const std::vector<double> likeness = by_bert["by_epoch"];
  ASSERT_GT(likeness.size(), 1u);
  const auto most = std::max_element(likeness.begin(), likeness.end());
  EXPECT_EQ(best["epoch"], most - likeness.begin() + 1);
  EXPECT_EQ(best["valid"]["bert"], *most);
  EXPECT_LT(*most, 0);
  // The epochs of chosen.json are those of heed's own choice, by the same three dialogues.
  const auto kept = overlaps_of_epochs(out + "/lstm-attention-seed1",
                                       read_dialogues(kSample + "/valid.jsonl.gz", 3), 8, Device());
  for (const char* name : {"best-bleu", "best-rouge", "best-meteor"}) {
    const KeptEpoch its = best_epoch(kept, name);
    const Json& choice = chosen[name];
    EXPECT_EQ(choice["epoch"], its.epoch) << name;
    EXPECT_NEAR(choice["valid"]["bleu2"].get<double>(), its.overlap.bleu_2, 1e-9);
    EXPECT_NEAR(choice["valid"]["rouge_l"].get<double>(), its.overlap.rouge_l, 1e-9);
    EXPECT_NEAR(choice["valid"]["meteor"].get<double>(), its.overlap.meteor, 1e-9);
    EXPECT_EQ(choice["free"]["decode"], "greedy");
    EXPECT_EQ(choice["taught"]["decode"], "taught");
  }
  for (const auto& [name, choice] : chosen.items()) {  // an epoch is the same however it is chosen
    if (choice.is_object() && choice.value("epoch", 0) == best["epoch"]) {
      EXPECT_EQ(choice["raw"], best["raw"]) << name;
    }
  }
  // What evaluation.json has of the epoch is taken over, and of no other one.
  const Json checkpoints = Json::parse(evaluation)["checkpoints"];
  for (const auto& [name, checkpoint] : checkpoints.items()) {
    const bool same_epoch = checkpoint["epoch"] == best["epoch"];
    EXPECT_EQ(checkpoint["length"] == best["length"], same_epoch) << name;
    const Json scores = without_items(checkpoint)["raw"];
    EXPECT_TRUE(!same_epoch || scores == best["raw"]) << name;
  }
  ASSERT_EQ(heed_program(report).code, 0);
  EXPECT_FALSE(has(dir.read("page.html"), "not measured yet"));
  EXPECT_TRUE(has(dir.read("page.html"), "best-bert"));
  dir.write("old/lstm-attention-seed1/attention.json", R"({"attends": 0, "test_sets": {}})");
  ASSERT_EQ(heed_program(report).code, 0);
  EXPECT_TRUE(has(dir.read("page.html"), "None of these models has attention."));
  // without --choose it is as good as done, and with it too
  for (const Arguments& more : {Arguments{}, Arguments{"--choose", "3"}, judged}) {
    const Result again = without_warnings(heed_program(same + more));
    EXPECT_TRUE(has(again.out, "1 run, 1 of them done")) << again.out;
  }
}

// Rows for the layers of an imported encoder in a finished folder, whatever the number of seeds.
TEST_F(ProbesTest, ProbesAnEncoderThatOthersTrained) {
  const std::string out = dir.path("out"), bert = imported_tiny_bert(dir, 40);
  fs::copy(whole(), out, fs::copy_options::recursive);
  const Arguments layers =
      probes_command(out, "pretrained-*") + Arguments{"--seeds", "2", "--pretrained", bert};
  const Result r = without_warnings(heed_program(layers));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "2 runs, 0 of them done")) << r.out;
  EXPECT_TRUE(has(heed_program(layers).out, "2 runs, 2 of them done"));
  const auto evaluation = [&](const std::string& run) {
    return Json::parse(dir.read("out/" + run + "/evaluation.json"));
  };
  const Json layer = evaluation("pretrained-layer1-seed1");
  EXPECT_EQ(layer["encoder"], "bert");
  EXPECT_EQ(layer["layer"], 1);
  EXPECT_FALSE(layer.contains("epochs"));
  EXPECT_EQ(layer["dialogues"], json("lstm-seed1/evaluation.json")["dialogues"]);
  EXPECT_NE(layer["checkpoints"], evaluation("pretrained-layer0-seed1")["checkpoints"]);
  EXPECT_EQ(layer["selectivity"].size(), 3u);
  EXPECT_FALSE(fs::exists(out + "/pretrained-layer1-seed1/attention.json"));

  const Json table = Json::parse(dir.read("out/tables/standardised.json"));
  ASSERT_EQ(table["rows"].size(), 2 * 3 + 2 + 3 + 1u);  // ..., layers, baselines, one as wide
  EXPECT_EQ(table["rows"][6]["epoch"], "embeddings");
  EXPECT_EQ(table["rows"][7]["model"], "bert");
  EXPECT_EQ(table["rows"][7]["epoch"], "layer 1");
  const Json cell = table["rows"][7]["cells"][1];
  EXPECT_DOUBLE_EQ(cell["value"],
                   layer["checkpoints"]["best"]["standardised"]["UtteranceLoc"]["f1"]);
  EXPECT_LT(cell["low"], cell["high"]);
  EXPECT_EQ(Json::parse(dir.read("out/tables/changes-raw.json"))["rows"].size(), 10 + 2u);
  ASSERT_EQ(heed_program({"report", "--runs", out, "--html", dir.path("page.html")}).code, 0);
  EXPECT_EQ(page_problems(dir.read("page.html")), "");

  const TempDir another;
  const auto fails = [&](const std::string& encoder, const std::string& says) {
    expect_failure(heed_program(with(layers, "--pretrained", encoder)), 2, says, encoder);
  };
  fails(imported_tiny_bert(another, 20), "has rows of another encoder");
  fails(whole() + "/lstm-seed1", "has no layers to probe");
}

// Without bounds of the models' own it is what heed probe says.
TEST_F(ProbesTest, ALayerAgreesWithHeedProbe) {
  const std::string out = dir.path("out"), bert = imported_tiny_bert(dir, 40);
  Arguments all = probes_command(out, "pretrained-layer1");
  for (const char* bound : {"--max-turns", "--max-utterance"}) all = with(all, bound, "0");
  const Result r = without_warnings(heed_program(
      all + Arguments{"--max-context", "0", "--max-response", "0", "--pretrained", bert}));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json ours = Json::parse(dir.read("out/pretrained-layer1-seed1/evaluation.json"));
  const Result probe = heed_program({"probe", "--model", bert, "--layer", "1", "--data", kSample,
                                     "--limit", "30", "--max-iter", "30", "--standardise",
                                     "--controls", "--json", dir.path("probe.json")});
  ASSERT_EQ(probe.code, 0) << probe.err;
  const Json there = Json::parse(dir.read("probe.json"));
  for (const auto& [task, score] : there["tasks"].items()) {
    EXPECT_EQ(ours["checkpoints"]["best"]["standardised"][task]["f1"], score["f1"]) << task;
    EXPECT_EQ(ours["selectivity"][task], score["selectivity"]) << task;
  }
  EXPECT_EQ(there["tasks"].size(), 3u);
}

// Seeds whose epochs were chosen by other numbers of dialogues make no mean.
TEST_F(ProbesTest, ChoicesOfOtherDialoguesAreNotMixed) {
  fs::copy(whole(), dir.path("out"), fs::copy_options::recursive);
  const auto report = [&](int second) {
    dir.write("out/lstm-seed1/chosen.json", R"({"valid_dialogues": 3})");
    dir.write("out/lstm-seed2/chosen.json",
              R"({"valid_dialogues": )" + std::to_string(second) + "}");
    return heed_program({"report", "--runs", dir.path("out"), "--tables", dir.path("tables")});
  };
  EXPECT_EQ(report(3).code, 0);
  expect_failure(report(4), 1, "lstm-seed2/chosen.json: made with another --choose than the other",
                 "4 and 3");
}

// Dialogues of four turns, of which each answer is the same word six times: what is counted, and
// what a model writes that has learned them, of at most two words.
TEST_F(ProbesTest, CountsAndRespondsToSmallDialogues) {
  for (const auto& [part, count] : {std::pair{"train", 12}, {"valid", 6}, {"test", 5}}) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      const Json ask = {{"text", "is it " + std::to_string(i) + " ?"}},
                 answer = {{"text", "yes yes yes yes yes yes"}};
      lines += Json({{"id", i}, {"turns", {ask, answer, answer, answer}}}).dump() + "\n";
    }
    dir.write("data/" + std::string(part) + ".jsonl", lines);
  }
  Arguments command = probes_command(dir.path("out"), "lstm");
  for (const auto& [option, value] : {std::pair{"--data", dir.path("data")},
                                      {"--limit", "0"},
                                      {"--max-length", "2"},
                                      {"--vocab", "40"},
                                      {"--batch", "4"}}) {
    command = with(command, option, value);
  }
  command = command + Arguments{"--examples", "last",       "--epochs", "10",           "--rate",
                                "0.05",       "--readings", "raw",      "--test-limit", "4"};
  const Result r = without_warnings(heed_program(command));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json data = Json::parse(dir.read("out/probes.json"))["data"];
  EXPECT_EQ(data["train_examples"], 12);
  EXPECT_EQ(data["valid_examples"], 6);
  EXPECT_EQ(data["probe_train_examples"], 3 * 12);  // each turn but the first
  EXPECT_EQ(data["probe_test_examples"], 3 * 4);
  const Json evaluation = Json::parse(dir.read("out/lstm-seed1/evaluation.json"));
  const double bleu = mean_overlap({{"yes", "yes"}}, {Tokens(6, "yes")}).bleu_2;
  EXPECT_GT(bleu, 0.01);
  EXPECT_LT(bleu, 0.5);
  EXPECT_NEAR(evaluation["responses"]["bleu2"].get<double>(), bleu, 1e-9);
  EXPECT_GT(Json::parse(dir.read("out/lstm-seed1/taught.json"))["bleu2"], 0.5);  // has no bound
  // Labels of a task that the test part has not.
  dir.write("data/train.labels.jsonl", R"({"id": "0#3", "labels": {"Mood": ["good"]}})");
  expect_failure(without_warnings(heed_program(with(command, "--out", dir.path("other")))), 1,
                 "both need the same tasks", "Mood");
}

// Where a model looks is what heed evaluate says of the last examples of the dialogues.
TEST_F(ProbesTest, AttentionAgreesWithHeedEvaluate) {
  const Result r = heed_program({"evaluate", "--model", whole() + "/transformer-seed1", "--data",
                                 kSample, "--limit", "30", "--examples", "last", "--test",
                                 "frequent,rare", "--json", dir.path("e.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json there = Json::parse(dir.read("e.json"))["test_sets"];
  const Json here = json("transformer-seed1/attention.json")["test_sets"];
  for (const auto& [set, result] : there.items()) {
    EXPECT_EQ(here[set]["das_ratio"], result["das_ratio"]) << set;
    EXPECT_EQ(here[set]["distracted"], result["distracted"]) << set;
  }
  EXPECT_EQ(there.size(), 6u);
  EXPECT_EQ(json("lstm-seed1/attention.json")["attends"], 0);
  EXPECT_EQ(json("lstm-seed1/attention.json")["test_sets"].size(), 0u);
}

TEST_F(ProbesTest, Mistakes) {
  const auto fails = [&](const Arguments& more, const std::string& says) {
    expect_failure(heed_program(probes_command(whole()) + more), 2, says, join(more));
  };
  fails({"--readings", "raw,fine"}, "--readings: expected some of raw, standardised and mlp");
  fails({"--readings", "raw,raw"}, "each once");
  fails({"--readings", ""}, "--readings");
  fails({"--choose", "3", "--keep-every", "0"}, "--choose: there are no epochs to choose from");
  fails({"--choose", "-1"}, "--choose");
  fails({"--judge-encoder", kSample}, "--judge-encoder: needs --choose N");
  fails({"--readings", "raw"}, "holds an experiment with --readings \"raw,standardised\"");
  expect_failure(heed_program(with(probes_command(whole()), "--only", "gru")), 2,
                 "no variant fits 'gru'", "only");
  expect_failure(heed_program(with(probes_command(whole()), "--max-iter", "31")), 2,
                 "--max-iter 30", "max-iter");
  expect_failure(heed_program({"reproduce", "probes", "--data", kSample}), 2,
                 "--out is required (see heed reproduce probes --help)", "no out");
  expect_failure(heed_program({"reproduce", "--out", dir.path("x")}), 2,
                 "--data is required (see heed reproduce --help)", "the other experiment");
  expect_failure(heed_program({"reproduce", "--data", kSample, "--out", whole(), "--preset",
                               "smoke", "--limit", "40"}),
                 2, "probes.json: this folder holds another kind of runs", "distraction");
  expect_failure(heed_program({"report", "--runs", dir.path("no"), "--tables", dir.path("t")}), 1,
                 dir.path("no") + ": no such file or directory", "report");
  dir.write("bad/probes.json", "{\"data\": 3}");
  expect_failure(heed_program({"report", "--runs", dir.path("bad"), "--tables", dir.path("t")}), 1,
                 "probes.json: not what heed writes there", "a damaged folder");
}

}  // namespace
}  // namespace heed
