// heed reproduce history as a user calls it.
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "dialog/text/text_file.h"
#include "experiments/history/history.h"
#include "tests/golden.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

const std::string kModels = source_dir() + "/data/models/";

const Arguments kTraining = {"--preset", "smoke", "--vocab",  "150", "--hidden", "8",
                             "--embed",  "8",     "--epochs", "1",   "--batch",  "8"};

Arguments history_command(const std::string& out, const Arguments& systems,
                          const Arguments& training = kTraining) {
  return Arguments{"reproduce", "history", "--data",   kSample,        "--out",
                   out,         "--limit", "60",       "--test-limit", "30",
                   "--threads", "1",       "--systems"} +
         systems + training;
}

double sum(const Json& list) {
  double total = 0;
  for (const Json& one : list) total += one.is_null() ? 0 : one.get<double>();
  return total;
}

class HistoryExperiment : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(history_command(
        shared->path("whole"), {"dynamic", kModels + "baseline", kModels + "ranker"}));
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  static Json evaluation(const std::string& run, const std::string& file = "evaluation.json") {
    return Json::parse(shared->read("whole/" + run + "-seed1/" + file));
  }
  static TempDir* shared;
  const TempDir dir;
};
TempDir* HistoryExperiment::shared = nullptr;

TEST_F(HistoryExperiment, HasTheNumbersThatWereLookedAt) {
  Golden golden;
  golden.add_runs(shared->path("whole"));
  golden.expect("history");
}

// What is lower than with whole contexts stands in its panel, too.
TEST_F(HistoryExperiment, ALossThatFallsIsDrawn) {
  std::filesystem::copy(shared->path("whole"), dir.path("falls"),
                        std::filesystem::copy_options::recursive);
  const std::string file = "falls/baseline-seed1/evaluation.json";
  Json json = Json::parse(dir.read(file));
  Json& of = json["sets"]["turns:1"];
  of["rise"] = -2;
  for (size_t i = 0; i < of["rises"].size(); ++i)
    of["rises"][i] = -2 * json["counts"][i].get<int>();
  dir.write(file, json.dump());
  const Result r = heed_program({"report", dir.path("falls"), "--html", dir.path("falls.html")});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = dir.read("falls.html");
  const std::regex circle("<circle cx=\"[^\"]*\" cy=\"([^\"]*)\"");
  double lowest = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), circle), end; at != end; ++at) {
    lowest = std::max(lowest, std::stod((*at)[1]));
  }
  EXPECT_GT(lowest, 100);
  EXPECT_LT(lowest, 220);  // the height of a panel
}

// As heed train does: its topics, and the words of sentiment that are the last of the vocabulary.
TEST_F(HistoryExperiment, ReadsTheFilesOfItsSystems) {
  const auto config_of = [&](const std::string& system, const std::string& option,
                             const std::string& lines) {
    const Result r = heed_program(history_command(dir.path("out-" + system), {system}) +
                                  Arguments{option, dir.write(system, lines)});
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(dir.read("out-" + system + "/" + system + "-seed1/config.json"));
  };
  EXPECT_EQ(config_of("thred-topics", "--topics-file", "have do not can\nwith ubuntu on for\n")
                .at("topics"),
            2);
  const Json two = config_of("two-vocabulary", "--lexicon", "have\t2\nnot\t-2\n");
  EXPECT_EQ(two.at("generic_words"), two.at("vocab_size").get<int>() - 2);
}

// Another seed would measure an existing model again.
TEST_F(HistoryExperiment, AnExistingModelHasNoSeeds) {
  const auto variants = history::variants_of({"hred", kModels + "baseline"});
  EXPECT_TRUE(variants[0].of_seeds);
  EXPECT_FALSE(variants[1].of_seeds);
  EXPECT_TRUE(variants[1].trained);
}

// The perplexity of whole contexts is what heed evaluate says; and that of the last two utterances
// what it says of a model that reads no more.
TEST_F(HistoryExperiment, AgreesWithEvaluate) {
  const Json mine = evaluation("baseline");
  LineReader lines(kSample + "/train.jsonl.gz");  // as many as the experiment reads
  std::string pool;
  for (std::string_view line; lines.line_number() < 60 && lines.next(line);) {
    pool += std::string(line) + "\n";
  }
  dir.write("pool.jsonl", pool);
  const auto perplexity = [&](const std::string& model) {
    const std::string out = dir.path("e.json");
    const Result r = heed_program({"evaluate", "--model", model, "--data", kSample, "--limit", "30",
                                   "--test", "none,random:1.0", "--pool", dir.path("pool.jsonl"),
                                   "--seed", "1", "--json", out});
    EXPECT_EQ(r.code, 0) << r.err;
    return Json::parse(dir.read("e.json"))["test_sets"];
  };
  const Json whole = perplexity(kModels + "baseline");
  EXPECT_NEAR(mine["perplexity"], whole["none"]["perplexity"].get<double>(), 1e-3);
  EXPECT_NEAR(mine["das_ratio"], whole["random:1.0"]["das_ratio"].get<double>(), 1e-5);
  std::filesystem::copy(kModels + "baseline", dir.path("two"));
  Json settings = Json::parse(dir.read("two/settings.json"));
  settings["examples"]["max_turns"] = 2;
  dir.write("two/settings.json", settings.dump());
  const Json two = perplexity(dir.path("two"));
  const double cut = two["none"]["perplexity"];
  EXPECT_NEAR(
      mine["perplexity"].get<double>() * std::exp(mine["sets"]["turns:2"]["rise"].get<double>()),
      cut, 1e-2);
  const Json das = evaluation("baseline", "turns.json")["das"];
  EXPECT_EQ(das.size(), 7u);
  EXPECT_NEAR(das["turns:2"]["das_ratio"], two["random:1.0"]["das_ratio"].get<double>(), 1e-5);
  EXPECT_NE(das["turns:3"]["das_ratio"], das["turns:2"]["das_ratio"]);
}

