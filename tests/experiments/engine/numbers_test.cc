// Numbers by name, what is inferred of them, and claims about them, of an experiment that is made
// up and knows no dialogue.
#include "experiments/engine/stats/numbers.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/engine/report/claims.h"
#include "experiments/engine/report/variant_tables.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

TEST(VariantNumbers, WhatIsSetToNothingIsGone) {
  VariantNumbers numbers;
  numbers.set(1, "f1", 0.5);
  numbers.set(2, "f1", 0.25);
  numbers.set(1, "f1", std::nullopt);
  EXPECT_EQ(numbers.get(1, "f1"), std::nullopt);
  EXPECT_EQ(numbers.get(2, "f1"), 0.25);
}

TEST(Numbers, AreTheLeavesOfTheFile) {
  const TempDir dir;
  const std::string path = dir.write("e.json", R"({"a": {"x:1": {"f1": 0.5}, "x:0": {"f1": 1.5}},
      "missing": null, "list": [1, null, 3], "empty": [], "name": "N", "yes": true,
      "items": [{"v": 7, "s": [1]}, {"v": 8, "t": "text"}]})");
  const Numbers n = load_numbers(path);
  EXPECT_EQ(n.value("a.x:1.f1"), 0.5);
  EXPECT_EQ(n.value("items.1.v"), 8);
  EXPECT_EQ(n.text("items.1.t"), "text");
  EXPECT_EQ(n.series("list"), (Series{1.0, std::nullopt, 3.0}));
  EXPECT_EQ(n.series("items.0.s"), Series{1.0});
  EXPECT_TRUE(n.series("empty").empty());
  EXPECT_TRUE(n.has("missing") && !n.value("missing"));
  EXPECT_FALSE(n.has("nothing") || n.value("nothing") || n.has_series("nothing"));
  EXPECT_EQ(n.names(), (std::vector<std::string>{"a.x:1.f1", "a.x:0.f1", "missing", "items.0.v",
                                                 "items.1.v"}));
  EXPECT_EQ(n.value("a.*.f1"), 1);
  EXPECT_EQ(error_of<DataError>([&] { n.series("nothing"); }), "there is no \"nothing\"");
  EXPECT_EQ(error_of<DataError>([&] { n.text("nothing"); }), "there is no \"nothing\"");
}

TEST(Numbers, AMeanOfSomethingMissingIsMissing) {
  Numbers n;
  n.set("a.1", 1);
  n.set("a.2", std::nullopt);
  EXPECT_FALSE(n.value("a.*"));
  n.set("a.2", INFINITY);
  EXPECT_FALSE(n.value("a.*") || n.value("a.2"));
  n.set("a.2", 2);
  EXPECT_EQ(n.value("a.*"), 1.5);
  EXPECT_FALSE(n.value("b.*"));
}

TEST(Numbers, HostileFiles) {
  const TempDir dir;
  for (const char* text : {"", "[]", "3", "{\"a\": ", "{\"a\": 1e999}"}) {
    const std::string path = dir.write("e.json", text);
    EXPECT_NE(error_of<DataError>([&] { load_numbers(path); }).find("not what heed writes there"),
              std::string::npos)
        << text;
  }
}

// A second variant, percent, what cannot be read, what is doubtful; a row of no variant.
TEST(Numbers, OfAPaper) {
  const VariantNumbers paper = printed_numbers(
      R"({"source": "a paper", "doubtful": {"b": ["sets.x.f1", "none"]},
          "numbers": {"a": {"sets": {"x": {"f1": 0.5, "as %": 43.7}, "y": {"f1": null}}},
                      "b": {"sets": {"x": {"f1": 0.25}}}}})",
      {"a", "b"});
  EXPECT_EQ(paper.get(0, "sets.x.f1"), 0.5);
  EXPECT_EQ(paper.get(1, "sets.x.f1"), 0.25);
  EXPECT_EQ(paper.get(0, "sets.x.as"), 0.01 * 43.7);
  EXPECT_FALSE(paper.get(0, "sets.x.as %") || paper.get(0, "sets.y.f1"));
  EXPECT_TRUE(paper.is_doubtful(1, "sets.x.f1"));
  EXPECT_FALSE(paper.is_doubtful(0, "sets.x.f1") || paper.is_doubtful(1, "none"));
  EXPECT_THROW(printed_numbers(R"({"numbers": {"c": {}, "d": {"f1": 1}}})", {"c"}), InternalError);
}

