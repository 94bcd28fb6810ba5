// heed reproduce mediation as a user calls it: numbers, tables, claims, the page, resumption.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dialog/text/format.h"
#include "tests/golden.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Arguments mediation_command(const std::string& out, const std::string& only,
                            const std::string& seeds) {
  return {"reproduce",    "mediation", "--data",      kSample,   "--out",           out,
          "--preset",     "smoke",     "--only",      only,      "--seeds",         seeds,
          "--limit",      "40",        "--vocab",     "150",     "--hidden",        "8",
          "--embed",      "8",         "--epochs",    "2",       "--batch",         "8",
          "--jobs",       "2",         "--rate",      "0.05",    "--max-utterance", "10",
          "--threads",    "1",         "--max-turns", "4",       "--examples",      "last",
          "--max-length", "5",         "--rare",      "see you", "my old friend",   "--frequent",
          "what then"};
}

// One finished experiment for all tests that only read it.
class MediationExperiment : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = without_warnings(heed_program(mediation_command(whole(), "static-ui-*", "2")));
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string whole() { return shared->path("whole"); }
  static Json json(const std::string& file) { return Json::parse(shared->read("whole/" + file)); }
  static Json evaluation(const std::string& condition, int seed = 1) {
    return json("static-ui-" + condition + "-seed" + std::to_string(seed) + "/evaluation.json");
  }

  static TempDir* shared;
  const TempDir dir;
};
TempDir* MediationExperiment::shared = nullptr;

double sum_of(const Json& list) {
  double total = 0;
  for (const Json& one : list) total += one.is_null() ? 0 : one.get<double>();
  return total;
}

TEST_F(MediationExperiment, HasTheNumbersThatWereLookedAt) {
  Golden golden;
  golden.add_runs(whole());
  golden.expect("mediation");
}

TEST_F(MediationExperiment, EachConditionIsTrainedAsItSays) {
  const auto settings = [&](const std::string& condition) {
    return json("static-ui-" + condition + "-seed2/settings.json");
  };
  const double weight = settings("insertion-loss")["attention_weight"];
  EXPECT_GT(weight, 0);
  EXPECT_EQ(settings("none")["insert_prob"], 0);
  EXPECT_EQ(settings("insertion")["insert_prob"], 0.7);
  EXPECT_EQ(settings("insertion")["attention_weight"], 0);
  EXPECT_EQ(settings("placebo")["attention_weight"], weight);
  EXPECT_EQ(settings("placebo")["insert_prob"], 0.7);
  EXPECT_EQ(settings("placebo")["own_distractions"], true);
  EXPECT_FALSE(settings("insertion-loss").contains("own_distractions"));
  // The trainings differ, so the models do.
  std::set<double> perplexities;
  for (const char* c : {"none", "insertion", "insertion-loss", "placebo"}) {
    for (const int seed : {1, 2})
      perplexities.insert(evaluation(c, seed)["perplexity"].get<double>());
  }
  EXPECT_EQ(perplexities.size(), 8u);
}

// Against the likelihoods that heed evaluate writes of the same model and the same distractions.
TEST_F(MediationExperiment, HarmIsTheDifferenceThatEvaluateMeasures) {
  const Json mine = evaluation("insertion-loss", 2);
  const std::string out = dir.path("evaluate.json");
  const Result r = without_warnings(heed_program(
      {"evaluate", "--model", whole() + "/static-ui-insertion-loss-seed2", "--data", kSample,
       "--limit", "40", "--pool", kSample + "/train.jsonl.gz", "--test", "none,random:1.0,rare:end",
       "--seed", "1", "--rare", "see you", "my old friend", "--json", out}));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json sets = Json::parse(dir.read("evaluate.json"))["test_sets"];
  const auto log_perplexity = [&](const std::string& set) {
    return std::log(sets[set]["perplexity"].get<double>());
  };
  EXPECT_NEAR(std::log(mine["perplexity"].get<double>()), log_perplexity("none"), 1e-6);
  // rare: phrases do not depend on the pool, which --limit cuts here and not there
  EXPECT_NEAR(mine["test_sets"]["rare:end"]["harm"]["as it is"].get<double>(),
              1000 * (log_perplexity("rare:end") - log_perplexity("none")), 1e-3);
}

