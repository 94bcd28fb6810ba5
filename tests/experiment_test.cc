// Variants, tables, the paper's numbers and its claims.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "experiment/paper.h"
#include "experiment/tables.h"
#include "experiment/times.h"
#include "tests/experiment_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

std::vector<std::string> names(const std::vector<ExperimentRun>& runs) {
  std::vector<std::string> result;
  for (const ExperimentRun& run : runs) result.push_back(run.name());
  return result;
}

// ---- variants

TEST(Variants, AreTheOnesOfThePaper) {
  std::set<std::string> all;
  int without_loss = 0;
  for (const Variant& v : all_variants()) {
    all.insert(v.name());
    without_loss += !v.attention_loss;
    EXPECT_EQ(v.baseline().name(), std::string(v.structure.name) + "-p0");
    EXPECT_TRUE(find_variant(v.structure.name, v.insert_prob, v.attention_loss));
  }
  EXPECT_EQ(all.size(), 23u);
  EXPECT_EQ(without_loss, 3);
  for (const char* name : {"non-hier-p0", "dynamic-ui-p1.0", "static-ui-p0.7-no-loss"}) {
    EXPECT_TRUE(all.contains(name)) << name;
  }
  EXPECT_FALSE(find_variant("static", 0.5, false));
}

TEST(Variants, Select) {
  EXPECT_EQ(select_runs(1, 1, {}).size(), 23u);
  EXPECT_EQ(select_runs(1, 3, {}).size(), 69u);
  EXPECT_EQ(select_runs(1, 1, {.only = "static-ui*"}).size(), 7u);
  EXPECT_EQ(names(select_runs(5, 2, {.only = "dynamic-p0"})),
            (std::vector<std::string>{"dynamic-p0-seed5", "dynamic-p0-seed6"}));
  // shards share all runs out, and no run twice
  std::multiset<std::string> all;
  for (int shard = 1; shard <= 4; ++shard) {
    for (const std::string& n : names(select_runs(1, 2, {.shard = shard, .shards = 4}))) {
      all.insert(n);
    }
  }
  EXPECT_EQ(all.size(), 46u);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 46u);
  const auto error = [](int seeds, const Selection& selection) {
    return error_of<UsageError>([&] { select_runs(1, seeds, selection); });
  };
  EXPECT_NE(error(1, {.only = "statik*"}).find("no variant fits 'statik*'; there are non-hier-p0"),
            std::string::npos);
  EXPECT_EQ(error(1, {.shard = 3, .shards = 2}), "shard: expected i/n with 1 <= i <= n, got 3/2");
  EXPECT_EQ(error(0, {}), "seeds: expected at least 1, got 0");
}

// ---- time left

TEST(Times, LeftFromMeasuredEpochs) {
  std::vector<RunProgress> runs = {{"static", true, 4, {{10, 10, 10, 10}, 8}},
                                   {"static", false, 1, {{10}, 0}},
                                   {"dynamic", false, 0, {}},
                                   {"static", false, 0, {}}};
  // 3 and 4 epochs of static, 4 of dynamic, of which only the mean of all is known, 3 tests
  EXPECT_DOUBLE_EQ(seconds_left(runs, 4, 1), (3 + 4 + 4) * 10 + 3 * 8);
  runs[2] = {"dynamic", false, 1.5, {{40}, 0}};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 4, 2), (3 * 10 + 4 * 10 + 2.5 * 40 + 3 * 8) / 2.0);
  EXPECT_EQ(seconds_left({{"static", false, 0, {}}}, 4, 2), 0);
}