// ---- an experiment with F1 over items in clusters: 2 hits / (2 hits + errors)

struct FolderOfHits {
  TempDir dir;
  ResultsLayout layout{.format = 3,
                       .variants = {{"a", "first", "A"}, {"b", "first", "B"}},
                       .clusters = "cluster",
                       .values = {"f1"},
                       .items = {"hits2", "all"}};

  explicit FolderOfHits(int seeds) {
    dir.write("experiment.json", R"({"format": 3, "settings": {"k": "v"}, "data": {"n": 4}})");
    for (int s = 1; s <= seeds; ++s) {
      write("a-seed" + std::to_string(s), {2, 0, 2, 2}, {2, 1, 2, 2});
      write("b-seed" + std::to_string(s), {2, 0, 0, 0}, {2, 1, 1, 3});
    }
  }
  void write(const std::string& run, const std::vector<double>& hits,
             const std::vector<double>& all) const {
    double top = 0, bottom = 0;
    for (size_t i = 0; i < hits.size(); ++i) top += hits[i], bottom += all[i];
    const nlohmann::json json = {
        {"f1", top / bottom}, {"hits2", hits}, {"all", all}, {"cluster", {0, 0, 1, 2}}};
    dir.write(run + "/evaluation.json", json.dump());
    dir.write(run + "/log.jsonl",
              R"({"epoch":1,"loss":1,"rate":1,"grad_norm":1,"steps":1,"tokens":1})"
              "\n");
  }
  Results load() const { return load_results(dir.path(""), layout); }
};

const std::vector<Measure> kF1 = {{.key = "f1", .top = "hits2", .bottom = "all"}};
const Comparison kWithA = {
    {"f1"}, [](size_t v) { return v == 1 ? std::optional<size_t>(0) : std::nullopt; }};

// What one seed gives says nothing of what another training would: no p-value, as of no change.
TEST(Engine, OneSeedHasNoPValue) {
  const FolderOfHits folder(1);
  const Results results = folder.load();
  const Inference inference(results, kF1, kWithA);
  EXPECT_TRUE(inference.change("f1", 1));
  EXPECT_FALSE(inference.corrected_p("f1", 1));
  EXPECT_FALSE(inference.corrected_p("f1", 0));
  EXPECT_FALSE(inference.corrected_p("accuracy", 1));
  EXPECT_EQ(inference.comparisons(), 0u);
  Table changes{.id = "c", .title = "C", .note = "", .columns = {{"", "F1", "f1", 3}}};
  add_changes(changes, results, inference);
  EXPECT_TRUE(changes.rows.at(0).cells[0].interval);
  EXPECT_FALSE(changes.rows.at(0).cells[0].p_value);
}

// 160 pairs of runs are more than are drawn at once. Each change is -1 in every draw.
TEST(Engine, ManyComparisonsAreSharpenedAlike) {
  FolderOfHits folder(0);
  folder.layout.variants.resize(1);
  for (int v = 1; v <= 16; ++v) {
    folder.layout.variants.push_back({"v" + std::to_string(v), "first", "V"});
  }
  for (const VariantName& variant : folder.layout.variants) {
    const double hit = variant.name == "a" ? 2 : 0;
    for (int s = 1; s <= 10; ++s) {
      folder.write(variant.name + "-seed" + std::to_string(s), {hit, hit, hit, hit}, {2, 2, 2, 2});
    }
  }
  const Results results = folder.load();
  const Inference inference(results, kF1, against_first({"f1"}));
  EXPECT_EQ(inference.comparisons(), 16u);
  for (size_t v = 1; v <= 16; ++v) EXPECT_LE(inference.corrected_p("f1", v), kSmallestP) << v;
}