TEST_F(MediationExperiment, TestsAreAsItsOptionsSay) {
  const Json settings = json("mediation.json")["settings"];
  EXPECT_EQ(settings["max-length"], 5);
  EXPECT_EQ(settings["rare"], (Json{"see you", "my old friend"}));
  EXPECT_EQ(settings["frequent"], Json{"what then"});
  const Json responses = evaluation("none")["responses"];
  for (const char* set : {"clean", "distracted"}) {
    EXPECT_LE(responses[set]["mean_length"], 5) << set;
    EXPECT_GT(responses[set]["mean_length"], 0) << set;
  }
  const Result help = heed_program({"reproduce", "mediation", "--help"});
  for (const char* option : {"--max-length", "--frequent", "--rare"}) {
    EXPECT_TRUE(has(help.out, option)) << option;
  }
}

TEST_F(MediationExperiment, NumbersAreSumsOfTheirLists) {
  const Json result = evaluation("none");
  const double tokens = sum_of(result["tokens"]);
  EXPECT_NEAR(result["perplexity"].get<double>(), std::exp(sum_of(result["nll"]) / tokens), 1e-3);
  ASSERT_EQ(result["test_sets"].size(), 6u);
  for (const auto& [name, set] : result["test_sets"].items()) {
    ASSERT_EQ(set["harm"].size(), 5u) << name;
    for (const auto& [reading, harm] : set["harm"].items()) {
      EXPECT_EQ(set["harms"][reading].size(), result["tokens"].size());
      EXPECT_NEAR(harm.get<double>(), sum_of(set["harms"][reading]) / tokens, 1e-3)
          << name << ' ' << reading;
    }
    EXPECT_NEAR(set["harm"]["unread less unseen"].get<double>(),
                set["harm"]["unread"].get<double>() - set["harm"]["unseen"].get<double>(), 1e-6);
    EXPECT_NEAR(set["das_ratio"].get<double>(),
                sum_of(set["as_distractions"]) / sum_of(set["as_histories"]), 1e-4);
  }
  const Json& responses = result["responses"];
  EXPECT_NEAR(responses["share_changed"].get<double>(),
              sum_of(responses["changed"]) / static_cast<double>(result["tokens"].size()), 1e-12);
}

// Beside the harm: of each utterance a number a dialogue, and the attention score of the query that
// heed score says.
TEST_F(MediationExperiment, ExchangesAreSumsOfTheirLists) {
  const Json result = evaluation("none");
  const Json exchange = json("static-ui-none-seed1/exchange.json");
  for (const char* which : {"query", "history"}) {
    const Json& of = exchange[which];
    ASSERT_EQ(of["harms"].size(), result["tokens"].size()) << which;
    EXPECT_NEAR(of["harm"].get<double>(), sum_of(of["harms"]) / sum_of(result["tokens"]), 1e-3)
        << which;
    EXPECT_NEAR(of["look"].get<double>(),
                sum_of(of["look_items"]) / static_cast<double>(of["look_items"].size()), 1e-4);
    EXPECT_NE(of["harm"], 0);
  }
  EXPECT_NE(exchange["query"]["harm"], exchange["history"]["harm"]);
  const Json table = this->json("tables/exchange.json");
  const double both = (exchange["query"]["harm"].get<double>() +
                       json("static-ui-none-seed2/exchange.json")["query"]["harm"].get<double>()) /
                      2;
  EXPECT_NEAR(table["rows"][0]["cells"][0]["value"].get<double>(), both, 1e-3);
}

