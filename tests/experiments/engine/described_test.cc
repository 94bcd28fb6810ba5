// Reports that are described in JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/engine/report/variant_tables.h"
#include "experiments/experiment.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

const std::vector<VariantName> kVariants = {{"a", "group", "A"}, {"b", "group", "B"}};
const MeasuredRuns kMeasured = {.clusters = "clusters", .measures = means_of({"right"})};

Json report() {
  return {{"title", "T"},
          {"lead", "L"},
          {"footer", "F"},
          {"clusters_are", "talks"},
          {"source", "a paper"},
          {"numbers", {{"a", {{"right %", 75}}}, {"b", {{"right", 0.5}}}}},
          {"tables",
           {{{"id", "all"},
             {"title", "All"},
             {"note", "Note. {intervals}"},
             {"each", {{"digits", 1}, {"best", "highest"}}},
             {"columns",
              {{{"name", "right"}, {"key", "right"}},
               {{"name", "wrong"}, {"key", "wrong"}, {"best", "lowest"}, {"digits", 3}},
               {{"name", "size"}, {"key", "size"}, {"best", "none"}}}}},
            {{"id", "changes"},
             {"title", "Changes"},
             {"note", "{p-values}"},
             {"changes", true},
             {"section", "More than chance?"},
             {"columns", {{{"name", "right"}, {"key", "right"}}}}},
            {{"id", "some"},
             {"title", "Some"},
             {"note", ""},
             {"some", true},
             {"otherwise", "No run has it."},
             {"columns", {{{"name", "rare"}, {"key", "rare"}}}}},
            {{"metric", "valid"}, {"name", "loss"}, {"digits", 2}, {"higher_is_better", true}}}},
          {"claims",
           {{{"claim", "A is better."},
             {"rule", "right of A > B."},
             {"parts", {{{"variant", "a"}, {"key", "right"}, {"than", "b"}, {"times", 1.2}}}}},
            {{"claim", "One is good."},
             {"rule", "right > 0.7."},
             {"parts", {{{"variant", "a"}, {"key", "right"}, {"by", 0.7}}}},
             {"one_of", {"a", "b"}}}}}};
}

Showing<> shown(const Json& json) {
  return described(json.dump(), kVariants, kMeasured);
}

class Described : public testing::Test {
 protected:
  void write(bool rare) const {
    dir.write("made.json", R"({"format": 1, "settings": {}, "data": {}})");
    for (const auto& [run, right] : {std::pair("a-seed1", 0.75), {"b-seed1", 0.5}}) {
      Json json = {{"right", right}, {"wrong", 1 - right}, {"size", 3}, {"clusters", {0, 1, 2, 3}}};
      for (int i = 0; i < 4; ++i) json["right_items"].push_back(i < 4 * right ? 1 : 0);
      if (rare && run == std::string("b-seed1")) json["rare"] = 2;
      dir.write(std::string(run) + "/evaluation.json", json.dump());
    }
  }
  std::vector<Table> tables() const {
    const Showing<> s = shown(report());
    return s.tables(
        load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured));
  }
  const TempDir dir;
};

TEST_F(Described, TablesHaveTheirColumnsAndNotes) {
  write(true);
  const std::vector<Table> all = tables();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].note, "Note. 95 % intervals over 4 talks, the largest of 1. ");
  const std::vector<Column>& columns = all[0].columns;
  EXPECT_TRUE(columns[0].best == Column::Best::kHighest && columns[0].digits == 1);
  EXPECT_TRUE(columns[1].best == Column::Best::kLowest && columns[1].digits == 3);
  EXPECT_TRUE(columns[2].best == Column::Best::kNone);
  EXPECT_EQ(all[0].rows[1].cells[1].value, 0.5);
  EXPECT_TRUE(all[0].rows[0].cells[0].interval);
  ASSERT_EQ(all[1].rows.size(), 1u);  // against the first
  EXPECT_EQ(all[1].rows[0].cells[0].value, -0.25);
  EXPECT_TRUE(all[1].rows[0].cells[0].interval);
  ASSERT_EQ(all[2].rows.size(), 1u);
  EXPECT_EQ(all[2].rows[0].label, "B");
  EXPECT_EQ(all[3].columns[3].name, "valid. loss");
}

// A row of which any number is there is kept, whichever it is.
TEST_F(Described, RowsOfSomeHaveANumber) {
  write(true);
  Json json = report();
  Json& columns = json["tables"][2]["columns"];
  columns = {{{"name", "rare"}, {"key", "rare"}}, {{"name", "size"}, {"key", "size"}}};
  const auto labels = [&] {
    const Showing<> s = shown(json);
    const std::vector<Table> tables =
        s.tables(load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured));
    std::string all;
    for (const Row& row : tables.at(2).rows) {
      all += row.label;
    }
    return all;
  };
  EXPECT_EQ(labels(), "AB");
  columns[1]["key"] = "no";
  EXPECT_EQ(labels(), "B");
}