TEST(Engine, AnyNumberThatIsAQuotientHasAnInterval) {
  const FolderOfHits folder(2);
  const Results results = folder.load();
  EXPECT_EQ(results.items(), 4u);
  EXPECT_EQ(results.cluster_count(), 3u);
  EXPECT_EQ(results.setting("k"), "v");
  EXPECT_EQ(results.setting("n"), "4");
  EXPECT_EQ(results.setting("none"), "?");
  const Inference inference(results, kF1, kWithA);
  EXPECT_NEAR(inference.value("f1", 0)->value, 6.0 / 7, 1e-12);
  EXPECT_NEAR(inference.change("f1", 1)->value, 2.0 / 7 - 6.0 / 7, 1e-12);
  EXPECT_FALSE(inference.change("f1", 0));
  EXPECT_FALSE(inference.value("accuracy", 0));
  EXPECT_EQ(inference.comparisons(), 1u);

  Table table{.id = "t", .title = "T", .note = "", .columns = {{"", "F1", "f1", 3}}};
  add_variants(table, results, inference);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[1].label, "B");
  EXPECT_NEAR(*table.rows[1].cells[0].value, 2.0 / 7, 1e-12);
  EXPECT_EQ(table.rows[1].cells[0].deviation, 0);
  EXPECT_EQ(table.rows[1].cells[0].interval->low, inference.value("f1", 1)->interval.low);
  EXPECT_EQ(table.rows[1].sources,
            (std::vector<std::string>{"b-seed1/evaluation.json", "b-seed2/evaluation.json"}));
}

TEST(Engine, FilesThatDoNotFit) {
  const auto fails = [](const std::string& evaluation, const std::string& says) {
    const FolderOfHits folder(1);
    folder.dir.write("b-seed1/evaluation.json", evaluation);
    const std::string error = error_of<DataError>([&] { folder.load(); });
    EXPECT_EQ(error, folder.dir.path("b-seed1/evaluation.json") + ": " + says) << evaluation;
  };
  const std::string lists = "the lists of its dialogues do not fit together",
                    missing = "not what heed writes there: there is no ";
  fails(R"({"hits2": [1], "all": [1], "cluster": [0]})", missing + "\"f1\"");
  fails(R"({"f1": 1, "hits2": [1], "cluster": [0]})", missing + "\"all\"");
  fails(R"({"f1": 1, "hits2": [1], "all": [1]})", missing + "\"cluster\"");
  fails(R"({"f1": 1, "hits2": [1], "all": [1, 1], "cluster": [0, 0]})", lists);
  for (const char* cluster : {"[0, 2, 1, 0]", "[1, 0, 0, 0]", "[0, -1, 0, 0]", "[0, 0.5, 0, 0]",
                              "[0, 1e300, 0, 0]", "[null, 0, 0, 0]", "[]"}) {
    fails(R"({"f1": 1, "hits2": [1,1,1,1], "all": [1,1,1,1], "cluster": )" + std::string(cluster) +
              "}",
          lists);
  }
  fails(R"({"f1": 1, "hits2": [1,1,1,1], "all": [1,1,1,1], "cluster": [0, 1, 2, 3]})",
        "of other dialogues than the other runs");
}

// A test set in which nothing is defined has empty lists: no number, and no crash.
TEST(Engine, EmptyListsHaveNoNumbers) {
  const FolderOfHits folder(1);
  folder.dir.write("b-seed1/evaluation.json",
                   R"({"f1": 1, "hits2": [], "all": [1,1,1,1], "cluster": [0, 0, 1, 2]})");
  const Results results = folder.load();
  const Inference inference(results, kF1, kWithA);
  EXPECT_FALSE(inference.value("f1", 1));
  EXPECT_TRUE(inference.value("f1", 0));
  // A report takes the number from the lists.
  EXPECT_EQ(error_of<DataError>([&] {
              load_findings(folder.dir.path(""), folder.layout,
                            {.clusters = "cluster", .measures = kF1});
            }),
            folder.dir.path("") +
                "/b-seed1/evaluation.json: the lists of its dialogues do not fit "
                "together");
}