// Of each source a number a dialogue, whose means are those of the map.
TEST_F(MediationExperiment, PlacesAreMeansOfTheirListsAndOfTheirMap) {
  const Json result = evaluation("none");
  const Json places = json("static-ui-none-seed1/places.json"), &own = places["own"];
  const double tokens = sum_of(places["tokens"]);
  size_t dialogues = 0;
  for (size_t i = 0; i < places["tokens"].size(); ++i) {
    if (places["tokens"][i].is_null()) continue;
    EXPECT_EQ(places["tokens"][i], result["tokens"][i]);
    ++dialogues;
  }
  ASSERT_GT(dialogues, 5u);
  ASSERT_LT(dialogues, result["tokens"].size());  // some histories are too short
  for (const char* source : {"own", "duplicate", "nearest", "matched", "foreign"}) {
    const Json& of = places[source];
    EXPECT_NEAR(of["harm"].get<double>(), sum_of(of["harms"]) / tokens, 1e-9) << source;
    EXPECT_NEAR(of["harm_less_own"].get<double>(),
                of["harm"].get<double>() - own["harm"].get<double>(), 1e-9);
    EXPECT_NEAR(of["das_ratio"].get<double>(), sum_of(of["looks"]) / sum_of(of["history_looks"]),
                1e-9);
    EXPECT_NEAR(of["over_own"].get<double>(), sum_of(of["looks"]) / sum_of(own["looks"]), 1e-9);
    double looks = 0, count = 0;
    for (const auto& [history, row] : of["map"].items()) {
      ASSERT_EQ(row.size(), std::stoul(history) + 1) << source;  // and directly before the query
      for (const auto& [place, cell] : row.items()) {
        EXPECT_EQ(cell["dialogues"], row["0"]["dialogues"]);
        looks += cell["look"].get<double>() * cell["dialogues"].get<double>() /
                 static_cast<double>(row.size());
      }
      count += row["0"]["dialogues"].get<double>();
    }
    EXPECT_EQ(count, static_cast<double>(dialogues));
    EXPECT_NEAR(looks, sum_of(of["looks"]), 1e-3) << source;
  }
  EXPECT_NE(own["harm"], places["foreign"]["harm"]);
  const Json attention = this->json("tables/places-attention.json"),
             harm = this->json("tables/places-harm.json"),
             other = json("static-ui-none-seed2/places.json");
  const auto mean = [&](const char* source, const char* number) {
    return (places[source][number].get<double>() + other[source][number].get<double>()) / 2;
  };
  ASSERT_EQ(attention["rows"][0]["cells"].size(), 9u);
  const auto cell = [](const Json& table, size_t c) {
    return table["rows"][0]["cells"][c]["value"].get<double>();
  };
  EXPECT_NEAR(cell(attention, 4), mean("foreign", "das_ratio"), 1e-6);
  EXPECT_NEAR(cell(attention, 8), mean("foreign", "over_own"), 1e-6);
  EXPECT_NEAR(cell(harm, 0), mean("own", "harm"), 1e-6);
  EXPECT_NEAR(cell(harm, 5), mean("duplicate", "harm_less_own"), 1e-6);
}

// An own utterance first is the dialogue as it is: what its first utterance gets there.
TEST_F(MediationExperiment, TheMapOfPlacesBeginsWithTheFirst) {
  const std::string out = dir.path("score.json");
  const Result r =
      without_warnings(heed_program({"score", "--model", whole() + "/static-ui-none-seed1",
                                     "--data", kSample, "--limit", "40", "--json", out}));
  ASSERT_EQ(r.code, 0) << r.err;
  std::map<size_t, std::vector<double>> first;
  std::map<size_t, double> tokens, harms;  // of all dialogues with so long a history
  const Json scores = Json::parse(dir.read("score.json"));
  const Json places = json("static-ui-none-seed1/places.json");
  for (size_t i = 0; i < scores["per_example"].size(); ++i) {
    const Json& d = scores["per_example"][i];
    if (d["as_scores"].size() < 4) continue;
    const size_t history = d["as_scores"].size() - 2;
    first[history].push_back(d["as_scores"][0].get<double>());
    tokens[history] += places["tokens"][i].get<double>();
    harms[history] += places["foreign"]["harms"][i].get<double>();
  }
  ASSERT_GE(first.size(), 1u);
  for (const auto& [history, of] : harms) {
    const Json& row = places["foreign"]["map"][std::to_string(history)];
    double harm = 0;  // of a token, as a sum over places
    for (const Json& cell : row) harm += cell["harm"].get<double>();
    EXPECT_NEAR(harm / static_cast<double>(row.size()) * tokens[history], of,
                1e-3 + 1e-4 * std::abs(of))
        << history;
    EXPECT_NE(row["0"]["history_look"], row["1"]["history_look"]) << history;
  }
  const Json own = places["own"]["map"];
  EXPECT_EQ(own.size(), first.size());
  for (const auto& [history, looks] : first) {
    const double mean =
        std::accumulate(looks.begin(), looks.end(), 0.0) / static_cast<double>(looks.size());
    const Json& row = own[std::to_string(history)];
    EXPECT_NEAR(row["0"]["look"].get<double>(), mean, 2e-5) << history;
    EXPECT_GT(std::abs(row[std::to_string(history)]["look"].get<double>() - mean), 2e-4);
  }
}