// What is not said of the trainings is as for a perplexity.
TEST_F(Described, TrainingsHaveTheNumberThatChoseTheirEpoch) {
  write(true);
  const Table told = tables().at(3);
  EXPECT_TRUE(told.note.starts_with("The best epoch is the one with the highest validation loss;"));
  EXPECT_TRUE(told.columns[3].key == "valid" && told.columns[3].digits == 2);
  Json json = report();
  json["tables"] = {{{"metric", "valid"}, {"name", "loss"}}};
  const Showing<> s = shown(json);
  const Table usual =
      s.tables(load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured))[0];
  EXPECT_TRUE(usual.note.starts_with("The best epoch is the one with the lowest validation loss;"));
  EXPECT_EQ(usual.columns[3].digits, 1);
}

// A section shows them under the numbers unless its table says otherwise.
TEST_F(Described, SectionsHaveIntervals) {
  write(true);
  for (const bool wanted : {true, false}) {
    Json json = report();
    json["tables"][1].erase("changes");  // which has some of its own
    if (!wanted) json["tables"][0]["section_has_intervals"] = false;
    const Showing<> s = shown(json);
    const Findings found =
        load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured);
    const std::vector<Table> tables = s.tables(found);
    const std::string html = s.sections.at(0).body(found, PageTables(tables));
    EXPECT_EQ(has(html, "<small>["), wanted) << html;
  }
}

// Columns of a list, or of a list of lists, have what stands around them.
TEST_F(Described, ColumnsHaveInCommonWhatStandsAroundThem) {
  write(true);
  Json json = report();
  json["values"] = {
      {"P", {"1", "2"}},
      {"OF", {{{"OF", "x"}, {"MORE", Json::array()}}, {{"OF", "y"}, {"MORE", {"z"}}}}},
      {"BOTH",
       {{{"name", "right"}, {"key", "{OF}.right"}},
        {{"name", "wrong"}, {"key", "{OF}.wrong"}, {"others", {{"mean", "median"}}}, {"digits", 0}},
        {{"for", "MORE"}, {"name", "{MORE}"}, {"key", "{OF}.{MORE}"}}}}};
  json["tables"][0]["columns"] = {
      {{"for", "P"}, {"name", "p = {P}"}, {"key", "all.{P}"}, {"best", "none"}},
      {{"for", "OF"}, {"group", "of {OF}"}, {"digits", 4}, {"all", "BOTH"}},
      {{"key", "at.all"}, {"all", {{{"name", "one"}}, {{"name", "two"}}}}}};
  const Showing<> s = shown(json);
  const std::vector<Table> tables =
      s.tables(load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured));
  const std::vector<Column>& columns = tables.at(0).columns;
  std::string all;
  for (const Column& c : columns) all += c.group + ", " + c.name + ", " + c.key + "; ";
  EXPECT_EQ(all,
            ", p = 1, all.1; , p = 2, all.2; of x, right, x.right; of x, wrong, x.wrong; "
            "of y, right, y.right; of y, wrong, y.wrong; of y, z, y.z; "
            ", one, at.all; , two, at.all; ");
  EXPECT_TRUE(columns[1].best == Column::Best::kNone && columns[5].best == Column::Best::kHighest);
  EXPECT_TRUE(columns[4].digits == 4 && columns[5].digits == 0 && columns[7].digits == 1);
  ASSERT_EQ(columns[5].others.size(), 1u);
  EXPECT_EQ(columns[5].others[0].name, "mean");
  EXPECT_EQ(columns[5].others[0].key, "y.median");
}

TEST_F(Described, APapersNumbersStandBesideOurs) {
  write(true);
  Json json = report();
  json.erase("numbers");
  json["tables"][0]["columns"] = {{{"name", "paper"}, {"printed", "right"}},
                                  {{"name", "ours"}, {"key", "right"}}};
  PaperNumbers paper{{}, "paper.json"};
  paper.numbers.set(1, "right", 0.6);
  const Showing<> s = described(json.dump(), kVariants, kMeasured, paper);
  const Table table =
      s.tables(load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured))[0];
  EXPECT_EQ(table.columns[0].key, "paper.json");
  EXPECT_EQ(table.columns[1].key, "right");
  EXPECT_EQ(table.rows[1].cells[0].value, 0.6);
  EXPECT_EQ(table.rows[1].cells[1].value, 0.5);
  EXPECT_FALSE(table.rows[1].cells[1].interval);
  EXPECT_EQ(s.paper.get(1, "right"), 0.6);
}

