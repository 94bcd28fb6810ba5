// heed compare: any runs beside each other, with intervals and paired tests.
#include <cmath>
#include <set>

#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class Compare : public ProgramWithRun {
 protected:
  static Arguments command(const std::string& first, const std::string& second) {
    return {"compare", first,    second,
            "--data",  kSample,  "--limit",
            "40",      "--test", "none,rare:end,random:1.0"};
  }
};

// A ratio of 1 reads "distracted exactly as by history"; without attention there is none.
TEST_F(Compare, AModelWithoutAttentionHasNoRatio) {
  const std::string blind = dir.path("blind");
  ASSERT_EQ(heed_program(with(tiny_training(blind), "--preset", "probe-smoke") +
                         Arguments{"--structure", "lstm"})
                .code,
            0);
  const Result r = heed_program(command(run(), blind) + Arguments{"--json", dir.path("out.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("  blind  -\n"), std::string::npos) << r.out;
  const Json json = Json::parse(dir.read("out.json"));
  for (const Json& row : json["rows"]) {
    if (row["measure"] != "das_ratio") continue;
    EXPECT_TRUE(row["runs"][1]["estimate"].is_null()) << row;
    EXPECT_FALSE(row["runs"][1].contains("change")) << row;
  }
  const Json sets = json_of({"evaluate", "--model", blind, "--data", kSample, "--limit", "10",
                             "--test", "random:1.0", "--json", "-"})["test_sets"];
  EXPECT_TRUE(sets["random:1.0"]["das_ratio"].is_null()) << sets;
  EXPECT_TRUE(sets["random:1.0"]["as_history"].is_null()) << sets;
  EXPECT_GT(sets["random:1.0"]["distracted"], 0);
}

// The numbers are those of evaluate of each model, one of which reads two turns.
TEST_F(Compare, ModelsReadTheirOwnTurns) {
  std::filesystem::copy(run(), dir.path("two"), std::filesystem::copy_options::recursive);
  Json settings = Json::parse(dir.read("two/settings.json"));
  settings["examples"]["max_turns"] = 2;
  dir.write("two/settings.json", settings.dump());
  const Arguments of_all = {"--data", kSample, "--limit", "40", "--test", "none"};
  const auto rows = [&](const Arguments& more) {
    const Result r = heed_program(Arguments{"compare", run(), dir.path("two")} + of_all +
                                  Arguments{"--json", dir.path("out.json")} + more);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(has(r.err, "different length limits"), more.empty()) << r.err;
    return Json::parse(dir.read("out.json"))["rows"][0]["runs"];
  };
  const auto perplexity = [&](const std::string& model) {
    const Json of =
        json_of(Arguments{"evaluate", "--model", model} + of_all + Arguments{"--json", "-"});
    return of["test_sets"]["none"]["perplexity"].get<double>();
  };
  const double whole = perplexity(run()), two = perplexity(dir.path("two"));
  EXPECT_GT(std::abs(whole - two), 1e-3);
  const Json own = rows({"--own-turns"}),
             turns = Json::parse(dir.read("out.json"))["inputs"]["max_turns"], alike = rows({});
  EXPECT_EQ(turns, 4);  // the first model's
  EXPECT_NEAR(own[0]["estimate"]["value"], whole, 1e-5);
  EXPECT_NEAR(own[1]["estimate"]["value"], two, 1e-5);
  EXPECT_NEAR(alike[1]["estimate"]["value"], whole, 1e-5);
  expect_failure(heed_program(Arguments{"compare", run(), dir.path("two")} + of_all +
                              Arguments{"--own-turns", "--max-turns", "3"}),
                 2, "--own-turns: contradicts --max-turns", "--own-turns");
}

// The numbers are those of evaluate; perplexity stands beside the original set, DAS ratios beside
// the others.
TEST_F(Compare, HasTheNumbersOfEvaluate) {
  const std::string other = dir.path("other");
  ASSERT_EQ(heed_program(tiny_training(other) + Arguments{"--seed", "2"}).code, 0);
  const Result r =
      heed_program(command(run(), other) + Arguments{"--accuracy", "--json", dir.path("out.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err.find("cannot be compared"), std::string::npos) << r.err;
  const Json json = Json::parse(dir.read("out.json"));
  expect_made_with(json["heed"], "compare");
  EXPECT_EQ(json["inputs"]["models"].size(), 2u);
  EXPECT_EQ(json["dialogues"], 40);
  EXPECT_EQ(json["examples"], 40);
  EXPECT_LE(json["conversations"], 40);
  EXPECT_LE(json["largest_conversation"].get<int>(), 41 - json["conversations"].get<int>());
  EXPECT_EQ(json["comparisons"], 4);
  ASSERT_EQ(json["rows"].size(), 4u);
  EXPECT_EQ(json["rows"][1]["measure"], "accuracy");
  const std::vector<std::string> paths = {run(), other};
  for (size_t m = 0; m < 2; ++m) {
    const Json sets = json_of({"evaluate", "--model", paths[m], "--data", kSample, "--limit", "40",
                               "--accuracy", "--json", "-"})["test_sets"];
    for (const Json& row : json["rows"]) {
      const Json& estimate = row["runs"][m]["estimate"];
      const double expected =
          sets[row["test_set"].get<std::string>()][row["measure"].get<std::string>()];
      EXPECT_NEAR(estimate["value"], expected, 1e-9 * expected) << row["test_set"];
      EXPECT_LT(estimate["low"], estimate["value"]);
      EXPECT_GT(estimate["high"], estimate["value"]);
      EXPECT_EQ(row["measure"] == "das_ratio", row["test_set"] != "none");
    }
  }
  for (const Json& row : json["rows"]) {
    const Json &first = row["runs"][0], &second = row["runs"][1];
    EXPECT_FALSE(first.contains("change"));
    const double change =
        second["estimate"]["value"].get<double>() - first["estimate"]["value"].get<double>();
    EXPECT_NEAR(second["change"]["value"], change, 1e-9);
    EXPECT_GE(second["change"]["p_holm"], second["change"]["p"]);
    EXPECT_GT(second["change"]["p"], 0);
  }
  // Holm (1979): the smallest of four p-values counts fourfold.
  std::pair<double, double> least = {2, 2};  // p and p_holm
  for (const Json& row : json["rows"]) {
    const Json& change = row["runs"][1]["change"];
    least = std::min(least, {change["p"].get<double>(), change["p_holm"].get<double>()});
  }
  EXPECT_DOUBLE_EQ(least.second, std::min(1.0, 4 * least.first));
  EXPECT_NE(r.out.find("DAS ratio, random:1.0\n"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("p is corrected for 4 comparisons"), std::string::npos) << r.out;
}

// Means of the measures of single responses have intervals, those of all responses have none.
TEST_F(Compare, HasTheMeasuresOfResponses) {
  const std::string models = source_dir() + "/data/models/";  // which answer differently
  const std::string first_model = models + "baseline", other = models + "trained";
  const Arguments some = {"--data", kSample, "--limit", "40", "--test", "rare:end", "--responses"};
  const Result r = heed_program(Arguments{"compare", first_model, other} + some +
                                Arguments{"--json", dir.path("out.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(dir.read("out.json"));
  std::vector<Json> evaluated;
  for (const std::string& path : {first_model, other}) {
    evaluated.push_back(
        json_of(Arguments{"evaluate", "--model", path, "--json", "-"} + some)["responses"]);
  }
  const std::set<std::string> of_all = {"bleu",       "corpus_bleu_2",      "nist",
                                        "distinct_1", "distinct_2",         "nasl",
                                        "ent_4",      "distinct_2_of_pairs"};
  size_t measures = 0, with_p = 1;  // that of the DAS ratio
  for (const Json& row : json["rows"]) {
    const std::string measure = row["measure"];
    if (measure == "das_ratio") continue;
    ++measures;
    EXPECT_EQ(row["test_set"], "none");
    const Json &first = row["runs"][0]["estimate"], &second = row["runs"][1]["estimate"],
               &change = row["runs"][1]["change"];
    const double a = evaluated[0][measure], b = evaluated[1][measure];
    EXPECT_NEAR(first["value"], a, 1e-12) << measure;
    EXPECT_NEAR(second["value"], b, 1e-12) << measure;
    EXPECT_NEAR(change["value"], b - a, 1e-12) << measure;
    EXPECT_EQ(first.contains("low"), !of_all.contains(measure)) << measure;
    EXPECT_EQ(change.contains("p_holm"), !of_all.contains(measure)) << measure;
    if (!change.contains("p")) continue;
    ++with_p;
    EXPECT_LE(change["low"], change["value"]) << measure;
    EXPECT_GE(change["high"], change["value"]) << measure;
  }
  EXPECT_EQ(measures, evaluated[0].size() - 2);  // without extrema_own and the number of examples
  EXPECT_EQ(json["comparisons"], with_p);
  const Json& lengths = json["rows"].back();
  ASSERT_EQ(lengths["measure"], "mean_length");
  EXPECT_LT(lengths["runs"][0]["estimate"]["low"], lengths["runs"][0]["estimate"]["high"]);
  EXPECT_TRUE(std::regex_search(r.out, std::regex("\nNIST\n  [a-z]+ +[0-9.]+\n"))) << r.out;
}

TEST_F(Compare, ARunWithItselfDoesNotChange) {
  const Json json = json_of(command(run(), run()) + Arguments{"--json", "-"});
  for (const Json& row : json["rows"]) {
    const Json& change = row["runs"][1]["change"];
    for (const char* key : {"value", "low", "high"}) EXPECT_EQ(change[key], 0) << key;
    EXPECT_EQ(change["p_holm"], 1);
    EXPECT_EQ(row["runs"][0]["name"], run());  // their names are equal: their paths
  }
  const std::string copy = dir.path("copy");
  std::filesystem::copy(run(), copy);
  const Result r = heed_program(command(run(), copy));
  EXPECT_NE(r.err.find(run() + " and " + copy + " are the same model: nothing can change"),
            std::string::npos)
      << r.err;
}

// Three runs of one setting against one of another: means of what evaluate says of each. What
// their names begin with ends before a number.
TEST_F(Compare, GroupsAreComparedByTheirMeans) {
  const std::string a = dir.path("b-seed21"), b = dir.path("b-seed23"), c = dir.path("b-seed24");
  ASSERT_EQ(heed_program(tiny_training(a) + Arguments{"--seed", "2"}).code, 0);
  ASSERT_EQ(heed_program(tiny_training(b) + Arguments{"--seed", "3"}).code, 0);
  std::filesystem::copy(b, c);
  const Arguments some = {"--data", kSample, "--limit", "40", "--test", "none,random:1.0"};
  const Result r =
      heed_program(Arguments{"compare", a, b, c, "--against", run()} + some +
                   Arguments{"--json", dir.path("out.json"), "--csv", dir.path("out.csv"),
                             "--latex", dir.path("out.tex"), "--markdown", dir.path("out.md")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "  b-seed*  ")) << r.out;
  EXPECT_TRUE(has(r.out, " over 3 runs  change ")) << r.out;
  const auto evaluated = [&](const std::string& model, const char* set, const char* measure) {
    return json_of(Arguments{"evaluate", "--model", model, "--json", "-"} +
                   some)["test_sets"][set][measure]
        .get<double>();
  };
  const Json json = Json::parse(dir.read("out.json"));
  ASSERT_EQ(json["rows"].size(), 2u);
  for (const Json& row : json["rows"]) {
    const std::string set = row["test_set"], measure = row["measure"];
    const double first = evaluated(run(), set.c_str(), measure.c_str()),
                 x = evaluated(a, set.c_str(), measure.c_str()),
                 y = evaluated(b, set.c_str(), measure.c_str());
    const Json &base = row["runs"][0], &group = row["runs"][1];
    EXPECT_NEAR(base["estimate"]["value"], first, 1e-9 * first);
    EXPECT_FALSE(base.contains("seeds"));
    EXPECT_EQ(group["seeds"], Json({"b-seed21", "b-seed23", "b-seed24"}));
    const double mean = (x + 2 * y) / 3;
    EXPECT_NEAR(group["estimate"]["value"], mean, 1e-9 * x);
    EXPECT_NEAR(group["change"]["value"], mean - first, 1e-9 * x);
    EXPECT_NEAR(group["deviation"], std::abs(x - y) / std::sqrt(3), 1e-9 * x);
  }
  EXPECT_TRUE(has(dir.read("out.csv"), "\"DAS ratio, random:1.0\",b-seed*,"))
      << dir.read("out.csv");
  EXPECT_TRUE(has(dir.read("out.tex"), "\nperplexity & b-seed* & ")) << dir.read("out.tex");
  EXPECT_TRUE(has(dir.read("out.md"), "\n| perplexity | b-seed* | ")) << dir.read("out.md");
  EXPECT_TRUE(has(dir.read("out.tex"), " $\\pm$ ")) << dir.read("out.tex");
}

TEST_F(Compare, GroupsOfNamesThatBeginAlikeAreToldApart) {
  Arguments command = {"compare", "--json", "-",      "--test", "none",
                       "--limit", "3",      "--data", kTestPart};
  for (const std::string name : {"a1", "a2", "--against", "a3", "a4"}) {
    if (name[0] == 'a') std::filesystem::copy(run(), dir.path(name));
    command.push_back(name[0] == 'a' ? dir.path(name) : name);
  }
  const Json groups = json_of(command)["rows"][0]["runs"];
  EXPECT_EQ(groups[0]["name"], "a3 ...");
  EXPECT_EQ(groups[1]["name"], "a1 ...");
}

TEST_F(Compare, NumbersStandInAColumn) {
  for (const char* name : {"é", "ab"}) std::filesystem::copy(run(), dir.path(name));
  const Result r = heed_program({"compare", dir.path("é"), dir.path("ab"), "--test", "none",
                                 "--limit", "3", "--data", kTestPart});
  EXPECT_TRUE(has(r.out, "\n  é   ")) << r.out << r.err;
  EXPECT_TRUE(has(r.out, "\n  ab  ")) << r.out << r.err;
}

TEST_F(Compare, SaysWhatCannotBeCompared) {
  const Result r = heed_program(
      {"compare", run(), kModel, "--data", kTestPart, "--limit", "10", "--test", "none,rare:end"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("different vocabularies"), std::string::npos) << r.err;
  EXPECT_NE(r.err.find("different length limits"), std::string::npos) << r.err;
  expect_failure(heed_program({"compare", run(), "--data", kSample}), 2,
                 "runs: give two or more, or one --against another", "one run");
  expect_failure(heed_program(command(run(), kModel) +
                              Arguments{"--csv", "-", "--markdown", "-", "--pool", kSample}),
                 2, "--csv and --markdown cannot both be -", "two tables");
  // before anything is read, and before other mistakes
  expect_failure(heed_program({"compare", run(), dir.path("nope"), "--data", "nowhere"}), 1,
                 "nowhere: cannot open", "no data");
  expect_failure(
      heed_program({"compare", run(), dir.path("nope"), "--data", kSample, "--test", "none"}), 1,
      "nope: no such directory of a model", "no model");
  expect_failure(heed_program({"compare", run(), source_dir() + "/tests/heed/discriminator-run",
                               "--data", kSample, "--test", "none"}),
                 2, "cannot respond", "no model that responds");
  expect_failure(heed_program({"compare", run(), kModel, "--data", kTestPart}), 2,
                 "give --pool FILE or DIR", "no pool");
}

}  // namespace
}  // namespace heed