// A folder of an older version lacks the files, and their tables have no numbers.
TEST_F(MediationExperiment, OpensWithoutExchangesAndPlaces) {
  fs::copy(whole(), dir.path("old"), fs::copy_options::recursive);
  fs::remove(dir.path("old/static-ui-none-seed2/exchange.json"));
  fs::remove(dir.path("old/static-ui-none-seed2/places.json"));
  const Result r = heed_program({"report", dir.path("old"), "--html", dir.path("page.html")});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(MediationExperiment, TablesHoldMeansOverSeedsAndPairedChanges) {
  const auto harm = [&](const char* condition, int seed) {
    return evaluation(condition, seed)["test_sets"]["random:1.0"]["harm"]["as it is"].get<double>();
  };
  const Json table = json("tables/random-1.0.json");
  ASSERT_EQ(table["rows"].size(), 16u);
  EXPECT_NEAR(table["rows"][1]["cells"][1]["value"].get<double>(),
              (harm("insertion", 1) + harm("insertion", 2)) / 2, 1e-3);
  const Json changes = json("tables/changes.json");
  ASSERT_EQ(changes["rows"].size(), 12u);  // three of each structure
  // insertion-loss is compared with insertion, placebo with none
  EXPECT_NEAR(changes["rows"][1]["cells"][1]["value"].get<double>(),
              (harm("insertion-loss", 1) + harm("insertion-loss", 2) - harm("insertion", 1) -
               harm("insertion", 2)) /
                  2,
              1e-3);
  EXPECT_NEAR(changes["rows"][2]["cells"][1]["value"].get<double>(),
              (harm("placebo", 1) + harm("placebo", 2) - harm("none", 1) - harm("none", 2)) / 2,
              1e-3);
}

// Each test set has its own table, each condition its own bars, and each place its own cell.
TEST_F(MediationExperiment, TablesAndFiguresHaveTheirOwnNumbers) {
  const Json one = evaluation("none"), two = evaluation("none", 2);
  for (const auto& [name, set] : one["test_sets"].items()) {
    std::string id = name;
    std::replace(id.begin(), id.end(), ':', '-');
    const Json ratio = json("tables/" + id + ".json")["rows"][0]["cells"][0]["value"];
    EXPECT_NEAR(
        ratio.get<double>(),
        (set["das_ratio"].get<double>() + two["test_sets"][name]["das_ratio"].get<double>()) / 2,
        2e-3)
        << name;
  }
  EXPECT_NEAR(json("tables/responses.json")["rows"][0]["cells"][5]["value"].get<double>(),
              (one["responses"]["share_changed"].get<double>() +
               two["responses"]["share_changed"].get<double>()) /
                  2,
              1e-9);
  ASSERT_EQ(heed_program({"report", whole(), "--html", dir.path("page.html")}).code, 0);
  const std::string html = dir.read("page.html");
  const Json table = json("tables/random-1.0.json");
  for (size_t condition = 0; condition < 4; ++condition) {
    const double harm = table["rows"][condition]["cells"][1]["value"];
    EXPECT_TRUE(has(html, "<title>" + decimal(harm, 1) + "</title>")) << condition;
  }
  const Json first = json("static-ui-none-seed1/places.json")["own"]["map"],
             second = json("static-ui-none-seed2/places.json")["own"]["map"];
  const auto both = [&](const std::string& history, const std::string& place, const char* number) {
    return first[history][place][number].get<double>() +
           second[history][place][number].get<double>();
  };
  for (const auto& [history, places] : first.items()) {
    std::string row = "<tr><th>" + history + "</th>";
    for (const auto& [place, cell] : places.items()) {
      const double ratio = both(history, place, "look") / both(history, place, "history_look");
      row += "<td class=\"heat\" style=\"--heat:" + decimal(std::clamp(ratio - 0.5, 0.0, 1.0), 2) +
             "\">" + decimal(ratio, 2) + "</td>";
    }
    EXPECT_TRUE(has(html, row + "</tr>")) << row;
  }
}

TEST_F(MediationExperiment, ClaimsAndPageSayWhatIsThere) {
  const Json claims = json("tables/claims.json");
  ASSERT_EQ(claims.size(), 6u);
  for (const Json& claim : claims) {
    EXPECT_TRUE(has(claim["intervals"]["figure"].get<std::string>(), "static-ui ")) << claim;
    EXPECT_FALSE(has(claim["intervals"]["figure"].get<std::string>(), "dynamic")) << claim;
  }
  EXPECT_FALSE(has(shared->read("whole/tables/claims.md"), "paper"));
  const std::string page = dir.path("page.html");
  const Result r = heed_program({"report", "--runs", whole(), "--html", page});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string html = dir.read("page.html");
  EXPECT_TRUE(has(html, "Which way do distractions do their harm?"));
  EXPECT_TRUE(has(html, "12 of the 16 variants are not finished")) << html.substr(0, 3000);
  EXPECT_TRUE(has(html, "static-ui, as the data are: foreign"));
  EXPECT_FALSE(has(html, "the paper's value"));
}

TEST_F(MediationExperiment, OtherSettingsAreRefused) {
  const Result r = without_warnings(heed_program(mediation_command(whole(), "static-ui-none", "1") +
                                                 Arguments{"--dropout", "0.4"}));
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(has(r.err, "dropout")) << r.err;
}

}  // namespace
}  // namespace heed