// Tables whose rows the experiment adds have their notes.
TEST_F(Described, TablesWithoutRowsHaveTheirNotes) {
  write(true);
  const Showing<> s = shown(report());
  Findings found = load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured);
  Json json = report();
  json["tables"][0]["note"] = "{tested} of {clusters}, {resamples} times";
  json["tables"][0]["rows_are"] = "judge";
  const std::vector<Table> tables = tables_without_rows(json.dump(), found.results);
  ASSERT_EQ(tables.size(), 4u);
  EXPECT_EQ(tables[0].note, "4 test dialogues, 1 seed of 4 talks, the largest of 1, 10000 times");
  EXPECT_EQ(tables[0].rows_are, "judge");
  EXPECT_EQ(tables[0].columns.size(), 3u);
  EXPECT_TRUE(tables[0].rows.empty());
  EXPECT_EQ(tables[3].rows.size(), 2u);  // of the trainings
  found.results.clusters = {0, 0, 1, 2};
  EXPECT_TRUE(tables_without_rows(json.dump(), found.results)[0].note.starts_with(
      "4 test dialogues, 1 seed of 3 talks, the largest of 2, "));
  found.results.settings.push_back({"examples", "all"});
  EXPECT_EQ(tables_without_rows(json.dump(), found.results)[0].note.substr(0, 15),
            "4 test examples");
}

TEST_F(Described, SectionsShowTheirPartsInOrder) {
  write(true);
  Json json = report();
  json["sections"] = {
      {{"id", "first"},
       {"title", "First"},
       {"shows", {{{"figure", "drawn"}}, {{"note", "A note."}}, {{"table", "all"}}}}},
      {{"id", "second"},
       {"title", "Second"},
       {"shows", {{{"table", "no"}, {"otherwise", "None."}}}}}};
  Showing<> s = shown(json);
  const auto drawn = [](const Findings& f) { return std::to_string(f.results.seeds()) + " seed"; };
  s.sections = sections_of<Findings>(json.dump(), {{"drawn", drawn}});
  const std::string page =
      report_of(s, load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured))
          .page;
  const size_t first = page.find("<h2>First</h2>"), drawing = page.find("1 seed", first),
               note = page.find(">A note.<", drawing), table = page.find("id=\"table-all\"", note),
               second = page.find("<h2>Second</h2>", table);
  EXPECT_NE(page.find(">None.<", second), page.npos) << page.substr(first == page.npos ? 0 : first);
}

TEST_F(Described, FunctionsCheckTheClaimsThatNameThem) {
  Json json = report();
  json["claims"] = {{{"claim", "C"}, {"rule", "R"}, {"check", "is large"}}};
  EXPECT_TRUE(shown(json).rules.empty() && shown(json).each.empty());
  const auto is_large = [](const VariantNumbers& n) { return ClaimResult{n.get(0, "x") > 1, "f"}; };
  const auto rules = described_rules(json.dump(), {{"is large", is_large}});
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].claim + rules[0].rule, "CR");
  VariantNumbers numbers;
  numbers.set(0, "x", 2);
  EXPECT_EQ(rules[0].check(numbers).holds, true);
  EXPECT_THROW(described_rules(json.dump(), {}), std::out_of_range);
}

TEST_F(Described, ATableWithoutARowIsLeftOut) {
  write(false);
  EXPECT_EQ(tables().size(), 3u);
  const Showing<> s = shown(report());
  const Report made = report_of(
      s, load_findings(dir.path(""), {.kind = "made", .variants = kVariants}, s.measured));
  EXPECT_NE(made.page.find("No run has it."), made.page.npos);
  EXPECT_NE(made.page.find("<h2>More than chance?</h2>"), made.page.npos);
  EXPECT_NE(made.page.find("<h2>All</h2>"), made.page.npos);
  const size_t section = made.page.find("id=\"all\"");  // and the table has another id
  EXPECT_EQ(made.page.find("id=\"all\"", section + 1), made.page.npos);
}

TEST_F(Described, ClaimsNameTheirVariants) {
  const Showing<> s = shown(report());
  EXPECT_EQ(s.paper.get(0, "right"), 0.75);
  EXPECT_EQ(decide(s.rules[0], s.paper).figure, "0.750 against 1.20 x 0.500");
  EXPECT_EQ(decide(s.rules[0], s.paper).holds, true);
  EXPECT_EQ(decide(s.rules[1], s.paper).figure, "0.750 against 0.700; the best of 2");
}

TEST_F(Described, AMistakeIsNoReport) {
  Json json = report();
  json["titel"] = "T";
  EXPECT_THROW(shown(json), InternalError);
  json = report();
  json["tables"][0]["columns"][1]["digit"] = 3;
  EXPECT_THROW(shown(json), InternalError);
  json = report();
  json["tables"][0]["columns"][1]["best"] = "high";
  EXPECT_THROW(shown(json), InternalError);
  json = report();
  json["tables"][0]["columns"] = {{{"all", "NONE"}}};
  EXPECT_THROW(shown(json), InternalError);
  json = report();
  json["claims"][0]["parts"][0]["than"] = "c";
  EXPECT_THROW(shown(json), InternalError);
}

}  // namespace
}  // namespace heed
