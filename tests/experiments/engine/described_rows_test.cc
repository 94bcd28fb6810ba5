// Described tables of lists, several rows of a variant, printed numbers and computed tables.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/experiment.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// Of a table that stands alone. Two runs have scores of two epochs; b has not been made.
class DescribedRows : public testing::Test {
 protected:
  DescribedRows() {
    dir.write("made.json", R"({"format": 1, "settings": {}, "data": {}})");
    for (const auto& [run, last] : {std::pair("a-seed1", 0.25), {"c-seed1", 0.5}}) {
      const Json json = {{"first", {{"f1", 0.125}, {"auc", 0.625}}}, {"last", {{"f1", last}}}};
      dir.write(std::string(run) + "/evaluation.json", json.dump());
    }
    paper.numbers.set(1, "first.f1", 0.75);
    paper.numbers.set(1, "first.f1.pm", 0.0625);
    paper.numbers.set_doubtful(1, "first.f1");
  }
  std::vector<Table> tables(const Json& table, const Json& values = Json::object(),
                            const ComputedTables& computed = {}) const {
    const Json report = {{"title", "T"}, {"values", values}, {"tables", Json::array({table})}};
    const Showing<> s = described(report.dump(), variants, {}, paper, computed);
    return s.tables(
        load_findings(dir.path(""), {.kind = "made", .variants = variants}, s.measured));
  }
  static std::vector<std::string> labels(const Table& table) {
    std::vector<std::string> all;
    for (const Row& row : table.rows) all.push_back(row.group + " " + row.label);
    return all;
  }

  const std::vector<VariantName> variants = {
      {"a", "ours", "A"}, {"b", "ours", "B"}, {"c", "others", "C"}};
  const TempDir dir;
  PaperNumbers paper{{}, "paper.json"};
};

TEST_F(DescribedRows, ListsMakeTablesAndColumns) {
  const Json table = {{"for", "EPOCH"},
                      {"id", "at-{EPOCH}"},
                      {"title", "{LONG}"},
                      {"note", "{NOTE}{tested}"},
                      {"columns",
                       {{{"name", "one"}, {"key", "one"}},
                        {{"for", "SCORE"},
                         {"all",
                          {{{"group", "{SCORE}"}, {"name", "{EPOCH}"}, {"key", "{EPOCH}.{SCORE}"}},
                           {{"group", "{SCORE}"}, {"name", "twice"}, {"key", "x"}}}}}}}};
  const Json values = {
      {"EPOCH", {{{"EPOCH", "first"}, {"LONG", "The first"}}, {{"EPOCH", "last"}, {"LONG", "L"}}}},
      {"SCORE", {"f1", "auc"}},
      {"NOTE", "Of "}};
  const std::vector<Table> all = tables(table, values);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id + all[0].title + all[1].id, "at-firstThe firstat-last");
  EXPECT_TRUE(all[0].note.starts_with("Of 0 test")) << all[0].note;
  ASSERT_EQ(all[1].columns.size(), 5u);
  EXPECT_EQ(all[1].columns[3].key, "last.auc");
  EXPECT_EQ(all[1].columns[4].group + all[1].columns[4].name, "auctwice");
  EXPECT_EQ(all[0].rows[0].cells[3].value, 0.625);
  EXPECT_TRUE(tables({{"for", "NONE"}, {"id", "no"}}, {{"NONE", Json::array()}}).empty());
}

Json of_epochs() {
  const auto row = [](const char* name, const char* file) {
    return Json{{"name", name}, {"file", file}, {"instead", {{"EPOCH", name}}}};
  };
  return {{"id", "epochs"},
          {"title", "Epochs"},
          {"note", ""},
          {"rows", {row("first", ""), row("last", "last.json")}},
          {"columns",
           {{{"name", "F1"}, {"key", "EPOCH.f1"}},
            {{"name", "paper"}, {"printed", "EPOCH.f1"}, {"variance", true}}}}};
}

TEST_F(DescribedRows, AVariantHasSeveral) {
  const Table table = tables(of_epochs()).at(0);
  EXPECT_EQ(labels(table), (std::vector<std::string>{"A first", "A last", "B first", "B last",
                                                     "C first", "C last"}));
  EXPECT_EQ(table.columns[0].key, "EPOCH.f1");
  EXPECT_EQ(table.rows[0].cells[0].value, 0.125);
  EXPECT_EQ(table.rows[1].cells[0].value, 0.25);
  EXPECT_EQ(table.rows[5].cells[0].value, 0.5);
  EXPECT_EQ(table.rows[0].sources,
            (std::vector<std::string>{"a-seed1/evaluation.json", "paper.json"}));
  EXPECT_EQ(table.rows[1].sources, (std::vector<std::string>{"a-seed1/evaluation.json",
                                                             "a-seed1/last.json", "paper.json"}));
}

TEST_F(DescribedRows, ThePapersNumbersStandThere) {
  const Table table = tables(of_epochs()).at(0);
  EXPECT_EQ(table.columns[1].key, "paper.json");
  const Cell& cell = table.rows[2].cells[1];
  EXPECT_EQ(cell.value, 0.75);
  EXPECT_EQ(cell.deviation, 0.25);
  EXPECT_TRUE(cell.doubtful);
  EXPECT_FALSE(table.rows[3].cells[1].value);
}

// Then only its values stand beside the paper's, and its name where keys are.
TEST_F(DescribedRows, AnotherTableHasOursInFull) {
  dir.write("a-seed2/evaluation.json", R"({"first": {"f1": 0.375}})");
  Json table = {{"id", "short"}, {"title", "Short"}, {"note", ""}};
  table["columns"] = {{{"name", "paper"}, {"printed", "first.f1"}},
                      {{"name", "ours"}, {"key", "first.f1"}}};
  const Table whole = tables(table).at(0);
  EXPECT_EQ(whole.columns[1].key, "first.f1");
  EXPECT_TRUE(whole.rows[0].cells[1].deviation);
  table["in_full"] = "all";
  const Table in_short = tables(table).at(0);
  EXPECT_EQ(in_short.columns[0].key, "paper.json");
  EXPECT_EQ(in_short.columns[1].key, "all");
  EXPECT_EQ(in_short.rows[0].cells[1].value, 0.25);
  EXPECT_FALSE(in_short.rows[0].cells[1].deviation);
}

TEST_F(DescribedRows, OnlySomeVariantsHaveThem) {
  Json table = of_epochs();
  table["groups"] = Json::array({"ours"});
  EXPECT_EQ(tables(table).at(0).rows.size(), 4u);
  table["finished"] = true;
  EXPECT_EQ(labels(tables(table).at(0)), (std::vector<std::string>{"A first", "A last"}));
}

TEST_F(DescribedRows, TablesAreComputed) {
  const auto pair = [](const Findings& found) {
    std::vector<Table> both(2);
    both[1].id = std::to_string(found.results.runs.size());
    return both;
  };
  const std::vector<Table> all = tables({{"computed", "pair"}}, {}, {{"pair", pair}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].id, "2");
}

TEST_F(DescribedRows, AMistakeIsNoReport) {
  Json table = of_epochs();
  table["rows"][0]["named"] = "first";
  EXPECT_THROW(tables(table), InternalError);
  EXPECT_THROW(tables({{"for", "NOTHING"}, {"id", "no"}}), InternalError);
  EXPECT_THROW(tables({{"computed", "by nobody"}}), InternalError);
}

}  // namespace
}  // namespace heed
