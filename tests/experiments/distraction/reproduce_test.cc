// heed reproduce and heed report as a user calls them: what they leave, and what agrees with it.
#include <regex>

#include "dialog/data/corpus.h"
#include "tests/experiments/distraction/reproduce_helpers.h"
#include "tests/golden.h"
#include "tests/paths.h"

namespace heed {
namespace {

// The weight of the attention loss is that of the preset, and 0 in the variants without the loss.
TEST_F(Reproduce, VariantsDifferInTheirAttentionLoss) {
  const auto weight = [](const std::string& run) {
    return Json::parse(shared->read("whole/" + run + "/settings.json"))["attention_weight"];
  };
  EXPECT_EQ(weight("static-ui-p0.7-seed1"), 3);
  EXPECT_EQ(weight("static-ui-p0.7-no-loss-seed1"), 0);
}

TEST_F(Reproduce, HasTheNumbersThatWereLookedAt) {
  Golden golden;
  golden.add_runs(whole());
  golden.expect("distraction");
}

TEST_F(Reproduce, TellsWhatItDoesAndLeavesResults) {
  EXPECT_TRUE(has(output, "7 runs, 0 of them done; 40 training, 40 validation and 40 test"));
  EXPECT_TRUE(has(output, "epoch  2 of 2  valid perplexity"));
  EXPECT_TRUE(has(output, "done: 7 of 7"));
  EXPECT_EQ(results_in(whole()).size(), 7u * 5 + 2 + 3 * 11 + 2);
  const Json run = Json::parse(shared->read("whole/static-ui-p0.7-no-loss-seed1/evaluation.json"));
  EXPECT_EQ(run["variant"], "static-ui-p0.7-no-loss");
  EXPECT_EQ(run["test_sets"].size(), 10u);
  EXPECT_EQ(run["nll"].size(), 40u);
  EXPECT_EQ(run["conversations"].size(), 40u);
  EXPECT_LT(run["conversations"].back(), 39);  // some of them share text
  const auto mean_of = [](const Json& numbers, const Json& where) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (!numbers[i].is_null() && !where[i].is_null()) sum += numbers[i].get<double>(), ++count;
    }
    return sum / count;
  };
  for (const auto& [name, set] : run["test_sets"].items()) {
    const Json &d = set["dialogues_as_distraction"], &h = set["dialogues_as_history"];
    ASSERT_EQ(h.size(), 40u) << name;
    ASSERT_EQ(d.size(), name == "none" ? 0u : 40u) << name;
    EXPECT_NEAR(mean_of(h, name == "none" ? h : d), set["as_history"], 1e-4) << name;
    if (name == "none") continue;
    EXPECT_NEAR(mean_of(d, h), set["as_distraction"], 1e-4) << name;
    EXPECT_NEAR(mean_of(d, h) / mean_of(h, d), set["das_ratio"], 1e-4) << name;
  }
}