// Of a measure that came later, all runs have both series, or it is none.
TEST(Engine, AMeasureThatSomeRunLacksIsNone) {
  const FolderOfHits folder(1);
  folder.dir.write("b-seed1/evaluation.json",
                   R"({"f1": 1, "hits2": [1,1,1,1], "more": [1,1,1,1], "all": [1,1,1,1],
                       "cluster": [0, 0, 1, 2]})");
  const auto is_there = [&](const std::string& top, const std::string& bottom) {
    const Findings found =
        load_findings(folder.dir.path(""), folder.layout,
                      {.clusters = "cluster",
                       .measures = {{.key = "f1", .top = top, .bottom = bottom, .later = true}}});
    return found.inference.measure("f1") != nullptr;
  };
  EXPECT_TRUE(is_there("hits2", "all"));
  EXPECT_FALSE(is_there("more", "all"));
  EXPECT_FALSE(is_there("hits2", "more"));
}

// A variant that is only measured: no log, and no numbers of a training.
TEST(Engine, RunsThatAreNotTrainedHaveNoEpochs) {
  FolderOfHits folder(1);
  const std::string log = folder.dir.path("b-seed1/log.jsonl");
  folder.dir.write("b-seed1/evaluation.json",
                   R"({"hits2": [1,1,1,1], "all": [1,1,1,1], "cluster": [0, 0, 1, 2]})");
  EXPECT_NE(error_of<DataError>([&] { folder.load(); }).find("there is no \"f1\""),
            std::string::npos);
  std::filesystem::remove(log);
  folder.layout.variants[1].trained = false;
  const Results results = folder.load();
  ASSERT_EQ(results.runs.size(), 2u);
  EXPECT_TRUE(results.runs[1].log.empty());
  EXPECT_EQ(results.runs[0].log.size(), 1u);
  std::filesystem::remove(folder.dir.path("a-seed1/log.jsonl"));  // not kept
  EXPECT_TRUE(folder.load().runs[0].log.empty());
  EXPECT_EQ(results.items(), 4u);
  folder.dir.write("b-seed1/evaluation.json", R"({"hits2": [1,1,1,1], "all": [1,1,1,1]})");
  EXPECT_NE(error_of<DataError>([&] { folder.load(); }).find("no \"cluster\""), std::string::npos);
}

// "kernels": how its numbers were computed.
TEST(Engine, ARunSaysWhatMadeIt) {
  const FolderOfHits folder(1);
  folder.dir.write("b-seed1/evaluation.json",
                   R"({"f1": 1, "hits2": [1,1,1,1], "all": [1,1,1,1], "cluster": [0, 0, 1, 2],
                       "heed": {"version": "2", "commit": "abc", "device": "cpu", "matmul": "f32",
                                "kernels": "avx2"}})");
  EXPECT_EQ(folder.load().runs.at(1).made_with, "heed 2 (abc), cpu, f32, kernels avx2");
  folder.dir.write("b-seed1/log.jsonl", "");
  EXPECT_EQ(error_of<DataError>([&] { folder.load(); }),
            folder.dir.path("b-seed1/log.jsonl") + ": no epoch");
}

TEST(Engine, OneEpochIsNotSeveral) {
  Results results;
  for (const auto& [epochs, text] :
       {std::pair("1", "at most 1 epoch"), {"3", "at most 3 epochs"}}) {
    results.settings = {{"epochs", epochs}};
    EXPECT_EQ(results.epochs_text(), text);
  }
}

TEST(Engine, RunsThatAreNoneOfThePlanAreLeftOut) {
  const FolderOfHits folder(1);
  for (const char* name :
       {"c-seed1", "a-seed", "a-seed-1", "a-seed01", "a-seed99999999999999999999"}) {
    folder.write(name, {1, 1, 1, 1}, {1, 1, 1, 1});
  }
  EXPECT_EQ(folder.load().runs.size(), 2u);
}

// Whatever the order of the folder. There are as many as a variant has at most.
TEST(Engine, SeedsStandInTheirOrder) {
  const FolderOfHits folder(1);
  for (const int seed : {12, 7, 30, 3, 21, 9, 2, 100, 45}) {
    folder.write("b-seed" + std::to_string(seed), {1, 1, 1, 1}, {1, 1, 1, 1});
  }
  const Results results = folder.load();
  std::vector<uint64_t> seeds;
  for (const RunResult* run : results.of(1)) seeds.push_back(run->run.seed);
  EXPECT_EQ(seeds, (std::vector<uint64_t>{1, 2, 3, 7, 9, 12, 21, 30, 45, 100}));
  EXPECT_EQ(results.seeds(), 10);
}