// The right one is first where the reciprocal of its rank is 1.
TEST_F(HistoryExperiment, RecallIsThatOfTheRanks) {
  const Json mine = evaluation("ranker"), recall = evaluation("ranker", "turns.json")["recall"];
  EXPECT_EQ(recall.size(), 2 * (8u + 6u));
  EXPECT_FALSE(evaluation("ranker", "turns.json").contains("das"));
  for (const std::string set : {"turns:1", "turns:8", "turns:4-shuffled"}) {
    const Json &rises = mine["sets"][set]["rises"], &firsts = recall[set + "_items"];
    ASSERT_EQ(firsts.size(), rises.size());
    double sum = 0;
    for (size_t i = 0; i < rises.size(); ++i) {
      ASSERT_EQ(firsts[i].is_null(), rises[i].is_null());
      if (rises[i].is_null()) continue;
      const double loss = mine["losses"][i].get<double>() + rises[i].get<double>();
      EXPECT_EQ(firsts[i].get<double>() == 1, loss < 1e-4) << set << i;
      EXPECT_EQ(firsts[i].get<double>() == 0, loss > 0.4999) << set << i;
      sum += firsts[i].get<double>();
    }
    EXPECT_NEAR(recall[set], sum / 100, 1e-9) << set;
    EXPECT_GT(sum, 3) << set;
  }
}

TEST_F(HistoryExperiment, NumbersFitTogether) {
  for (const char* run : {"dynamic", "baseline", "ranker"}) {
    const Json mine = evaluation(run);
    const double counts = std::string(run) == "ranker" ? 100 : sum(mine["counts"]);
    const auto rise = [&](const std::string& set) {
      return mine["sets"][set]["rise"].get<double>();
    };
    EXPECT_EQ(mine["sets"].size(), 8u + 6u + 8u);
    for (const auto& [name, set] : mine["sets"].items()) {
      EXPECT_NEAR(set["rise"], sum(set["rises"]) / counts, 1e-4) << run << name;
      EXPECT_EQ(set["rises"].size(), mine["conversations"].size());
    }
    EXPECT_NEAR(mine["contrasts"]["order less presence"]["rise"],
                rise("turns-shuffled") - rise("turns:1"), 1e-9);
    EXPECT_NEAR(mine["contrasts"]["last less first"]["rise"],
                rise("last-dropped") - rise("first-dropped"), 1e-9);
  }
  EXPECT_GT(evaluation("baseline")["sets"]["turns:1"]["rise"], 0.01);
  const Json ranker = evaluation("ranker");
  EXPECT_EQ(ranker["perplexity"], nullptr);
  EXPECT_NEAR(ranker["mrr"], 1 - sum(ranker["losses"]) / 100, 1e-4);
  EXPECT_GT(ranker["mrr"], 0.1);
  // A bag of words knows no order of words, but for what its bounds cut.
  EXPECT_LT(std::abs(ranker["sets"]["words-reversed"]["rise"].get<double>()), 0.01);
  EXPECT_GT(std::abs(ranker["sets"]["turns:1"]["rise"].get<double>()), 0.01);
}

// The ends of intervals: in a table, and how high a figure draws them.
struct Drawn {
  std::vector<double> values, places;
};
void add_ends(const Json& row, const std::string& panel, const std::string& css, Drawn& all) {
  for (const Json& cell : row["cells"]) {
    for (const char* end : {"low", "high"}) all.values.push_back(cell[end]);
  }
  const std::regex line("y1=\"([^\"]*)\" x2=\"[^\"]*\" y2=\"([^\"]*)\" class=\"" + css + " thin\"");
  for (std::sregex_iterator at(panel.begin(), panel.end(), line), end; at != end; ++at) {
    for (const size_t y : {1, 2}) all.places.push_back(std::stod((*at)[y]));
  }
}