// A variant is an ordinary run: the other commands see the same numbers.
TEST_F(Reproduce, EvaluateAgrees) {
  const std::string place = whole() + "/static-ui-p0.7-seed1";
  const Json expected = Json::parse(shared->read("whole/static-ui-p0.7-seed1/evaluation.json"));
  // the training part without what --limit left out is the pool
  std::vector<Dialogue> pool = read_dialogues(kSample + "/train.jsonl.gz", 40);
  write_dialogues(dir.path("pool.jsonl"), pool);
  const Result r = heed_program({"evaluate", "--model", place, "--data", kTestPart, "--limit", "40",
                                 "--pool", dir.path("pool.jsonl"), "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json sets = Json::parse(r.out)["test_sets"];
  for (const auto& [name, set] : sets.items()) {
    EXPECT_EQ(set["perplexity"], expected["test_sets"][name]["perplexity"]) << name;
    for (const char* key : {"das_ratio", "mean_das_ratio", "median_das_ratio", "as_first"}) {
      EXPECT_EQ(set[key], expected["test_sets"][name][key]) << name << " " << key;
    }
  }
}

// The same dialogues, distractions, conversations and draws: the same changes and intervals, but
// for the digits that evaluation.json keeps of a dialogue.
TEST_F(Reproduce, CompareAgreesWithTheTables) {
  write_dialogues(dir.path("pool.jsonl"), read_dialogues(kSample + "/train.jsonl.gz", 40));
  const Result r = heed_program({"compare", whole() + "/static-ui-p0-seed1",
                                 whole() + "/static-ui-p0.7-seed1", "--data", kTestPart, "--limit",
                                 "40", "--pool", dir.path("pool.jsonl"), "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json compared = Json::parse(r.out);
  ASSERT_EQ(compared["rows"].size(), 10u);
  int found = 0;
  const Json changes = Json::parse(shared->read("whole/tables/changes.json"));
  for (const Json& row : changes["rows"]) {
    if (!has(row["sources"].dump(), "\"static-ui-p0.7-seed1/")) continue;
    ASSERT_EQ(row["cells"].size(), 9u);
    for (size_t s = 0; s < 9; ++s) {
      const Json& change = compared["rows"][s + 1]["runs"][1]["change"];
      for (const char* key : {"value", "low", "high"}) {
        EXPECT_NEAR(change[key], row["cells"][s][key], 2e-4) << s << key;
      }
    }
    ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST_F(Reproduce, RespondAgrees) {
  const std::string run = "whole/static-ui-p0.7-seed1";
  const Result r =
      heed_program({"respond", "--model", shared->path(run), "--data", kSample, "--limit", "40",
                    "--max-length", "8", "--json", "-", "--out", dir.path("responses.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(dir.read("responses.jsonl"), shared->read(run + "/responses.jsonl"));
  const Json measured = Json::parse(r.out),
             expected = Json::parse(shared->read(run + "/evaluation.json"));
  for (const char* key : {"bleu", "distinct_1", "distinct_2", "mean_length"}) {
    EXPECT_EQ(measured["responses"][key], expected["responses"][key]) << key;
  }
  const Json samples = Json::parse(shared->read("whole/samples.json"));
  EXPECT_EQ(measured["human"]["distinct_2"], samples["human"]["distinct_2"]);
}

// No date, no number of threads: equal runs have equal files.
TEST_F(Reproduce, ResultsSayWhatMadeThem) {
  const Json run = Json::parse(shared->read("whole/static-ui-p0.7-seed1/evaluation.json"));
  const Json experiment = Json::parse(shared->read("whole/experiment.json"));
  EXPECT_EQ(run["heed"]["device"], "cpu");
  EXPECT_EQ(run["heed"]["matmul"], "f32");
  for (const char* key : {"version", "commit", "kernels"}) {
    EXPECT_NE(run["heed"][key].get<std::string>(), "") << key;
    EXPECT_EQ(run["heed"][key], experiment["heed"][key]) << key;
  }
  EXPECT_EQ(experiment["settings"]["device"], "cpu");
}

// ---- report

TEST_F(Reproduce, ReportMakesThePageAndTheTables) {
  const Result r = heed_program({"report", "--runs", whole(), "--html", dir.path("page.html"),
                                 "--tables", dir.path("tables")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(dir.read("page.html"), "16 of the 23 variants are not finished"));
  for (const auto& [name, bytes] : results_in(whole())) {
    if (name.rfind("tables/", 0) != 0) continue;
    EXPECT_TRUE(dir.read(name) == bytes) << name;
  }
  EXPECT_EQ(dir.count_files(), 2u);
}

// What is kept of an experiment: no models, no checkpoints.
TEST_F(Reproduce, ReportNeedsTheResultsOnly) {
  for (const auto& [name, bytes] : results_in(whole())) {
    if (!has(name, "safetensors") && !has(name, "tables")) dir.write("kept/" + name, bytes);
  }
  const Result r =
      heed_program({"report", "--runs", dir.path("kept"), "--tables", dir.path("tables")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(dir.read("tables/table3.json"), shared->read("whole/tables/table3.json"));
}

// A run whose model is worse than a uniform guess is finished, but says so.
TEST_F(Reproduce, ARunThatWentWrongSaysSo) {
  Arguments command = tiny_experiment(dir.path("runs"));
  *std::find(command.begin(), command.end(), "static-ui*") = "static-ui-p0";
  const Result r = heed_program(command + Arguments{"--rate", "8"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "1 run, 0 of them done; ")) << r.out;
  EXPECT_TRUE(
      std::regex_search(r.out, std::regex("epoch  2 of 2 .*  worse than a uniform guess\n")))
      << r.out;
  EXPECT_TRUE(has(r.out, "done: 1 of 1  worse than a uniform guess\n")) << r.out;
  EXPECT_FALSE(has(output, "worse than")) << output;
}

// Tables beside results are those of the results.
TEST_F(Reproduce, TheTablesAreThoseOfTheirResults) {
  expect_tables_of_results(whole());
}

TEST_F(Reproduce, ReportOfWhatIsNoExperiment) {
  const std::string page = dir.path("page.html");
  const auto fails = [&](const std::string& runs, const std::string& says) {
    expect_failure(heed_program({"report", "--runs", runs, "--html", page}), 1, says, runs);
    EXPECT_FALSE(fs::exists(page));
  };
  fails(dir.path("missing"), dir.path("missing") + ": no such file or directory");
  fs::create_directory(dir.path("empty"));
  fails(dir.path("empty"), "holds no experiment.json; give the --out of heed reproduce");
  expect_failure(heed_program({"report", "--runs", whole()}), 2, "give --html FILE or --tables DIR",
                 "nothing to write");
  // A place that cannot be written to is noticed before anything is read.
  const std::string under = dir.write("file", "mine") + "/tables";
  expect_failure(heed_program({"report", dir.path("empty"), "--tables", under}), 1,
                 under + ": cannot write", "a folder below a file");
  EXPECT_EQ(heed_program({"report", whole(), "--tables", dir.path("new/one")}).code, 0);
  EXPECT_TRUE(fs::exists(dir.path("new/one/table3.md")));
  fs::copy(whole(), dir.path("copy"), fs::copy_options::recursive);
  const std::string file = "copy/static-ui-p0-seed1/evaluation.json";
  const std::string bytes = dir.read(file);
  dir.write(file, bytes.substr(0, bytes.size() / 2));
  fails(dir.path("copy"), "evaluation.json: not what heed writes there");
  Json json = Json::parse(bytes);
  const auto fails_with = [&](const std::string& pointer, const Json& value,
                              const std::string& says) {
    Json changed = Json::parse(bytes);
    changed[Json::json_pointer(pointer)] = value;
    dir.write(file, changed.dump());
    fails(dir.path("copy"), says);
  };
  const std::string lists = "the lists of its dialogues do not fit together";
  fails_with("/test_sets/rare:end/dialogues_as_distraction", Json::array({1.0}), lists);
  fails_with("/test_sets/none/dialogues_as_history", Json::array(), lists);
  fails_with("/conversations/0", 7, lists);
  fails_with("/conversations/0", -1, lists);
  fails_with("/conversations", Json::array({0}), lists);
  fails_with("/conversations/39", 0, "of other dialogues than the other runs");
  json["samples"].erase(0);
  dir.write(file, json.dump());
  fails(dir.path("copy"), "of other dialogues than the other runs");
  for (const auto& entry : fs::directory_iterator(dir.path("copy"))) {
    if (entry.is_directory()) fs::remove(entry.path() / "evaluation.json");
  }
  fails(dir.path("copy"), "no run is finished yet");
  json = Json::parse(dir.read("copy/experiment.json"));
  json["format"] = 1;
  dir.write("copy/experiment.json", json.dump());
  fails(dir.path("copy"), "experiment.json: written by another version of heed");
}

// A perplexity that is too large for a number is null in the file, and missing in the tables.
TEST_F(Reproduce, ReportWithAPerplexityThatOverflowed) {
  fs::copy(whole(), dir.path("copy"), fs::copy_options::recursive);
  const std::string file = "copy/static-ui-p0-seed1/evaluation.json";
  Json json = Json::parse(dir.read(file));
  json["test_sets"]["none"]["perplexity"] = json["test_sets"]["rare:end"]["perplexity"] = nullptr;
  json["nll"][0] = nullptr;
  dir.write(file, json.dump());
  const Result r = heed_program({"report", "--runs", dir.path("copy"), "--html", dir.path("p.html"),
                                 "--tables", dir.path("tables")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(dir.read("tables/table3.md"), "| p = 0 | static-ui | – |"));
  EXPECT_FALSE(has(dir.read("tables/table3.csv"), "null"));
  EXPECT_FALSE(has(dir.read("p.html"), ">inf"));
}

}  // namespace
}  // namespace heed