// A list that is the same does not make up for other clusters.
TEST(Engine, ClustersAndListsAreThoseOfTheFirstRun) {
  for (const auto& [clusters, all, fits] : {std::tuple("[0, 0, 1, 2]", "[2, 1, 2, 2]", true),
                                            {"[0, 1, 1, 2]", "[2, 1, 2, 2]", false},
                                            {"[0, 0, 1, 2]", "[2, 1, 2, 3]", false}}) {
    FolderOfHits folder(1);
    folder.layout.same = {"all"};
    folder.dir.write("b-seed1/evaluation.json", R"({"f1": 1, "hits2": [1,1,1,1], "cluster": )" +
                                                    std::string(clusters) + R"(, "all": )" + all +
                                                    "}");
    EXPECT_EQ(error_of<DataError>([&] { folder.load(); }) == "no error", fits) << clusters << all;
  }
}

TEST(Engine, ASettingStandsBeforeWhatIsSaidOfTheData) {
  Results results;
  results.settings = {{"limit", "1"}};
  results.data = {{"limit", "2"}, {"items", "3"}};
  EXPECT_EQ(results.setting("limit"), "1");
  EXPECT_EQ(results.setting("items"), "3");
}

// ---- claims

TEST(Claims, ByAnInterval) {
  EXPECT_EQ(is_below(Estimate{-0.05, 9, {-0.07, -0.03}, 0.01}).holds, std::optional(true));
  EXPECT_EQ(is_below(Estimate{0.05, 9, {0.03, 0.07}, 0.01}).holds, std::optional(false));
  const ClaimResult undecided = is_below(Estimate{-0.01, 9, {-0.03, 0.01}, 0.4}, 2);
  EXPECT_FALSE(undecided.holds);
  EXPECT_EQ(undecided.figure, "-0.01 [-0.03, 0.01]");
  EXPECT_FALSE(is_below(Estimate{-0.05, 1, {-0.05, -0.05}, 1}).holds);  // of one cluster
  EXPECT_FALSE(is_below(Estimate{0, 9, {0, 0}, 1}).holds);              // of nothing that differs
  EXPECT_EQ(is_below(std::nullopt).figure, "");
}

TEST(Claims, AreHeldDoNotHoldAreUndecidedOrLackNumbers) {
  VariantNumbers paper, ours;
  paper.set(0, "x", -1);
  ours.set(0, "x", 1);
  const auto sign = [](const VariantNumbers& n) -> ClaimResult {
    const auto x = n.get(0, "x");
    return x ? ClaimResult{*x < 0, "x is " + std::to_string(static_cast<int>(*x))} : ClaimResult{};
  };
  const auto open = [](const VariantNumbers&) { return ClaimResult{{}, "too close"}; };
  const auto nothing = [](const VariantNumbers&) { return ClaimResult(); };
  const Claims claims =
      check_claims({{"x is negative", "x < 0", sign}, {"y", "y > 0", open}, {"z", "z", nothing}},
                   paper, {{"here", ours}, {"there", {}}});
  const TempDir dir;
  save_claims(dir.path("t"), claims, "A note.");
  EXPECT_EQ(dir.read("t/claims.md"),
            "## The paper's claims\n\nA note.\n\n"
            "| the paper says | here, here | here, there | in the paper's own table |\n"
            "| --- | --- | --- | --- |\n"
            "| x is negative (x < 0) | does not hold: x is 1 | numbers are missing | **holds**: x "
            "is -1 |\n"
            "| y (y > 0) | undecided: too close | undecided: too close | undecided: too close |\n"
            "| z (z) | numbers are missing | numbers are missing | not printed |\n");
  const auto json = nlohmann::json::parse(dir.read("t/claims.json"));
  EXPECT_EQ(json[0]["here"]["holds"], false);
  EXPECT_TRUE(json[0]["there"]["holds"].is_null());
  EXPECT_EQ(json[0]["paper"]["holds"], true);
}

}  // namespace
}  // namespace heed