TEST(Times, AreKept) {
  const TempDir dir;
  EXPECT_TRUE(load_times(dir.path("")).epochs.empty());
  save_times(dir.path(""), {{1.5, 2}, 3});
  EXPECT_EQ(load_times(dir.path("")).epochs, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(load_times(dir.path("")).evaluation, 3);
  dir.write("times.json", "[]");
  EXPECT_NE(error_of<DataError>([&] { load_times(dir.path("")); }).find("times.json: not what"),
            std::string::npos);
}

// ---- tables

Table small_table() {
  Table table{.id = "small", .title = "Small", .note = "A note."};
  table.columns = {{"", "perplexity", "p", 1, false, Column::Best::kLowest},
                   {"random", "a, b", "d", 2, true, Column::Best::kHighest}};
  table.rows = {{"p = 0", "static", {{.value = 45}, {}}, {"a/evaluation.json"}},
                {"p = 1.0",
                 "dynamic",
                 {{.value = 43.96, .deviation = 0.26},
                  {.value = 0.12345, .interval = Interval{0.1, 0.2}, .p_value = 0.5}},
                 {}},
                {"", "human", {{.value = 1}, {.value = 2}}, {}, true}};
  mark_best(table);
  return table;
}

TEST(Table, Markdown) {
  EXPECT_EQ(to_markdown(small_table()),
            "## Small\n\nA note.\n\n"
            "| trained with | structure | perplexity | random a, b |\n"
            "| --- | --- | ---: | ---: |\n"
            "| p = 0 | static | 45.0 | – |\n"
            "| p = 1.0 | dynamic | **44.0 ± 0.3** | 12.35 |\n"
            "|  | human | 1.0 | 200.00 |\n");
}

TEST(Table, Csv) {
  EXPECT_EQ(to_csv(small_table()),
            "trained with,structure,perplexity,perplexity deviation,\"random a, b\","
            "\"random a, b low\",\"random a, b high\",\"random a, b p\",source\n"
            "p = 0,static,45.0,,,,,,a/evaluation.json\n"
            "p = 1.0,dynamic,43.96,0.26,0.12345,0.1,0.2,0.5,\n"
            ",human,1.0,,2.0,,,,\n");
}

TEST(Table, JsonHoldsEverything) {
  const Json json = Json::parse(to_json_text(small_table()));
  EXPECT_EQ(json["rows"].size(), 3u);
  EXPECT_EQ(json["columns"][1]["key"], "d");
  EXPECT_TRUE(json["rows"][0]["cells"][1]["value"].is_null());
  const Json& cell = json["rows"][1]["cells"][1];
  EXPECT_EQ(cell["low"], 0.1);
  EXPECT_EQ(cell["high"], 0.2);
  EXPECT_EQ(cell["p"], 0.5);
  EXPECT_EQ(json["rows"][0]["sources"][0], "a/evaluation.json");
}

TEST(Table, BestAreAllThatArePrintedAlikeButNotTheWholeColumn) {
  Table table = small_table();
  table.rows.push_back(table.rows[1]);
  table.rows.back().cells[0].value = 44.01;
  mark_best(table);
  EXPECT_FALSE(table.rows[0].cells[0].best);
  EXPECT_TRUE(table.rows[1].cells[0].best);
  EXPECT_TRUE(table.rows[3].cells[0].best);
  table.rows[0].cells[0].value = 43.99;
  mark_best(table);
  for (const Row& row : table.rows) EXPECT_FALSE(row.cells[0].best);
}

TEST(Tables, OfAnExperiment) {
  const Results results = made_up_results(3);
  const auto tables = all_tables(results, infer(results));
  ASSERT_EQ(tables.size(), 8u);
  const Table& main = table_of(tables, "table3");
  ASSERT_EQ(main.rows.size(), 23u);
  ASSERT_EQ(main.columns.size(), 11u);
  for (const Row& row : main.rows) EXPECT_EQ(row.sources.size(), 3u);
  // mean and spread over the three seeds
  const size_t v = *find_variant("dynamic", 0.7, true);
  std::vector<double> ratios;
  for (const RunResult* run : results.of(v)) {
    ratios.push_back(*run->evaluation.sets[2].summary.das_ratio);
  }
  const Cell& cell = main.rows[v].cells[3];
  EXPECT_EQ(main.columns[3].key, "test_sets.random:0.7.das_ratio");
  EXPECT_DOUBLE_EQ(*cell.value, (ratios[0] + ratios[1] + ratios[2]) / 3);
  EXPECT_DOUBLE_EQ(*cell.deviation, *spread(ratios)->deviation);
  EXPECT_LT(cell.interval->low, *cell.value);
  EXPECT_GT(cell.interval->high, *cell.value);
  // begin has the first utterance, end the last one
  EXPECT_EQ(table_of(tables, "table4").columns.size(), 9u);
  EXPECT_EQ(table_of(tables, "table5").columns.size(), 11u);
  EXPECT_EQ(table_of(tables, "table6").columns[3].key, "test_sets.rare:begin.as_first");
  EXPECT_EQ(table_of(tables, "table6").columns[10].key, "test_sets.rare:end.as_last");
  // changes against the baseline: -0.3 p
  const Table& changes = table_of(tables, "changes");
  ASSERT_EQ(changes.rows.size(), 18u);
  for (const Row& row : changes.rows) {
    for (const Cell& change : row.cells) {
      const double p = std::stod(row.group.substr(4));
      EXPECT_NEAR(*change.value, -0.3 * p, 0.06);
      EXPECT_LT(*change.p_value, 0.05);
    }
  }
}

TEST(Tables, OfAnUnfinishedExperiment) {
  Results results = made_up_results();
  results.runs.erase(results.runs.begin());  // a baseline
  results.runs.resize(7);
  const auto tables = all_tables(results, infer(results));
  const Table& main = table_of(tables, "table3");
  EXPECT_EQ(main.rows.size(), 23u);
  EXPECT_FALSE(main.rows[0].cells[0].value);
  EXPECT_TRUE(main.rows[1].cells[0].value);
  EXPECT_FALSE(table_of(tables, "changes").rows[0].cells[0].value);  // without its baseline
  EXPECT_TRUE(table_of(tables, "changes").rows[1].cells[0].value);
}

// ---- the paper

TEST(Paper, ItsNumbersAreRead) {
  const MainTable& table = paper_table().table;
  ASSERT_EQ(table.size(), 23u);
  for (const VariantNumbers& v : table) EXPECT_TRUE(v.perplexity && v.history_as);
  const size_t best = *find_variant("static-ui", 0.7, true);
  EXPECT_EQ(table[best].das_ratio[0], 0.67);
  EXPECT_NEAR(*table[best].history_as, 0.437, 1e-12);
  EXPECT_FALSE(table[*find_variant("dynamic-ui", 0.7, true)].das_ratio[0]);
  EXPECT_TRUE(paper_table().uncertain[*find_variant("dynamic-ui", 0.5, true)][4]);
}

TEST(Claims, HoldForThePapersOwnNumbers) {
  for (const Claim& claim : check_claims(paper_table().table)) {
    EXPECT_EQ(claim.ours.holds, std::optional(true)) << claim.text << " " << claim.ours.figure;
    EXPECT_EQ(claim.ours.figure, claim.paper.figure);
    EXPECT_FALSE(claim.ours.figure.empty());
  }
}

// Each claim can fail: models that are all alike, and ones that are the other way around.
TEST(Claims, DoNotHoldForOtherNumbers) {
  MainTable alike(23), reversed = paper_table().table;
  for (VariantNumbers& v : alike) {
    v.perplexity = 44, v.history_as = 1;
    v.das_ratio.fill(1.0);
  }
  for (VariantNumbers& v : reversed) {
    v.perplexity = 100 * *v.history_as, v.history_as = 1 - *v.history_as;
    for (auto& ratio : v.das_ratio) {
      if (ratio) ratio = 2 - *ratio;
    }
  }
  const auto of_alike = check_claims(alike), of_reversed = check_claims(reversed);
  for (size_t i = 0; i < of_alike.size(); ++i) {
    const bool perplexities = i == 0;
    EXPECT_EQ(of_alike[i].ours.holds, std::optional(perplexities)) << of_alike[i].text;
    EXPECT_EQ(of_reversed[i].ours.holds, std::optional(false)) << of_reversed[i].text;
  }
}

TEST(Claims, SayWhenNumbersAreMissing) {
  for (const Claim& claim : check_claims(MainTable(23))) EXPECT_FALSE(claim.ours.holds);
}

}  // namespace
}  // namespace heed