// Each interval of the tables, and none is cut off above 0: all lie on one scale.
TEST_F(HistoryExperiment, FiguresDrawTheIntervals) {
  const std::string page = dir.path("page.html");
  ASSERT_EQ(heed_program({"report", shared->path("whole"), "--html", page}).code, 0);
  std::vector<std::string> rises, das;  // panels
  Drawn of_rises, of_das;
  const std::string html = dir.read("page.html");
  for (size_t at = html.find("<svg"); at != html.npos; at = html.find("<svg", at + 1)) {
    const std::string panel = html.substr(at, html.find("</svg>", at) - at);
    if (has(panel, "rise of the loss by the number of turns")) rises.push_back(panel);
    if (has(panel, "DAS ratio by the number of turns")) das.push_back(panel);
  }
  const auto rows = [&](const std::string& table) {
    return Json::parse(shared->read("whole/tables/" + table + ".json"))["rows"];
  };
  const Json turns = rows("turns"), shuffled = rows("shuffled"), ratios = rows("das");
  ASSERT_EQ(rises.size(), 3u);
  ASSERT_EQ(das.size(), 2u);  // a ranker has none
  for (size_t v = 0; v < 3; ++v) {
    add_ends(turns[v], rises[v], "c0", of_rises);
    add_ends(shuffled[v], rises[v], "c1", of_rises);
  }
  for (size_t v = 0; v < 2; ++v) add_ends(ratios[v], das[v], "c2", of_das);
  for (const Drawn& all : {of_rises, of_das}) {
    ASSERT_EQ(all.values.size(), all.places.size());
    size_t least = 0, most = 0;  // of those that are above 0
    for (size_t i = 0; i < all.values.size(); ++i) {
      if (all.values[i] > all.values[most]) most = i;
      const bool lower = all.values[i] < all.values[least] || all.values[least] < 0;
      if (all.values[i] >= 0 && lower) least = i;
    }
    const double scale =
        (all.places[most] - all.places[least]) / (all.values[most] - all.values[least]);
    EXPECT_GT(all.places[least] - all.places[most], 50);  // upwards
    for (size_t i = 0; i < all.values.size(); ++i) {
      if (all.values[i] < 0) continue;
      EXPECT_NEAR(all.places[i], all.places[least] + scale * (all.values[i] - all.values[least]),
                  0.3);
    }
  }
}

TEST_F(HistoryExperiment, HasTablesClaimsAndAPage) {
  const std::string out = shared->path("whole");
  const std::string page = dir.path("page.html");
  const Result r = heed_program({"report", out, "--html", page});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string html = dir.read("page.html");
  for (const char* part : {"What is the history worth?", "The history is of use.", "words-reversed",
                           "history shuffled", "DAS ratio of random:1.0", "dynamic"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  for (const char* table :
       {"systems", "turns", "shuffled", "perturbed", "das", "recall", "claims", "runs"}) {
    EXPECT_NE(shared->read("whole/tables/" + std::string(table) + ".md").find('|'),
              std::string::npos);
  }
  const Json rows = Json::parse(shared->read("whole/tables/systems.json"))["rows"];
  for (size_t v = 0; v < 3; ++v) {
    EXPECT_EQ(rows[v]["trained"], v == 0 ? "here" : "as it is") << rows[v]["system"];
  }
}

// Of a run of another experiment neither its numbers nor who worked on it: only the model.
TEST_F(HistoryExperiment, MeasuresARunOfAnotherFolderAnew) {
  std::filesystem::copy(shared->path("whole/baseline-seed1"), dir.path("run"));
  for (const char* file : {"evaluation.json", "turns.json", "times.json"}) {
    dir.write("run/" + std::string(file), "{}");
  }
  dir.write("run/owner-7", "");
  const Result r = heed_program(history_command(dir.path("out"), {dir.path("run") + "/"}, {}));
  ASSERT_EQ(r.code, 0) << r.err;
  for (const char* file : {"evaluation.json", "turns.json"}) {
    Json mine = Json::parse(dir.read("out/run-seed1/" + std::string(file))),
         its = evaluation("baseline", file);
    for (Json* json : {&mine, &its}) json->erase("run"), json->erase("system");
    EXPECT_EQ(mine, its) << file;
  }
  EXPECT_FALSE(std::filesystem::exists(dir.path("out/run-seed1/owner-7")));
}

TEST_F(HistoryExperiment, SystemsAreChecked) {
  const auto fails = [&](const Arguments& systems, int code, const std::string& says) {
    expect_failure(heed_program(history_command(dir.path("x"), systems)), code, says,
                   join(systems));
  };
  fails({"statik"}, 2, "statik");
  fails({"dynamic", kModels + "dynamic"}, 2, "--systems: needs different names, got '");
  fails({kSample}, 1, "config.json");
  dir.write("reader/config.json", R"({"format": 2, "system": "comprehend"})");
  fails({dir.path("reader")}, 2, "a reader of passages, which cannot rank; models of");
  fails({kModels + "ranker"}, 2, "only applies with a structure in --systems");
  fails({"dynamic", "--attention-weight", "2"}, 2,
        "--attention-weight: only applies with turns that the dialogues mark as distractions");
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
}

}  // namespace
}  // namespace heed
